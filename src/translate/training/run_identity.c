#include "translate/training/run_identity.h"

#include "base/alloc.h"
#include "base/json_text.h"
#include "data/pairs.h"
#include "io/file.h"
#include "io/json.h"
#include "io/own_file.h"
#include "lookback/io.h"
#include "models/file/model_formats.h"
#include "models/seq2seq.h"
#include "train/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 9 };

static void print_data(lb_buffer *json, const lb_training_config *c)
{
    if (c->sort) return;
    lb_json_whole(json, "source_column", c->source_column);
    lb_json_whole(json, "target_column", c->target_column);
    lb_json_string(json, "normalize", c->normalize);
    lb_json_string(json, "source_separator", c->source_separator ? c->source_separator : "");
    lb_json_string(json, "target_separator", c->target_separator ? c->target_separator : "");
    if (strcmp(c->symbols, lb_symbol_kind_names[false]) != 0) lb_json_string(json, "symbols", c->symbols);
}

char *lb_run_identity(const lb_training *t, const lb_trainer_config *trainer)
{
    lb_buffer json = {0};
    const lb_training_config *c = t->config;
    char *model = lb_model_config_json(t->model);
    lb_json_open(&json, NULL, "{");
    if (c->from) lb_buffer_print(&json, "\"from\":\"%016llx\"", (unsigned long long)t->start->hash);
    if (c->freeze && *c->freeze) lb_json_string(&json, "freeze", c->freeze);
    if (t->model->from_end) lb_json_string(&json, "direction", "backward");
    lb_producer_print(&t->producer, &json);
    print_data(&json, c);
    lb_json_whole(&json, "steps", t->run.steps);
    lb_json_whole(&json, "evaluate_every", c->evaluate_every);
    lb_json_number(&json, "lr", c->lr, DIGITS);
    lb_json_whole(&json, "warm_up", trainer->schedule.warm_up);
    lb_json_number(&json, "label_smoothing", t->smoothing, DIGITS);
    lb_json_number(&json, "scheduled_sampling", fmax(c->scheduled_sampling, 0), DIGITS);
    lb_buffer_print(&json, ",\"seed\":\"%llu\"", (unsigned long long)t->seed);
    lb_json_number(&json, "average", trainer->average, DIGITS);
    if (c->hallucinate > 0) lb_json_number(&json, "hallucinate", c->hallucinate, DIGITS);
    if (c->any_target) lb_json_bool(&json, "any_target", true);
    if (c->no_hold_out) lb_json_bool(&json, "hold_out", false);
    if (t->shards > 1) lb_json_whole(&json, "shards", t->shards);
    lb_json_string(&json, "kind", t->model->kind->name);
    lb_buffer_print(&json, ",\"model\":%s}", model ? model : "");
    json.failed = json.failed || !model;
    lb_release(model);
    return lb_buffer_end(&json);
}

static int number_of(const cJSON *json, const char *name, int otherwise)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(json, name);
    return cJSON_IsNumber(number) ? number->valueint : otherwise;
}

static lb_run_facts facts_of(const char *run, lb_status *status)
{
    cJSON *json = NULL;
    *status = lb_json_parse(run, strlen(run), NULL, &json);
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(json, "model");
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
    return found.status == LB_ERROR_MEMORY ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory") : LB_OK;
}

/* Written only by runs that have them. */
static bool is_optional(const char *name)
{
    return strcmp(name, "freeze") == 0 || strcmp(name, "direction") == 0 ||
           strcmp(name, "feature_positions") == 0 || strcmp(name, "copy") == 0 ||
           strcmp(name, "hallucinate") == 0 || strcmp(name, "shards") == 0 || strcmp(name, "hold_out") == 0 ||
           strcmp(name, "any_target") == 0;
}

/* Checkpoints from older versions lack some settings; these are assumed to be unchanged. */
static void forget_unwritten(lb_run_differences *d)
{
    int kept = 0;
    for (int i = 0; i < d->count; i++)
        if (*d->list[i].found || is_optional(d->list[i].name)) d->list[kept++] = d->list[i];
    d->count = kept;
}

static void forget_all(lb_run_differences *d, const char *const *names)
{
    for (; *names; names++) lb_run_forget(d, *names);
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
    static const char *const reading[] = {"source_column",    "target_column",    "normalize",
                                          "source_separator", "target_separator", NULL};
    static const char *const derived[] = {"batches", "source_vocab", "target_vocab", NULL};
    bool train = lb_run_forget(d, "train"), dev = lb_run_forget(d, "dev");
    bool hold_out = lb_run_forget(d, "hold_out");
    if (train || lb_run_find(d, "min_count") || lb_run_find(d, "batch")) forget_all(d, derived);
    if (has_any(d, reading)) return;
    if (hold_out)
        snprintf(text, size, "it was evaluated on %s",
                 c->no_hold_out ? "pairs that it was not trained on" : "the pairs that it was trained on");
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

/* For models of different kinds, only the kind is reported: their settings cannot be compared. Checkpoints from older
 * versions have 4 heads of an attention that has one. */
static void judge_model(const lb_training *t, lb_run_differences *d)
{
    static const char *const of_kinds[] = {"embed",     "hidden",     "layers",       "bidirectional",
                                           "attention", "heads",      "width",        "attention_weights",
                                           "loss",      "tied",       "feed_forward", "post_norm",
                                           "positions", "max_length", "dropout",      "cell",
                                           "kv_heads",  "softcap",    "window",       "copy",
                                           NULL};
    if (lb_run_find(d, "kind")) forget_all(d, of_kinds);
    bool one_head = t->model->kind == &lb_seq2seq_kind && t->config->attention != LB_ATTENTION_MULTI_HEAD;
    if (one_head || lb_run_find(d, "attention")) lb_run_forget(d, "heads");
    rename_to_setting(d, "kind", "model");
    rename_to_setting(d, "width", "hidden");
}

lb_status lb_run_identity_check(const lb_training *t, const lb_trainer_config *trainer, const char *found,
                                const char *ours, lb_error *error)
{
    enum { MOST = LB_MESSAGE_LENGTH / 2 - 2 };
    char words[LB_MESSAGE_LENGTH] = "", start[LB_MESSAGE_LENGTH] = "", pairs[LB_MESSAGE_LENGTH] = "";
    lb_run_differences d;
    lb_status status = lb_run_compare(found, ours, &d, error);
    if (status) return status;
    /* Old checkpoints have the number of batches instead of their size. */
    if (strstr(found, "\"batch\":")) lb_run_forget(&d, "batches");
    judge_model(t, &d);
    judge_start(t->config, &d, start, sizeof start);
    forget_unwritten(&d);
    judge_pairs(t->config, &d, pairs, sizeof pairs);
    snprintf(words, sizeof words, "%.*s%s%.*s", MOST, start, *start && *pairs ? "; " : "", MOST, pairs);
    return lb_run_refuse(trainer, words, &d, error);
}
