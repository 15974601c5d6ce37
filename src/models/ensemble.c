#include "models/ensemble.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "lookback/op.h"
#include "models/extensions.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LENGTH = 32 };

static const lb_ensemble *ensemble_of(const lb_model *model)
{
    return (const lb_ensemble *)model;
}

/* States of an ensemble are those of its members. */
static lb_decoder_state *new_states(lb_tape *tape, const lb_ensemble *e)
{
    return lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_decoder_state));
}

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    const lb_ensemble *e = ensemble_of(model);
    lb_decoder_state *states = new_states(source.tape, e);
    for (int i = 0; states && i < e->count; i++) states[i] = e->member[i]->kind->encode(e->member[i], source);
    return states;
}

static lb_tensor *mean(lb_tensor *const *parts, int count)
{
    lb_tensor *sum = parts[0];
    for (int i = 1; i < count; i++) sum = lb_add(sum, parts[i]);
    return count > 1 ? lb_scale(sum, 1 / (lb_real)count) : sum;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const lb_ensemble *e = ensemble_of(model);
    lb_tape *tape = target_in.tape;
    const lb_decoder_state *before = from;
    lb_decoder_state *after = new_states(tape, e);
    lb_tensor **logits = lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_tensor *));
    lb_tensor **weights = lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_tensor *));
    if (!before || !after || !logits || !weights)
        return (lb_model_step){.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory")};
    for (int i = 0; i < e->count; i++) {
        lb_model_step step = e->member[i]->kind->decode(e->member[i], before[i], target_in);
        logits[i] = lb_log_softmax(step.logits);
        weights[i] = step.weights;
        after[i] = step.state;
    }
    bool attends = e->base.heads > 0 && lb_tape_status(tape) == LB_OK;
    return (lb_model_step){mean(logits, e->count), attends ? mean(weights, e->count) : NULL, after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const lb_ensemble *e = ensemble_of(model);
    const lb_decoder_state *before = from;
    lb_decoder_state *after = new_states(tape, e);
    for (int i = 0; after && i < e->count; i++)
        after[i] = e->member[i]->kind->select(e->member[i], tape, before[i], row, count);
    return after;
}

static char *config_json(const lb_model *model)
{
    const lb_ensemble *e = ensemble_of(model);
    lb_buffer json = {0};
    for (int i = 0; i < e->count; i++) {
        char *config = e->member[i]->kind->config_json(e->member[i]);
        lb_buffer_print(&json, "%s{\"kind\":", i ? "," : "{\"members\":[");
        lb_buffer_json_string(&json, e->member[i]->kind->name);
        lb_buffer_print(&json, ",\"config\":%s}", config ? config : "");
        json.failed = json.failed || !config;
        lb_release(config);
    }
    lb_buffer_print(&json, "]}");
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

/* The model of one entry of "members"; NULL, with the reason, if it makes none. */
static lb_model *restore_member(lb_params *params, const char *name, const cJSON *json,
                                const lb_extensions *own, lb_error *error)
{
    const char *called = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "kind"));
    if (!called) return lb_config_fail(params, error);
    const lb_model_kind *kind = lb_model_kind_find(called, own, error);
    if (!kind) return NULL;
    char *config = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(json, "config"));
    if (!config) return lb_config_fail(params, error);
    lb_model *model = kind->restore(params, name, config, own, error);
    cJSON_free(config);
    return model;
}

static lb_model *restore_members(lb_params *params, const char *name, const cJSON *members,
                                 const lb_extensions *own, lb_error *error)
{
    int count = cJSON_IsArray(members) ? cJSON_GetArraySize(members) : 0;
    if (count == 0) return lb_config_fail(params, error);
    lb_ensemble *ensemble = lb_params_alloc(params, sizeof *ensemble);
    const lb_model **member = lb_params_alloc(params, (size_t)count * sizeof *member);
    if (!ensemble || !member) return lb_config_fail(params, error);
    for (int i = 0; i < count; i++) {
        char inner[NAME_LENGTH];
        snprintf(inner, sizeof inner, "member.%d", i);
        member[i] = restore_member(params, lb_params_scope(params, name, inner),
                                   cJSON_GetArrayItem(members, i), own, error);
        if (!member[i]) return NULL;
    }
    if (lb_ensemble_init(ensemble, member, count, NULL)) return lb_config_fail(params, error);
    return &ensemble->base;
}

static lb_model *restore(lb_params *params, const char *name, const char *config, const lb_extensions *own,
                         lb_error *error)
{
    cJSON *json = cJSON_Parse(config);
    lb_model *model =
        restore_members(params, name, cJSON_GetObjectItemCaseSensitive(json, "members"), own, error);
    cJSON_Delete(json);
    return model;
}

const lb_model_kind lb_ensemble_kind = {
    .name = "ensemble",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
    .config_json = config_json,
    .restore = restore,
};

/* What the members hold while they decode, and what averaging adds. */
static void add_sizes(lb_model *base, const lb_model *member)
{
    if (member->layers != base->layers || member->heads != base->heads) base->layers = base->heads = 0;
    base->step_reals += member->step_reals + 3 * member->target_vocab;
    base->state_reals += member->state_reals + 2 * member->layers * member->heads;
}

lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int count, lb_error *error)
{
    if (count < 1) return lb_error_set(error, LB_ERROR_ARGUMENT, "an ensemble of %d models", count);
    lb_model base = {.kind = &lb_ensemble_kind,
                     .source_vocab = members[0]->source_vocab,
                     .target_vocab = members[0]->target_vocab,
                     .layers = members[0]->layers,
                     .heads = members[0]->heads};
    for (int i = 0; i < count; i++) {
        const lb_model *m = members[i];
        if (m->source_vocab != base.source_vocab || m->target_vocab != base.target_vocab)
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "an ensemble of different vocabularies: model 0 has %lld and %lld symbols, "
                                "model %d has %lld and %lld",
                                (long long)base.source_vocab, (long long)base.target_vocab, i,
                                (long long)m->source_vocab, (long long)m->target_vocab);
        add_sizes(&base, m);
    }
    *ensemble = (lb_ensemble){.base = base, .member = members, .count = count};
    return LB_OK;
}

/* Copies the values of all parameters of `from` to those of `to` from number `first` on, which were made by the same
 * configuration and so are the same ones in the same order. */
static lb_status copy_values(const lb_params *to, int first, const lb_params *from, lb_error *error)
{
    int count = lb_params_count(to) - first;
    if (lb_params_count(from) != count)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "a model of %d parameters, and a store of %d", count,
                            lb_params_count(from));
    for (int i = 0; i < count; i++) {
        const lb_tensor *source = lb_params_tensor(from, i), *copy = lb_params_tensor(to, first + i);
        if (!lb_shape_equal(source->shape, copy->shape))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s is no parameter of its model",
                                lb_params_name(from, i));
        memcpy(copy->data, source->data, (size_t)lb_count(source) * sizeof *source->data);
    }
    return LB_OK;
}

/* A model like `member`, with its parameters in `params` below "member.INDEX". */
static lb_model *copy_member(lb_params *params, int index, const lb_model *member, const lb_params *store,
                             const lb_extensions *own, lb_error *error)
{
    char name[NAME_LENGTH];
    snprintf(name, sizeof name, "member.%d", index);
    char *config = member->kind->config_json(member);
    if (!config) {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an ensemble");
        return NULL;
    }
    int first = lb_params_count(params);
    lb_model *copy = member->kind->restore(params, name, config, own, error);
    lb_release(config);
    return copy && copy_values(params, first, store, error) == LB_OK ? copy : NULL;
}

lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_model *const *members,
                                const lb_params *const *stores, int count, const lb_extensions *own,
                                lb_error *error)
{
    lb_ensemble *ensemble = lb_params_alloc(params, sizeof *ensemble);
    const lb_model **copies = lb_params_alloc(params, (size_t)(count > 0 ? count : 1) * sizeof *copies);
    if (!ensemble || !copies) {
        lb_config_fail(params, error);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        copies[i] = copy_member(params, i, members[i], stores[i], own, error);
        if (!copies[i]) return NULL;
    }
    return lb_ensemble_init(ensemble, copies, count, error) ? NULL : ensemble;
}
