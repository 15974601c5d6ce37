#include "translate/training_log.h"

#include "base/alloc.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

lb_status lb_training_log_write(const char *path, const lb_train_history *history, lb_error *error)
{
    char *log = lb_train_history_json(history);
    if (!log) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", path);
    lb_status status = lb_file_write_atomic(path, log, strlen(log), error);
    lb_release(log);
    return status;
}

/* One write per line, so that a concurrent reader never sees a part of a line. */
static lb_status append_line(const char *path, const lb_train_point *point, lb_error *error)
{
    lb_train_point copy = *point;
    char *line = lb_train_history_json(&(lb_train_history){.points = &copy, .count = 1});
    if (!line) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", path);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t length = strlen(line);
    if (file >= 0) errno = ENOSPC; /* if only a part fits, write sets no error */
    bool written = file >= 0 && write(file, line, length) == (ssize_t)length;
    int reason = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    lb_release(line);
    return written ? LB_OK
                   : lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, strerror(reason));
}

lb_status lb_training_log_append(const char *path, const lb_train_history *history, int64_t *logged,
                                 lb_error *error)
{
    bool appends = *logged > 0 && *logged == history->count - 1 && access(path, F_OK) == 0;
    lb_status status = appends ? append_line(path, &history->points[*logged], error)
                               : lb_training_log_write(path, history, error);
    *logged = status ? 0 : history->count;
    return status;
}
