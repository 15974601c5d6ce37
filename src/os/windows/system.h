/* Windows as this folder sees it: handles, which are behind descriptors of the C library, paths in UTF-16, and errors
 * as errno. */
#ifndef LB_OS_SYSTEM_H
#define LB_OS_SYSTEM_H

#include "os/os.h"

#include <io.h>
#include <windows.h>

enum { LB_WIDE_PATH = LB_OS_PATH + 8 /* the prefix of a long path */ };
enum { LB_SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static inline HANDLE lb_os_system(lb_os_handle handle)
{
    return (HANDLE)_get_osfhandle(lb_os_descriptor(handle));
}

/** Sets errno to what GetLastError says, unless `done`, which it returns. */
bool lb_os_told(bool done);

/** Opens what is at a path, and sets errno. */
lb_os_handle lb_os_open_as(const char *path, DWORD access, DWORD made, DWORD flags);

/** Writes an absolute path in UTF-16, in the form without a limit of 260 letters if it is long. */
bool lb_os_wide(const char *path, wchar_t wide[LB_WIDE_PATH]);

/** Writes a path in UTF-8. */
bool lb_os_narrow(const wchar_t *wide, char path[LB_OS_PATH]);

/** Whether a path leads to a device, such as NUL, or a stream beside a file, such as file:name. Like a link, it may
 *  lead out of its folder. */
bool lb_os_is_odd(const char *path);

/** Records a request to stop, as Ctrl-C is one. */
void lb_os_record(int number);

#endif
