#include "several/side_by_side.h"

#include "base/alloc.h"
#include "console/console.h"
#include "io/file.h"
#include "io/json.h"
#include "translate/batches/evaluate.h"
#include "translate/training/recipe.h"

#include <math.h>
#include <string.h>

enum { KEY = LB_TEST_NAME + 16 };

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

static void add_point(app_training *t, const lb_training_config *c, const cJSON *json)
{
    lb_train_point point = {.step = (int64_t)fmin(fmax(number(json, "step"), 0), INT32_MAX),
                            .loss = number(json, "loss"),
                            .dev = evaluation(json, "")};
    point.dev.own[LB_OWN_BLEU] = number(json, "bleu_13a");
    point.dev.own[LB_OWN_CHRF] = number(json, "chrf2");
    for (int i = 0; i < LB_MOST_TESTS && *c->test[i].name; i++)
        point.test[i] = evaluation(json, c->test[i].name);
    t->is_better = lb_config_is_better(c);
    /* A training on lists keeps its last weights. */
    if (c->sort || t->points == 0 || t->is_better(judged(c, &point), &t->judged)) {
        t->best = point;
        t->judged = *judged(c, &point);
    }
    t->seconds = number(json, "seconds");
    t->step[t->points] = (double)point.step;
    t->error[t->points++] = 1 - point.dev.exact_match;
}

/* `text` ends with a zero; what is behind its last line end is a line that is not complete. */
static lb_status read_lines(app_training *t, const lb_training_config *c, const char *path, const char *text,
                            lb_error *error)
{
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
    t->step = lb_alloc((lines + 1) * sizeof *t->step);
    t->error = lb_alloc((lines + 1) * sizeof *t->error);
    if (!t->step || !t->error) return lb_no_memory(error, "a sweep");
    for (size_t line = 1; line <= lines; line++) {
        const char *end = strchr(text, '\n');
        cJSON *json;
        if (lb_json_parse(text, (size_t)(end - text), NULL, &json) == LB_ERROR_MEMORY)
            return lb_no_memory(error, "a sweep");
        if (!cJSON_IsObject(json)) {
            cJSON_Delete(json);
            return lb_error_set(error, LB_ERROR_FORMAT, "%s:%zu: expected a JSON object", path, line);
        }
        add_point(t, c, json);
        cJSON_Delete(json);
        text = end + 1;
    }
    return LB_OK;
}

lb_status app_training_read(app_training *training, const lb_training_config *settings, lb_error *error)
{
    char path[APP_PATH];
    void *text;
    size_t length;
    app_path(training->folder, settings->sort ? "train.jsonl" : "log.jsonl", path);
    if (lb_file_is_missing(path)) return LB_OK;
    lb_status status = lb_file_read_own(path, 0, &text, &length, error);
    if (status) return status;
    status = read_lines(training, settings, path, text, error);
    lb_release(text);
    return status;
}

void app_training_free(app_training *training)
{
    lb_release(training->name);
    lb_release(training->folder);
    lb_strings_free(&training->command);
    lb_release(training->text.text);
    lb_release(training->step);
    lb_release(training->error);
    *training = (app_training){0};
}
