#include "console/output.h"

#include "base/format.h"
#include "io/path.h"
#include "train/evaluate.h"
#include "train/trainer.h"

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
    enum { OWN = 3, TEXTS = 2 }; /* series before those of tests, and behind them */
    size_t count = (size_t)history->count;
    double *x = lb_alloc((1 + OWN + LB_MOST_TESTS + TEXTS) * count * sizeof *x);
    if (!x) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the chart of the training");
    double *loss = x + count, *dev_loss = loss + count, *share = dev_loss + count, *tests = share + count;
    lb_series series[OWN + LB_MOST_TESTS + TEXTS] = {
        {.name = measure.training, .x = x, .y = loss, .count = (int64_t)count},
        {.name = measure.loss, .x = x, .y = dev_loss, .count = (int64_t)count},
        {.name = "exact match", .x = x, .y = share, .count = (int64_t)count, .right = true},
    };
    char names[LB_MOST_TESTS][LB_TEST_NAME + sizeof "test "];
    int all = OWN;
    for (const lb_test *test; (test = lb_train_test(history, all - OWN)) != NULL; all++) {
        snprintf(names[all - OWN], sizeof names[0], "test %s", test->name);
        series[all] = (lb_series){.name = names[all - OWN],
                                  .x = x,
                                  .y = tests + (size_t)(all - OWN) * count,
                                  .count = (int64_t)count,
                                  .right = true};
    }
    double *bleu = tests + (size_t)(all - OWN) * count, *chrf = bleu + count;
    for (size_t i = 0; i < count; i++) {
        const lb_train_point *point = &history->points[i];
        x[i] = (double)point->step;
        loss[i] = point->loss;
        dev_loss[i] = point->dev.loss;
        share[i] = point->dev.exact_match;
        for (int t = 0; t < all - OWN; t++) tests[(size_t)t * count + i] = point->test[t].exact_match;
        bleu[i] = point->dev.own[LB_OWN_BLEU] / 100;
        chrf[i] = point->dev.own[LB_OWN_CHRF] / 100;
    }
    lb_chart chart = {
        .series = series,
        .count = all,
        .title = "Training",
        .x = {.label = "Step"},
        .left = {.label = "Loss"},
        .right = {.label = measure.label, .min = 0, .max = 1},
    };
    if (count > 0 && history->points[0].dev.own[LB_OWN_TEXTS] > 0) {
        series[chart.count++] =
            (lb_series){.name = "BLEU / 100", .x = x, .y = bleu, .count = (int64_t)count, .right = true};
        series[chart.count++] =
            (lb_series){.name = "chrF2 / 100", .x = x, .y = chrf, .count = (int64_t)count, .right = true};
    }
    lb_status status = app_save_chart(&chart, path, error);
    lb_release(x);
    return status;
}
