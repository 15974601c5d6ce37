#include "console/output.h"

#include "base/alloc.h"
#include "base/format.h"
#include "io/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const app_colormaps[] = {
#define NAME(constant, name) #name,
    LB_COLORMAP_LIST(NAME) NULL
#undef NAME
};

lb_status app_check_picture(const char *option, const char *output, lb_error *error)
{
    static const char *const ends[] = {".png", ".svg", ".pdf"};
    size_t length = strlen(output);
    for (int i = 0; i < 3 && length >= 4; i++)
        if (strcasecmp(output + length - 4, ends[i]) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "%s: expected a name that ends in .png, .svg or .pdf, found \"%s\"", option, output);
}

char *app_path(const char *folder, const char *name, char path[APP_PATH])
{
    snprintf(path, APP_PATH, "%s/%s", folder, name);
    return path;
}

char *app_measured(double measure, int digits, char text[APP_MEASURED])
{
    if (isnan(measure))
        snprintf(text, APP_MEASURED, "-");
    else
        lb_snprintf(text, APP_MEASURED, "%.*f", digits, measure);
    return text;
}

lb_status app_save_chart(const lb_chart *chart, const char *path, lb_error *error)
{
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : lb_chart_save(chart, path, error);
}

lb_status app_draw_training(const char *path, const lb_train_history *history, app_measure measure,
                            lb_error *error)
{
    size_t count = (size_t)history->count;
    double *x = lb_alloc(4 * count * sizeof *x);
    if (!x) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the chart of the training");
    double *loss = x + count, *dev_loss = loss + count, *share = dev_loss + count;
    for (size_t i = 0; i < count; i++) {
        const lb_train_point *point = &history->points[i];
        x[i] = (double)point->step;
        loss[i] = point->loss;
        dev_loss[i] = point->dev.loss;
        share[i] = point->dev.exact_match;
    }
    const lb_series series[] = {
        {.name = measure.training, .x = x, .y = loss, .count = (int64_t)count},
        {.name = measure.loss, .x = x, .y = dev_loss, .count = (int64_t)count},
        {.name = "exact match", .x = x, .y = share, .count = (int64_t)count, .right = true},
    };
    lb_chart chart = {
        .series = series,
        .count = 3,
        .title = "Training",
        .x = {.label = "Step"},
        .left = {.label = "Loss"},
        .right = {.label = measure.label, .min = 0, .max = 1},
    };
    lb_status status = app_save_chart(&chart, path, error);
    lb_release(x);
    return status;
}
