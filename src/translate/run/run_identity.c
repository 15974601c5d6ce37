/* What a run is: the settings that decide its weights, kept in the checkpoint and compared before it is resumed. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/file.h"
#include "io/json.h"
#include "io/path.h"
#include "io/run_differences.h"
#include "lookback/io.h"
#include "settings/settings.h"

#include <stdio.h>
#include <string.h>

/* The pairs go between some of the settings. */
enum { BEFORE_PAIRS = 2, OF_PAIRS = 4 };

char *lb_run_identity(const lb_stepper *s)
{
    lb_buffer json = {0};
    lb_training_config c = lb_stepper_in_force(s);
    if (c.shards == 1) c.shards = 0;
    char *model = lb_model_settings(s->model);
    lb_json_open(&json, NULL, "{");
    if (c.from) lb_buffer_print(&json, "\"from\":\"%016llx\"", (unsigned long long)s->start->hash);
    lb_settings_print(&json, &c, LB_SETTINGS_IDENTITY, 1, BEFORE_PAIRS);
    lb_data_loader_print(&s->loader, c.test, &json);
    lb_settings_print(&json, &c, LB_SETTINGS_IDENTITY, BEFORE_PAIRS + 1, OF_PAIRS);
    if (!c.sort) lb_json_whole(&json, "batches", lb_pair_order_batches(s->loader.order));
    lb_settings_print(&json, &c, LB_SETTINGS_IDENTITY, OF_PAIRS + 1, LB_SETTINGS_END);
    lb_json_string(&json, "kind", s->model->kind->name);
    lb_buffer_print(&json, ",\"model\":%s}", model ? model : "");
    json.failed = json.failed || !model;
    lb_release(model);
    return lb_buffer_end(&json);
}

static int number_of(const cJSON *json, const char *name, int otherwise)
{
    const cJSON *number = lb_json_get(json, name);
    return cJSON_IsNumber(number) ? number->valueint : otherwise;
}

static lb_run_facts facts_of(const char *run, lb_status *status)
{
    cJSON *json = NULL;
    *status = lb_json_parse(run, strlen(run), NULL, &json);
    const cJSON *model = lb_json_get(json, "model");
    lb_run_facts facts = {.shards = number_of(json, "shards", 1),
                          .steps = number_of(json, "steps", 0),
                          .embed = number_of(model, "embed", 0),
                          .hidden = number_of(model, "hidden", number_of(model, "width", 0))};
    cJSON_Delete(json);
    return facts;
}

lb_status lb_run_identity_facts(const char *checkpoint, lb_run_facts *facts, lb_error *error)
{
    lb_error found = {0};
    *facts = (lb_run_facts){0};
    if (lb_file_is_missing(checkpoint)) return LB_OK;
    if (lb_own_check_content(checkpoint, error)) return LB_ERROR_OPEN;
    lb_safetensors *file = lb_safetensors_open(checkpoint, &found);
    const char *run = file ? lb_safetensors_metadata_value(file, LB_RUN_KEY) : NULL;
    if (run) *facts = facts_of(run, &found.status);
    lb_safetensors_close(file);
    return found.status == LB_ERROR_MEMORY ? lb_no_memory(error, NULL) : LB_OK;
}

static bool has_any(lb_run_differences *d, const char *const *names)
{
    for (; *names; names++)
        if (lb_run_find(d, *names)) return true;
    return false;
}

static void rename_to_setting(lb_run_differences *d, const char *member, const char *setting)
{
    lb_run_difference *found = lb_run_find(d, member);
    if (found) snprintf(found->name, sizeof found->name, "%s", setting);
}

/* Different pairs have a different hash. The cause is the file, or the settings for reading lines, which are reported
 * on their own. */
static void judge_pairs(const lb_training_config *c, lb_run_differences *d, char *text, size_t size)
{
    static const char *const reading[] = {"source_column",    "target_column",     "normalize",
                                          "source_separator", "target_separator",  "symbols",
                                          "subwords",         "separate_subwords", NULL};
    static const char *const cutting[] = {"subwords", "separate_subwords", "min_count", "batch", NULL};
    bool train = lb_run_forget(d, "train"), dev = lb_run_forget(d, "dev");
    const lb_run_difference *judged = lb_run_find(d, "hold_out");
    const bool hold_out = judged, whole = hold_out && *judged->ours;
    lb_run_forget(d, "hold_out");
    const lb_run_difference *merged = lb_run_find(d, "merged");
    const bool merge = merged, now = merge && *merged->ours;
    lb_run_forget(d, "merged");
    if (train || has_any(d, cutting)) {
        lb_run_forget(d, "source_vocab");
        lb_run_forget(d, "target_vocab");
    }
    if (has_any(d, reading)) return;
    if (hold_out)
        snprintf(text, size, "it was evaluated on %s",
                 whole ? "pairs that it was not trained on" : "the pairs that it was trained on");
    else if (train)
        snprintf(text, size,
                 c->train ? "it was trained on other pairs (%s has changed, or is a different file)"
                          : "it was trained on other pairs%s",
                 c->train ? lb_pair_file_name(c->train) : "");
    else if (dev)
        snprintf(text, size, "it was evaluated on other pairs (%s%s)", c->dev ? c->dev : "now held out from ",
                 c->dev     ? " has changed, or is a different file"
                 : c->train ? lb_pair_file_name(c->train)
                            : "those in memory");
    else if (merge)
        snprintf(text, size, "it was trained %s",
                 now ? "on each of several equal pairs" : "once on equal pairs");
}

/* The model to start from is identified by a hash. */
static void judge_start(const lb_training_config *c, lb_run_differences *d, char *text, size_t size)
{
    const lb_run_difference *from = lb_run_find(d, "from");
    if (!from) return;
    if (!*from->found)
        snprintf(text, size, "it did not start from a trained model");
    else if (!*from->ours)
        snprintf(text, size, "it started from a trained model");
    else
        snprintf(text, size, "it started from another model (%s has changed, or is a different one)",
                 c->from);
    lb_run_forget(d, "from");
}

/* For models of different kinds, only the kind is reported: their settings cannot be compared. */
static void judge_model(lb_run_differences *d)
{
    static const char *const kinds[] = {LB_MODEL_SEQ2SEQ, LB_MODEL_TRANSFORMER};
    for (size_t i = 0; i < 2 && lb_run_find(d, "kind"); i++)
        for (const lb_config_field *field = lb_model_fields(kinds[i]); field->key; field++)
            lb_run_forget(d, field->key);
    if (lb_run_find(d, "attention")) lb_run_forget(d, "heads");
    rename_to_setting(d, "kind", "model");
    rename_to_setting(d, "width", "hidden");
}

lb_status lb_run_identity_check(void *stepper, const char *found, lb_error *error)
{
    const lb_stepper *s = stepper;
    enum { MOST = LB_MESSAGE_LENGTH / 2 - 32 };
    char words[LB_MESSAGE_LENGTH] = "", start[LB_MESSAGE_LENGTH] = "", pairs[LB_MESSAGE_LENGTH] = "";
    lb_run_differences d;
    lb_status status = lb_run_compare(found, s->loop.run, &d, error);
    if (status) return status;
    lb_run_forget(&d, "batches"); /* they follow from the pairs and their number in a batch */
    judge_model(&d);
    judge_start(s->config, &d, start, sizeof start);
    judge_pairs(s->config, &d, pairs, sizeof pairs);
    /* The points of other tests could not stand in one log. */
    const char *tests = lb_run_forget(&d, "test") ? "it has other tests, or other pairs in one of them" : "";
    snprintf(words, sizeof words, "%.*s%s%.*s%s%s", MOST, start, *start && *pairs ? "; " : "", MOST, pairs,
             *tests && (*start || *pairs) ? "; " : "", tests);
    return lb_run_refuse(&(lb_run_words){s->loop.setting, s->loop.context}, words, &d, error);
}
