/* The descriptor of a handle, for the files of this folder. */
#ifndef LB_OS_DESCRIPTOR_H
#define LB_OS_DESCRIPTOR_H

#include "os/os.h"

/** -1 of no handle. */
static inline int lb_os_descriptor(lb_os_handle handle)
{
    return (int)handle.number - 1;
}

/** No handle of -1. */
static inline lb_os_handle lb_os_handle_of(int descriptor)
{
    return (lb_os_handle){(intptr_t)descriptor + 1};
}

#endif
