/* Windows as the files of this folder see it: handles, paths in UTF-16, and errors as errno. */
#ifndef LB_OS_SYSTEM_H
#define LB_OS_SYSTEM_H

#include "os/os.h"

#include <windows.h>

enum { LB_WIDE_PATH = LB_OS_PATH + 8 }; /* with the prefix of a long path */

static inline HANDLE lb_os_system(lb_os_handle handle)
{
    return (HANDLE)handle.number;
}

/** No handle of INVALID_HANDLE_VALUE, with the reason in errno. */
lb_os_handle lb_os_handle_of(HANDLE opened);

/** Sets errno to what GetLastError says, unless `done`, which it returns. */
bool lb_os_told(bool done);

/** Writes an absolute path in UTF-16, in the form that has no limit of 260 letters if it is long. */
bool lb_os_wide(const char *path, wchar_t wide[LB_WIDE_PATH]);

/** Writes a path in UTF-8, without the prefix of a long one. */
bool lb_os_narrow(const wchar_t *wide, char path[LB_OS_PATH]);

/** Whether a path leads to no file, but to a device, such as NUL, or to a stream beside one, such as file:name. Like a
 *  link, it may lead out of the folder that it is in. */
bool lb_os_is_odd(const char *path);

/** Whether an open file is a link itself. */
bool lb_os_is_reparsed(HANDLE opened);

/** Records a request to stop, as Ctrl-C is one. */
void lb_os_record(int number);

#endif
