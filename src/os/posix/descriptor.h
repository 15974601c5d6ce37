/* The descriptor of a handle, for this folder: a handle is a descriptor and one, so that zero is none, and standard
 * input is -1, so that nobody closes it. */
#ifndef LB_OS_DESCRIPTOR_H
#define LB_OS_DESCRIPTOR_H

#include "os/os.h"

static inline int lb_os_descriptor(lb_os_handle handle)
{
    return handle.number < 0 ? 0 : (int)handle.number - 1;
}

static inline lb_os_handle lb_os_handle_of(int descriptor)
{
    return (lb_os_handle){(intptr_t)descriptor + 1};
}

#endif
