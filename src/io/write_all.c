#include "io/write_all.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

bool lb_write_all(int fd, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        /* More than SSIZE_MAX at once is undefined. */
        ssize_t written = write(fd, from, count < SSIZE_MAX ? count : SSIZE_MAX);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        from += written;
        count -= (size_t)written;
    }
    return true;
}
