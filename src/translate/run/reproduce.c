/* Trains a model again as its record says, and compares each evaluation with that of the record. */
#include "base/alloc.h"
#include "base/instruction_set.h"
#include "io/json.h"
#include "settings/settings.h"
#include "translate/apply/translator.h"
#include "translate/run/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One model, or a member of a vote. */
typedef struct proof {
    const lb_training_config *data; /* of the caller */
    int64_t steps;                  /* that are compared; 0: all */
    const cJSON *record, *made;
    lb_training_config config;
    lb_stepper *stepper;
    int at; /* of the history: what is compared next */
    bool ended;
    lb_reproduction *found;
} proof;

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = lb_json_text(object, name);
    return text ? text : "";
}

static bool is_same(const cJSON *a, const cJSON *b, const char *name)
{
    return cJSON_Compare(lb_json_get(a, name), lb_json_get(b, name), true);
}

/* The evaluation of the weights that are in the file; NULL: there is none. */
static const cJSON *kept_line(const cJSON *record)
{
    const cJSON *history = lb_json_get(record, "history"), *line = history ? history->child : NULL;
    while (line && !cJSON_Compare(lb_json_get(line, "step"), lb_json_get(record, "best_step"), true))
        line = line->next;
    return line;
}

/* ---- The record as a configuration. ---- */

/* Why a training cannot be repeated; NULL: it can. (Versions before 0.3.0 kept no hashes, and had other sums.) */
static const char *find_obstacle(const cJSON *record, const lb_model *model)
{
    const cJSON *options = lb_json_get(record, "options"),
                *run = lb_json_get(lb_json_get(record, "made"), "run");
    if (!run) return "has no record of how it was made";
    if (!kept_line(record)) return "has no record of the evaluation of its weights";
    if (!model || !lb_model_fields(model->kind->name)) return "is of a kind that a program has added";
    if (*text_of(options, "teacher")) return "learned from a teacher, whose outputs no record has";
    if (*text_of(options, "from") || lb_json_get(run, "from"))
        return "started from another model, which no record has";
    if (lb_json_member(options, "minutes", 0) > 0)
        return "was fitted into minutes, which depend on the machine";
    return NULL;
}

/* What options leave open is as it was in force, whatever the recipe of this version would choose. */
static lb_status configure(proof *p, const lb_text_model *text, const lb_model *model, lb_error *error)
{
    lb_training_config *c = &p->config;
    const cJSON *run = lb_json_get(p->made, "run");
    *c = *p->data;
    c->out = NULL;
    c->setting = NULL;
    lb_settings_read(c, lb_json_get(p->record, "options"), LB_SETTINGS_LISTS);
    lb_settings_read(c, lb_json_get(p->record, "settings"), LB_SETTINGS_IN_FORCE);
    lb_settings_read(c, run, LB_SETTINGS_IDENTITY);
    c->model = model->kind->name;
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    lb_settings_from_model(c, lb_model_fields(c->model),
                           seq2seq ? (const void *)&seq2seq->config : &lb_transformer_of(model)->config);
    if (lb_pair_texts_given(&c->pairs)) c->train = NULL;
    if (lb_pair_texts_given(&c->dev_pairs)) c->dev = NULL;
    c->seed = strtoull(text_of(run, "seed"), NULL, 10);
    c->epochs = 0;
    if (text->sorts) c->sort = &text->task;
    return lb_settings_fit_kind(c, c, false, error); /* a vote has options of other kinds */
}

/* ---- Reasons. ---- */

static void add_reason(proof *p, const char *kind, const char *text)
{
    char *why = p->found->why;
    const size_t used = strlen(why);
    snprintf(why + used, LB_MESSAGE_LENGTH - used, "%s%s: %s", used ? "; " : "", kind, text);
}

/* Other pairs and options, as those who resume a training hear of them; other programs and processors; or what remains.
 * `here` is the record of this training. */
static void explain(proof *p, const cJSON *here, const cJSON *ours, const cJSON *theirs)
{
    lb_error other = {0};
    char text[LB_MESSAGE_LENGTH], *run = lb_json_print(lb_json_get(p->made, "run"));
    if (run && lb_run_identity_check(p->stepper, run, &other))
        add_reason(p, "data or options", other.message);
    cJSON_free(run);
    for (const cJSON *fact = lb_json_get(here, "made")->child; fact; fact = fact->next) {
        const char *value = text_of(p->made, fact->string);
        if (!*value || !cJSON_IsString(fact) || strcmp(value, fact->valuestring) == 0) continue;
        snprintf(text, sizeof text, "it was made with %.60s, here is %s", value, fact->valuestring);
        add_reason(p, fact->string, text);
    }
    if (*p->found->why) return;
    if (!is_same(ours, theirs, "lr"))
        add_reason(p, "steps", "the learning rate is another one, as after it was resumed with more steps");
    else if (is_same(ours, theirs, "weights"))
        add_reason(p, "record", "the weights are the same, so this line of it, or the file, was changed");
    else
        add_reason(p, "arithmetic",
                   "all that its record says is the same here: compiler, libm or processor "
                   "compute otherwise, or this line was changed");
}

/* ---- Evaluations. ---- */

/* The first value of the record that this evaluation does not have; NULL: there is none. The weights come first: what
 * follows from them says less. */
static const cJSON *find_difference(const cJSON *ours, const cJSON *theirs)
{
    const cJSON *value, *weights = lb_json_get(theirs, "weights");
    if (cJSON_IsString(weights) && !is_same(ours, theirs, "weights")) return weights;
    cJSON_ArrayForEach(value, theirs) if (!cJSON_IsNull(value) &&
                                          !is_same(ours, theirs, value->string)) return value;
    return NULL;
}

static void note_difference(proof *p, const char *what, const cJSON *found, const cJSON *expected)
{
    char *is = lb_json_print(found), *was = lb_json_print(expected);
    p->found->same = false;
    snprintf(p->found->what, sizeof p->found->what, "%.80s: found %.60s, expected %.60s", what, is ? is : "?",
             was ? was : "?");
    cJSON_free(is);
    cJSON_free(was);
}

static lb_status compare_point(proof *p, const lb_train_history *history, lb_error *error)
{
    const cJSON *all = lb_json_get(p->record, "history"), *theirs = cJSON_GetArrayItem(all, p->at),
                *next = cJSON_GetArrayItem(all, p->at + 1);
    cJSON *here = NULL;
    char *text = lb_stepper_record(p->stepper, lb_train_last(history));
    if (!text || lb_json_parse(text, strlen(text), NULL, &here)) here = NULL;
    lb_release(text);
    if (!here) return lb_no_memory(error, "an evaluation");
    const cJSON *ours = cJSON_GetArrayItem(lb_json_get(here, "history"), p->at++),
                *other = find_difference(ours, theirs);
    p->found->step = lb_train_last(history)->step;
    p->found->evaluations += !other;
    if (other) {
        note_difference(p, other->string, lb_json_get(ours, other->string), other);
        explain(p, here, ours, theirs);
    }
    cJSON_Delete(here);
    p->ended =
        !p->found->same || !next || (p->steps > 0 && lb_json_member(next, "step", 0) > (double)p->steps);
    return LB_OK;
}

static lb_status hear(void *proof_of, const lb_event *event, lb_error *error)
{
    proof *p = proof_of;
    lb_status status = event->kind == LB_EVENT_POINT ? compare_point(p, event->history, error) : LB_OK;
    return status || !p->data->tell ? status : p->data->tell(p->data->context, event, error);
}

static bool shall_stop(void *proof_of)
{
    const proof *p = proof_of;
    return p->data->stop && p->data->stop(p->data->context);
}

/* Whether the weights in the file are those of its record. */
static bool has_its_weights(proof *p, const lb_params *params, const char *prefix)
{
    char hash[24];
    const cJSON file = {.type = cJSON_String, .valuestring = hash}, *line = kept_line(p->record);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)lb_params_hash(params, prefix));
    if (cJSON_Compare(&file, lb_json_get(line, "weights"), true)) return true;
    p->found->step = (int64_t)lb_json_member(line, "step", 0);
    note_difference(p, "weights of the file", &file, lb_json_get(line, "weights"));
    add_reason(p, "file", "its weights, or this line of its record, were changed");
    return false;
}

/* ---- One model after the other. ---- */

static lb_status train(proof *p, lb_error *error)
{
    double loss;
    lb_error found = {0};
    p->config.context = p;
    p->config.tell = hear;
    p->config.stop = shall_stop;
    p->stepper = lb_stepper_new(p->config, &found);
    lb_status status = found.status;
    while (!status && !p->ended && !lb_stepper_about(p->stepper).done)
        status = lb_stepper_step(p->stepper, &loss, &found);
    lb_stepper_free(p->stepper);
    if (status) return lb_error_set(error, status, "%s", found.message);
    if (p->ended) return LB_OK;
    p->found->same = false;
    snprintf(p->found->what, sizeof p->found->what, "end: found here, expected further evaluations");
    add_reason(p, "options", "it was resumed, with more steps or another end");
    return LB_OK;
}

/* Computes with the instruction set of the record, if this processor has it, and nobody asks for another one. */
static lb_status reproduce(proof *p, const lb_translator *t, const lb_model *model, lb_error *error)
{
    const char *asked = getenv(LB_SET_VARIABLE), *theirs = text_of(p->made, "instruction_set"),
               *kernel = text_of(p->made, "kernel");
    const int before = (int)lb_instruction_set_here(), set = (int)lb_instruction_set_find(theirs);
    snprintf(p->found->made, sizeof p->found->made, "%.30s, %.30s%s%.50s", text_of(p->made, "version"),
             theirs, *kernel ? ", " : "", kernel);
    if (set != LB_SET_WIDEST && !(asked && *asked)) atomic_store(&lb_instruction_set_in_force, set);
    lb_status status = configure(p, &t->model, model, error);
    if (!status) status = train(p, error);
    atomic_store(&lb_instruction_set_in_force, before);
    return status;
}

/* The record of a member of a vote, or that of the one model. */
static const cJSON *record_of(const cJSON *record, const lb_ensemble *vote, int i)
{
    return vote ? cJSON_GetArrayItem(lb_json_get(record, "members"), i) : record;
}

static lb_status reproduce_all(const lb_translator *t, proof p, const cJSON *record, lb_error *error)
{
    char prefix[32] = "";
    const lb_model *model = t->model.model;
    const lb_ensemble *vote = lb_is_ensemble(model) ? (const lb_ensemble *)model : NULL;
    const int64_t count = vote ? vote->count : 1;
    lb_status status = LB_OK;
    for (int i = 0; i < count && !status; i++) {
        const char *why = find_obstacle(record_of(record, vote, i), vote ? vote->member[i] : model);
        snprintf(prefix, sizeof prefix, vote ? "member %d" : "it", i + 1);
        if (why) status = lb_error_set(error, LB_ERROR_FORMAT, "%s: %s %s", t->path, prefix, why);
    }
    p.found->members = vote ? count : 0;
    *prefix = '\0';
    for (int i = 0; i < count && !status && p.found->same; i++) {
        if (vote) snprintf(prefix, sizeof prefix, "member.%d.", i);
        p.found->member = vote ? i + 1 : 0;
        p.record = record_of(record, vote, i);
        p.made = lb_json_get(p.record, "made");
        p.at = 0;
        p.ended = false;
        if (has_its_weights(&p, t->model.params, prefix))
            status = reproduce(&p, t, vote ? vote->member[i] : model, error);
    }
    return status;
}

lb_status lb_translator_reproduce(const lb_translator *t, const lb_training_config *data, int64_t steps,
                                  lb_reproduction *found, lb_error *error)
{
    static const lb_training_config none;
    cJSON *record = NULL;
    const char *text = t->model.training ? t->model.training : "";
    *found = (lb_reproduction){.same = true};
    if (lb_json_parse(text, strlen(text), NULL, &record) == LB_ERROR_MEMORY)
        return lb_no_memory(error, "the record of a training");
    const proof p = {.data = data ? data : &none, .steps = steps, .found = found};
    lb_status status = reproduce_all(t, p, record, error);
    cJSON_Delete(record);
    return status;
}
