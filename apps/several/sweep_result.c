#include "several/side_by_side.h"

#include "base/alloc.h"
#include "console/output.h"
#include "io/file.h"
#include "io/json.h"
#include "train/evaluate.h"
#include "translate/training/recipe.h"
#include <lookback/plot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 8, KEY = LB_TEST_NAME + 16 };

static const char bleu_key[] = "bleu_13a", chrf_key[] = "chrf2";

/* 0 for what no chart could show, such as 1e999. */
static double number(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : 0;
}

/* Of a test; of the dev set if its name is "". */
static lb_evaluation evaluation(const cJSON *json, const char *test)
{
    const char *dot = *test ? "." : "";
    char exact[KEY], symbol[KEY], loss[KEY];
    snprintf(exact, KEY, "%s%sexact_match", test, dot);
    snprintf(symbol, KEY, "%s%ssymbol_error", test, dot);
    snprintf(loss, KEY, "%s%s", test, *test ? ".loss" : "dev_loss");
    return (lb_evaluation){
        .exact_match = number(json, exact),
        .symbol_error = number(json, symbol),
        .loss = cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, loss)) ? NAN : number(json, loss)};
}

/* What the trainings are compared by. */
static const lb_evaluation *judged(const lb_training_config *c, const lb_train_point *point)
{
    int test = lb_config_test(c, c->choose_on);
    return test < 0 ? &point->dev : &point->test[test];
}

static void add_point(app_sweep_result *r, const lb_training_config *c, const cJSON *json)
{
    lb_train_point point = {.step = (int64_t)fmin(fmax(number(json, "step"), 0), INT32_MAX),
                            .loss = number(json, "loss"),
                            .dev = evaluation(json, "")};
    point.dev.own[LB_OWN_BLEU] = number(json, bleu_key);
    point.dev.own[LB_OWN_CHRF] = number(json, chrf_key);
    for (int i = 0; i < LB_MOST_TESTS && *c->test[i].name; i++)
        point.test[i] = evaluation(json, c->test[i].name);
    r->is_better = lb_config_is_better(c);
    /* A training on lists keeps its last weights. */
    if (c->sort || r->points == 0 || r->is_better(judged(c, &point), &r->judged)) {
        r->best = point;
        r->judged = *judged(c, &point);
    }
    r->seconds = number(json, "seconds");
    r->step[r->points] = (double)point.step;
    r->error[r->points++] = 1 - point.dev.exact_match;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
    return lines;
}

static lb_status read_lines(app_sweep_result *r, const lb_training_config *c, const char *path,
                            const char *text, lb_error *error)
{
    size_t lines = count_lines(text);
    r->step = lb_alloc((lines + 1) * sizeof *r->step);
    r->error = lb_alloc((lines + 1) * sizeof *r->error);
    if (!r->step || !r->error) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sweep");
    for (size_t line = 1; line <= lines; line++) {
        const char *end = strchr(text, '\n');
        cJSON *json;
        if (lb_json_parse(text, (size_t)(end - text), NULL, &json) == LB_ERROR_MEMORY)
            return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sweep");
        if (!cJSON_IsObject(json)) {
            cJSON_Delete(json);
            return lb_error_set(error, LB_ERROR_FORMAT, "%s:%zu: expected a JSON object", path, line);
        }
        add_point(r, c, json);
        cJSON_Delete(json);
        text = end + 1;
    }
    return LB_OK;
}

lb_status app_sweep_result_read(app_sweep_result *result, const lb_training_config *settings, lb_error *error)
{
    char path[APP_PATH];
    void *text;
    size_t length;
    app_path(result->folder, settings->sort ? "train.jsonl" : "log.jsonl", path);
    if (lb_file_is_missing(path)) return LB_OK;
    lb_status status = lb_file_read_own(path, 0, &text, &length, error);
    if (status) return status;
    status = read_lines(result, settings, path, text, error);
    lb_release(text);
    return status;
}

void app_sweep_result_free(app_sweep_result *result)
{
    lb_release(result->name);
    lb_release(result->folder);
    lb_release(result->step);
    lb_release(result->error);
    *result = (app_sweep_result){0};
}

static int compare(const void *a, const void *b)
{
    const app_sweep_result *x = a, *y = b;
    if (!x->points || !y->points) return (x->points == 0) - (y->points == 0);
    if (x->is_better(&x->judged, &y->judged)) return -1;
    if (x->is_better(&y->judged, &x->judged)) return 1;
    return strcmp(x->name, y->name);
}

void app_sweep_results_sort(app_sweep_result *results, size_t count)
{
    qsort(results, count, sizeof *results, compare);
}

static lb_status draw(const app_sweep_result *results, size_t count, const char *path, lb_error *error)
{
    lb_series series[CURVES];
    size_t curves = 0;
    for (; curves < CURVES && curves < count && results[curves].points; curves++)
        series[curves] = (lb_series){.name = results[curves].name,
                                     .x = results[curves].step,
                                     .y = results[curves].error,
                                     .count = (int64_t)results[curves].points};
    if (curves == 0) return LB_OK;
    const lb_chart chart = {.series = series,
                            .count = (int64_t)curves,
                            .title = "Sweep",
                            .x = {.label = "Step"},
                            .left = {.label = "Share of wrong outputs on dev", .min = 0, .max = 1}};
    return app_save_chart(&chart, path, error);
}

lb_status app_sweep_results_show(const app_sweep_result *results, size_t count,
                                 const lb_training_config *settings, lb_error *error)
{
    char path[APP_PATH];
    const app_result_table table = {results, count, .seeds = 1, .settings = settings};
    lb_status status = app_result_table_show(&table, "sweep.tsv", error);
    return status ? status : draw(results, count, app_path(settings->out, "sweep.png", path), error);
}
