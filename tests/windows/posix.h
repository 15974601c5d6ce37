/* What tests call of POSIX, in the words of Windows. Included before each source of the tests. Tests that need more are
 * in left_out.txt. */
#ifndef WINDOWS_POSIX_H
#define WINDOWS_POSIX_H

#include <direct.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define S_ISLNK(mode)              0
#define lstat                      stat
#define malloc_usable_size(memory) _msize(memory)
#define mkdir(path, mode)          _mkdir(path)
#define setenv(name, value, over)  _putenv_s(name, value)
#define unsetenv(name)             _putenv_s(name, "")
#define symlink(target, path)      (-1)
#define mkfifo(path, mode)         (-1)
#define pipe(ends)                 (-1)
#define geteuid()                  0
#define stpcpy(to, from)           (strcpy(to, from) + strlen(from))

static inline char *mkdtemp(char *path)
{
    return _mktemp(path) && _mkdir(path) == 0 ? path : NULL;
}

#endif
