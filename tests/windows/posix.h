/* What tests call of POSIX, in the words of Windows. Included before each source of the tests; headers that Windows
 * lacks are empty. Tests that need more, such as a copy of their process, are in left_out.txt. */
#ifndef WINDOWS_POSIX_H
#define WINDOWS_POSIX_H

#include "os/os.h"

#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <process.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As all do, Check formats by the printf of mingw-w64. */
#define printf gnu_printf
#include <check.h>
#undef printf

#define S_ISLNK(mode)              0
#define lstat                      stat
#define malloc_usable_size(memory) _msize(memory)
#define mkdir(path, mode)          _mkdir(path)
#define setenv(name, value, over)  _putenv_s(name, value)
#define unsetenv(name)             _putenv_s(name, "")
#define pipe(ends)                 _pipe(ends, 1 << 16, _O_BINARY)
#define write(file, bytes, count)  _write(file, bytes, (unsigned)(count))
#define geteuid()                  0
#define rename(from, to)           (lb_os_rename(from, to) ? 0 : -1)
#define stpcpy(to, from)           (strcpy(to, from) + strlen(from))

/* What there is not fails. */
enum { O_NONBLOCK = 0, F_SETFL = 4, SIGKILL = 9, SIGPIPE = 13, SIGXFSZ = 25, RLIMIT_FSIZE = 1 };
struct rlimit {
    size_t rlim_cur;
};
#define WIFSIGNALED(how) ((how) > 0)
#define WTERMSIG(how)    (how)

static inline int lacks(const void *one, const void *other)
{
    (void)one, (void)other;
    return -1;
}

#define fork()                   lacks(NULL, NULL)
#define getppid()                lacks(NULL, NULL)
#define pause()                  exit(lacks(NULL, NULL))
#define symlink(target, path)    lacks(target, path)
#define mkfifo(path, mode)       lacks(path, NULL)
#define getrlimit(kind, limit)   lacks(limit, NULL)
#define setrlimit(kind, limit)   lacks(limit, NULL)
#define kill(process, number)    lacks(&(process), NULL)
#define fcntl(file, what, value) lacks(NULL, NULL)

static inline pid_t waitpid(pid_t process, int *how, int more)
{
    (void)process, (void)more;
    if (how) *how = 0;
    return -1;
}

static inline char *mkdtemp(char *path)
{
    return _mktemp(path) && _mkdir(path) == 0 ? path : NULL;
}

#endif
