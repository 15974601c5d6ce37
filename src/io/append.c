#include "io/append.h"

#include "io/own_file.h"
#include "io/path.h"
#include "io/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { AT_END = -1 };

static lb_status append(const char *path, off_t size, const void *bytes, size_t count, lb_error *error)
{
    int file = lb_own_open(path, O_WRONLY | O_APPEND, error);
    if (file < 0) return LB_ERROR_WRITE;
    bool ready = size == AT_END || ftruncate(file, size) == 0;
    bool written = ready && lb_write_all(file, bytes, count);
    int reason = errno;
    if (close(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    return written ? LB_OK : lb_cannot_write(path, strerror(reason), error);
}

lb_status lb_file_append(const char *path, const void *bytes, size_t count, lb_error *error)
{
    return append(path, AT_END, bytes, count, error);
}

lb_status lb_file_append_at(const char *path, size_t size, const void *bytes, size_t count, lb_error *error)
{
    return append(path, (off_t)size, bytes, count, error);
}
