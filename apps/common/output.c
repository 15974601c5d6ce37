#include "common/output.h"

#include <lookback/io/file.h>
#include <lookback/plot/chart.h>
#include <lookback/tensor/alloc.h>

#include <errno.h>
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

lb_status app_write_log(const char *folder, const lb_train_history *history, lb_error *error)
{
    char path[APP_PATH];
    char *log = lb_train_history_json(history);
    if (!log) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the training log");
    lb_status status = lb_file_write_atomic(app_path(folder, "train.jsonl", path), log, strlen(log), error);
    lb_release(log);
    return status;
}

lb_status app_draw_training(const char *folder, const lb_train_history *history, lb_error *error)
{
    char path[APP_PATH];
    size_t count = (size_t)history->count;
    double *x = lb_alloc(3 * count * sizeof *x);
    if (!x) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the chart of the training");
    double *loss = x + count, *measure = loss + count;
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)history->points[i].step;
        loss[i] = history->points[i].loss;
        measure[i] = history->points[i].measure;
    }
    const lb_series series[] = {
        {.name = "loss", .x = x, .y = loss, .count = count},
        {.name = "exact match", .x = x, .y = measure, .count = count, .right = true},
    };
    lb_chart chart = {
        .series = series,
        .count = 2,
        .title = "Training",
        .x = {.label = "Step"},
        .left = {.label = "Loss"},
        .right = {.label = "Exact match on held-out lists", .min = 0, .max = 1},
    };
    lb_status status = lb_chart_save(&chart, app_path(folder, "loss.png", path), error);
    lb_release(x);
    return status;
}
