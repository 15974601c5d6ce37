/* One model made of finished ones. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "data/pairs/pairs.h"
#include "io/json.h"
#include "io/path.h"
#include "settings/settings.h"
#include "translate/file/text_model.h"
#include "translate/input/data.h"
#include "translate/join/join_fit.h"
#include "translate/plan/recipe.h"

#include <stdio.h>
#include <string.h>

/* A model as it was opened. */
typedef struct source {
    char *path;
    lb_text_model text;
} source;

typedef struct joining {
    const lb_join_config *config;
    const lb_joined_seeds *seeds; /* NULL: any other models */
    source *sources;              /* [config->count] */
    int opened;
    const source *known; /* the first one with a lexicon; NULL: there is none, or it does not matter */
    lb_ensemble_part part[LB_JOIN_MOST]; /* [result->count] the members, also those of ensembles */
    lb_lock *lock;
    bool locked; /* by the caller */
    lb_training_data data;
    lb_params *params;
    lb_ensemble *ensemble;
    lb_text_model text; /* of the result; rules and vocabularies are those of the first model */
    lb_join_result *result;
    lb_error *error;
} joining;

/* Whether the result has a lexicon of its own, or none. */
static bool decides_lexicon(const joining *j)
{
    return j->config->no_lexicon || (j->config->data && lb_training_has_lexicon(j->config->data));
}

/* Otherwise it has that of the models, of which one or more may have it. */
static lb_status take_lexicon(joining *j, const source *s)
{
    const lb_lexicon *found = &s->text.lexicon;
    if (!found->bytes || decides_lexicon(j)) return LB_OK;
    if (!j->known) j->known = s;
    const lb_lexicon *before = &j->known->text.lexicon;
    if (before->size == found->size && memcmp(before->bytes, found->bytes, found->size) == 0) return LB_OK;
    return lb_error_set(j->error, LB_ERROR_ARGUMENT,
                        "cannot join %s and %s: they have different lexicons, expected one, a new one "
                        "(lexicon), or none (no_lexicon)",
                        j->known->path, s->path);
}

static lb_status add_part(joining *j, lb_ensemble_part part, const char *path)
{
    lb_join_result *r = j->result;
    if (r->count == LB_JOIN_MOST)
        return lb_error_set(j->error, LB_ERROR_ARGUMENT, "cannot join more than %d models", LB_JOIN_MOST);
    lb_join_member *member = &r->member[r->count];
    char label[LB_LABEL];
    snprintf(member->label, sizeof member->label, "%s", lb_model_label(part.model, label));
    snprintf(member->path, sizeof member->path, "%s", path);
    j->part[r->count++] = part;
    return LB_OK;
}

/* The index of the first parameter of a member of an ensemble, member.0, member.1 ..., or of all behind its members. */
static int64_t first_of_member(const lb_params *params, int member)
{
    char name[32];
    const size_t length = (size_t)snprintf(name, sizeof name, "member.%d.", member);
    int64_t first = 0;
    const int64_t count = lb_params_count(params);
    while (first < count && strncmp(lb_params_name(params, first), name, length) != 0) first++;
    return first;
}

/* The members of an ensemble become members themselves. */
static lb_status add_parts(joining *j, const source *s)
{
    const lb_params *params = s->text.params;
    if (!lb_is_ensemble(s->text.model))
        return add_part(j, (lb_ensemble_part){s->text.model, params, 0, lb_params_count(params)}, s->path);
    const lb_ensemble *all = (const lb_ensemble *)s->text.model;
    lb_status status = LB_OK;
    for (int i = 0; i < all->count && !status; i++) {
        const int64_t first = first_of_member(params, i), end = first_of_member(params, i + 1);
        status = add_part(j, (lb_ensemble_part){all->member[i], params, first, end - first}, s->path);
    }
    return status;
}

static lb_status open_source(joining *j, const char *path)
{
    lb_error found = {0};
    source *s = &j->sources[j->opened];
    lb_safetensors *file = lb_model_file_open(path, &s->path, j->error);
    if (!file) return j->error->status;
    j->opened++;
    lb_status status = lb_text_model_load(file, NULL, &s->text, &found);
    lb_safetensors_close(file);
    if (status) return lb_name_file(s->path, &found, j->error);
    status = lb_join_compare(j->sources->path, &j->sources->text, s->path, &s->text, j->error);
    if (!status) status = take_lexicon(j, s);
    if (!status)
        status = lb_model_check_place(s->path, j->config->out, j->sources->text.sorts, "join", "the result",
                                      j->error);
    return status ? status : add_parts(j, s);
}

static lb_status open_all(joining *j)
{
    const lb_join_config *c = j->config;
    if (c->count < 1 || !c->out)
        return lb_error_set(j->error, LB_ERROR_ARGUMENT, "expected models to join, and a folder to write to");
    j->sources = lb_alloc_zero((size_t)c->count * sizeof *j->sources);
    if (!j->sources) return lb_no_memory(j->error, "an ensemble");
    lb_status status = LB_OK;
    for (int i = 0; i < c->count && !status; i++) status = open_source(j, c->models[i]);
    return status;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* One model stays as it is, but for its lexicon. */
static bool has_one(const joining *j)
{
    return j->config->count == 1 && decides_lexicon(j);
}

static lb_status gather(joining *j)
{
    if (!j->sources) return LB_ERROR_MEMORY; /* as open_all has said */
    j->text = j->sources->text;
    if (has_one(j)) return LB_OK;
    j->params = lb_params_new(0);
    if (!j->params) return lb_no_memory(j->error, "an ensemble");
    j->ensemble = lb_ensemble_gather(j->params, j->part, j->result->count, NULL, j->error);
    if (!j->ensemble) return j->error->status ? j->error->status : LB_ERROR_MEMORY;
    j->text.params = j->params;
    j->text.model = &j->ensemble->base;
    for (int i = 1; i < j->opened; i++) {
        const lb_text_model *t = &j->sources[i].text;
        if (t->shortest_source < j->text.shortest_source) j->text.shortest_source = t->shortest_source;
        j->text.longest_source = larger(j->text.longest_source, t->longest_source);
        j->text.longest_target = larger(j->text.longest_target, t->longest_target);
        if (t->task.min_length < j->text.task.min_length) j->text.task.min_length = t->task.min_length;
        j->text.task.max_length = (int32_t)larger(j->text.task.max_length, t->task.max_length);
    }
    return LB_OK;
}

/* The format of pairs for the result. */
static lb_pair_format format_of(const joining *j)
{
    lb_pair_format format = lb_recipe_format(j->config->data);
    format.usual = &j->text.columns;
    format.weight_column = 0;
    format.source = j->text.source_rule;
    format.target = j->text.target_rule;
    return format;
}

static lb_status choose_lexicon(joining *j)
{
    j->text.lexicon = j->known ? j->known->text.lexicon : (lb_lexicon){0};
    if (!decides_lexicon(j) || j->config->no_lexicon) return LB_OK;
    if (j->text.sorts)
        return lb_error_set(j->error, LB_ERROR_ARGUMENT,
                            "lexicon: found a model that sorts lists, expected one of texts");
    lb_status status = lb_training_lexicon_make(j->config->data, &j->text, NULL, &j->data.format,
                                                &j->data.text.lexicon, j->error);
    j->text.lexicon = j->data.text.lexicon;
    return status;
}

/* Whether there are pairs to fit the weights on. */
static bool has_pairs(const lb_training_config *c)
{
    return c && (c->dev || c->train || lb_pair_texts_given(&c->pairs) || lb_pair_texts_given(&c->dev_pairs) ||
                 !(lb_training_has_lexicon(c) || *c->test[0].name));
}

/* The pairs to fit the weights on. */
static lb_status open_pairs(joining *j)
{
    const lb_training_config *c = j->config->data;
    lb_training_data *d = &j->data;
    if (c->dev) d->format.targets = c->dev_targets;
    bool apart = c->dev || lb_pair_texts_given(&c->dev_pairs);
    if (!apart) d->train = lb_training_pairs_find(c->train, &c->pairs, &d->format, c, j->error);
    if (!apart && !d->train) return j->error->status;
    d->dev.pairs = apart ? lb_training_pairs_find(c->dev, &c->dev_pairs, &d->format, c, j->error)
                         : lb_pairs_hold_out(d->train, LB_HELD_OUT, j->error);
    if (!d->dev.pairs) return j->error->status;
    d->dev.pairs->counter = (lb_counter){0};
    d->dev.counter = lb_training_counter(c);
    const char *note = (apart ? d->dev.pairs : d->train)->file.note;
    if (*note) lb_training_tell_text(c, LB_EVENT_NOTE, note);
    return lb_training_sample(c, &d->dev, j->text.target, j->text.model->copies, LB_MEASURED, j->error);
}

/* The counter hears of part `part` of `parts` passes over the pairs. */
static void tell_count(joining *j, const char *unit, int64_t part, int64_t parts)
{
    lb_tested_pairs *dev = &j->data.dev;
    dev->counter.unit = unit;
    dev->counter.before = part * dev->sample.count;
    dev->counter.total = parts * dev->sample.count;
}

/* All of them together. */
static lb_status measure_tests(joining *j)
{
    lb_join_result *r = j->result;
    lb_status status =
        lb_training_tests_open(&j->data, j->config->data, j->text.target, j->text.model->copies, j->error);
    for (int i = 0; i < j->data.tests && !status; i++) {
        status = lb_join_measure(&j->text, j->text.model, &j->data.test[i], &r->test[i], j->error);
        r->test_pairs[i] = lb_pair_sample_judged(&j->data.test[i].sample);
    }
    return status;
}

/* A vote of one has nothing to weigh. */
static lb_status fit(joining *j)
{
    lb_join_result *r = j->result;
    if (has_one(j))
        return lb_error_set(j->error, LB_ERROR_ARGUMENT,
                            "found pairs and one model, whose weights stay as they are, expected no pairs");
    lb_status status = open_pairs(j);
    for (int i = 0; i < r->count && !status; i++) {
        tell_count(j, "pair, each model", i, r->count);
        status = lb_join_measure(&j->text, j->ensemble->member[i], &j->data.dev, &r->member[i].dev, j->error);
    }
    tell_count(j, "pair, weights", 0, 1);
    if (!status && r->count > 1)
        status = lb_join_fit(&j->text, j->ensemble, j->params, &j->data.dev, j->error);
    tell_count(j, "pair, together", 0, 1);
    if (!status) status = lb_join_measure(&j->text, j->text.model, &j->data.dev, &r->dev, j->error);
    r->pairs = lb_pair_sample_judged(&j->data.dev.sample);
    return status;
}

/* As each of the models was measured. */
static lb_status measure_seeds(joining *j)
{
    lb_training_data *d = j->seeds->data;
    lb_training_result *r = j->seeds->result;
    const lb_data_loader loader = {.data = d, .task.seed = j->seeds->config->seed};
    const lb_model *model = j->text.model;
    lb_tape *tape = lb_tape_new();
    if (!tape) return lb_no_memory(j->error, NULL);
    lb_status status = lb_data_loader_measure(&loader, &d->dev, model, tape, NULL, &r->dev);
    for (int i = 0; i < d->tests && !status; i++)
        status = lb_data_loader_measure(&loader, &d->test[i], model, tape, NULL, &r->test[i]);
    if (status) lb_error_set(j->error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

/* Prints one record, {} if there is none. */
static void print_record(lb_buffer *json, const cJSON *record)
{
    if (record)
        lb_json_add(json, NULL, record);
    else
        lb_json_open(json, NULL, "{}");
}

/* Prints the record of a model, or those of its members. The first says what it was chosen by. */
static void print_source(lb_buffer *json, const source *s, lb_join_result *result)
{
    cJSON *record = NULL;
    const char *text = s->text.training;
    const lb_ensemble *all = (const lb_ensemble *)s->text.model;
    if (text && lb_json_parse(text, strlen(text), NULL, &record) == LB_ERROR_MEMORY) json->failed = true;
    const cJSON *members = lb_json_get(record, "members");
    if (!result->choose)
        result->choose =
            lb_criterion_find(cJSON_GetStringValue(lb_settings_recorded(record, "choose")), NULL)->name;
    if (!lb_is_ensemble(s->text.model))
        print_record(json, record);
    else
        for (int i = 0; i < all->count && !json->failed; i++)
            print_record(json, cJSON_GetArrayItem(members, i));
    cJSON_Delete(record);
}

static char *print_records(const joining *j)
{
    lb_buffer json = {0};
    const lb_joined_seeds *seeds = j->seeds;
    const lb_training_config *data = seeds ? seeds->config : j->config->data;
    const lb_evaluation *dev = seeds ? &seeds->result->dev : &j->result->dev;
    lb_json_open(&json, NULL, "{");
    if (seeds || has_pairs(data))
        lb_buffer_print(&json, "\"exact_match\":%.9g,\"symbol_error\":%.9g", dev->exact_match,
                        dev->symbol_error);
    if (data) lb_tests_print(&json, data->test, seeds ? seeds->result->test : j->result->test);
    lb_json_open(&json, "members", "[");
    for (int i = 0; i < j->opened && !json.failed; i++) {
        if (seeds)
            lb_json_open(&json, NULL, j->sources[i].text.training);
        else
            print_source(&json, &j->sources[i], j->result);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static lb_status keep_earlier_model(const joining *j, const char *path)
{
    char *kept = NULL;
    lb_status status = j->config->replace ? LB_OK : lb_set_aside(path, &kept, j->error);
    if (kept) snprintf(j->result->set_aside, sizeof j->result->set_aside, "%s", kept);
    lb_release(kept);
    return status;
}

static lb_status save(joining *j)
{
    lb_status status = lb_folder_make(j->config->out, j->error);
    if (!status && !j->locked) status = lb_lock_folder(j->config->out, &j->lock, j->error);
    if (status) return status;
    const char *own = j->text.training; /* of a model that is still one */
    char *record = print_records(j), *path = lb_model_place(j->config->out, j->text.sorts, j->error);
    j->text.training = has_one(j) ? own : record;
    status = record && path ? keep_earlier_model(j, path) : lb_no_memory(j->error, "an ensemble");
    if (!status) status = lb_text_model_save(path, &j->text, j->error);
    lb_release(record);
    lb_release(path);
    return status;
}

static lb_status join(joining *j)
{
    lb_status status = open_all(j);
    if (!status) status = gather(j);
    if (!status && j->config->data) j->data.format = format_of(j);
    if (!status) status = choose_lexicon(j);
    if (!status && has_pairs(j->config->data)) status = fit(j);
    if (!status && j->config->data) status = measure_tests(j);
    if (!status && j->seeds) status = measure_seeds(j);
    const lb_ensemble *all = (const lb_ensemble *)j->text.model;
    for (int i = 0; i < j->result->count && !status; i++)
        j->result->member[i].weight = lb_is_ensemble(&all->base) ? lb_ensemble_weight(all, i) : 1;
    j->result->lexicon = j->text.lexicon.entries;
    return status ? status : save(j);
}

lb_status lb_join_models(const lb_join_config *config, const lb_joined_seeds *seeds, bool locked,
                         lb_join_result *result, lb_error *error)
{
    lb_error found = {0};
    lb_join_result *room = lb_alloc_zero(sizeof *room);
    if (!room) return lb_no_memory(error, "an ensemble");
    joining j = {.config = config, .seeds = seeds, .locked = locked, .result = room, .error = &found};
    lb_status status = join(&j);
    if (result) *result = *room;
    lb_release(room);
    for (int i = 0; i < j.opened; i++) {
        lb_text_model_free(&j.sources[i].text);
        lb_release(j.sources[i].path);
    }
    lb_release(j.sources);
    lb_training_data_close(&j.data);
    lb_params_free(j.params);
    lb_lock_free(j.lock);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_translator_join(lb_join_config config, lb_join_result *result, lb_error *error)
{
    return lb_join_models(&config, NULL, false, result, error);
}
