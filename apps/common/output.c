#include "common/output.h"

#include "base/alloc.h"
#include "io/file.h"
#include <lookback/plot.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_one(const char *path)
{
    struct stat found;
    return mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

lb_status app_make_folder(const char *folder, lb_error *error)
{
    char path[APP_PATH];
    size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path - 64)
        return lb_error_set(error, LB_ERROR_WRITE, "cannot write to a folder whose name has %zu bytes",
                            length);
    memcpy(path, folder, length + 1);
    bool made = true;
    for (size_t i = 1; i <= length && made; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        made = make_one(path);
        if (made && i < length) path[i] = '/';
    }
    if (made && access(folder, W_OK | X_OK) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_WRITE, "cannot write to %s: %s", path,
                        strerror(errno == EEXIST ? ENOTDIR : errno));
}

lb_status app_check_png(const char *output, lb_error *error)
{
    size_t length = strlen(output);
    if (length >= 4 && strcasecmp(output + length - 4, ".png") == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--output: expected a name that ends in .png, found \"%s\"",
                        output);
}

char *app_path(const char *folder, const char *name, char path[APP_PATH])
{
    snprintf(path, APP_PATH, "%s/%s", folder, name);
    return path;
}

lb_status app_write_log(const char *path, const lb_train_history *history, lb_error *error)
{
    char *log = lb_train_history_json(history);
    if (!log) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", path);
    lb_status status = lb_file_write_atomic(path, log, strlen(log), error);
    lb_release(log);
    return status;
}

/* One write of a whole line: whoever reads along never sees half of one. */
static lb_status append_line(const char *path, const lb_train_point *point, lb_error *error)
{
    lb_train_point copy = *point;
    char *line = lb_train_history_json(&(lb_train_history){.points = &copy, .count = 1});
    if (!line) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", path);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t length = strlen(line);
    if (file >= 0) errno = ENOSPC; /* where only a part fits, write does not say so */
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

lb_status app_append_log(const char *path, const lb_train_history *history, int64_t *logged, lb_error *error)
{
    bool appends = *logged > 0 && *logged == history->count - 1 && access(path, F_OK) == 0;
    lb_status status =
        appends ? append_line(path, &history->points[*logged], error) : app_write_log(path, history, error);
    *logged = status ? 0 : history->count;
    return status;
}

lb_status app_draw_training(const char *path, const lb_train_history *history, app_measure measure,
                            lb_error *error)
{
    size_t count = (size_t)history->count;
    double *x = lb_alloc(3 * count * sizeof *x);
    if (!x) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the chart of the training");
    double *loss = x + count, *share = loss + count;
    for (size_t i = 0; i < count; i++) {
        const lb_train_point *point = &history->points[i];
        x[i] = (double)point->step;
        loss[i] = point->loss;
        share[i] = measure.error ? 1 - point->measure : point->measure;
    }
    const lb_series series[] = {
        {.name = "loss", .x = x, .y = loss, .count = count},
        {.name = measure.name, .x = x, .y = share, .count = count, .right = true},
    };
    lb_chart chart = {
        .series = series,
        .count = 2,
        .title = "Training",
        .x = {.label = "Step"},
        .left = {.label = "Loss"},
        .right = {.label = measure.label, .min = 0, .max = 1},
    };
    lb_status status = lb_chart_save(&chart, path, error);
    lb_release(x);
    return status;
}
