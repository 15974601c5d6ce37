/* The kinds of models in files: their names, the format of their configurations, and ensembles of them. */
#include "models/file/model_formats.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/json.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "models/ensemble/ensemble.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

lb_model *lb_config_fail(const lb_params *params, lb_error *error)
{
    enum { SOME_BYTES = 4096 };
    lb_status status = lb_params_status(params);
    if (!status && !lb_json_has_memory(SOME_BYTES)) return lb_null(lb_no_memory(error, "a model"));
    return lb_null(lb_error_set(error, status ? status : LB_ERROR_FORMAT, "%s",
                                status ? lb_params_error(params) : "invalid model configuration"));
}

/* ---- lb_seq2seq. ---- */

#define FIELD(name) #name, offsetof(lb_seq2seq_config, name)

static const lb_config_field seq2seq_fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(embed), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(hidden), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(bidirectional), LB_CONFIG_FLAG, false, NULL},
    {FIELD(attention), LB_CONFIG_CHOICE, LB_CONFIG_NEEDED, lb_attention_names},
    {FIELD(heads), LB_CONFIG_SIZE, 1, NULL},
    {FIELD(attention_weights), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_normalizer_names},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {"loss", offsetof(lb_seq2seq_config, output), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_loss_names},
    {FIELD(cell), LB_CONFIG_CHOICE, LB_CONFIG_UNWRITTEN(LB_CELL_GRU), lb_cell_names},
    {FIELD(window), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(copy), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {0},
};

/* The configuration as stored: the attention by name, which may be a custom one. */
typedef struct description {
    lb_seq2seq_config config; /* comes first, where the fields find it */
    char attention[LB_CONFIG_WORD_BYTES];
} description;

enum { FIELDS = sizeof seq2seq_fields / sizeof *seq2seq_fields };

static const lb_config_field *describe(lb_config_field fields[FIELDS])
{
    memcpy(fields, seq2seq_fields, sizeof seq2seq_fields);
    for (lb_config_field *field = fields; field->key; field++)
        if (field->names == lb_attention_names)
            *field = (lb_config_field){field->key, offsetof(description, attention), LB_CONFIG_WORD,
                                       LB_CONFIG_NEEDED, NULL};
    return fields;
}

static char *seq2seq_config_json(const lb_model *model)
{
    const lb_seq2seq *seq2seq = (const lb_seq2seq *)model;
    lb_config_field fields[FIELDS];
    description d = {.config = seq2seq->config};
    snprintf(d.attention, sizeof d.attention, "%s", seq2seq->attention.type->name);
    return lb_config_write(describe(fields), &d);
}

static lb_status choose_attention(description *d, const lb_extensions *own, lb_error *error)
{
    for (int kind = 0; lb_attention_names[kind]; kind++)
        if (strcmp(lb_attention_names[kind], d->attention) == 0) {
            d->config.attention = (lb_attention_kind)kind;
            return LB_OK;
        }
    d->config.own_attention = lb_attention_type_find(d->attention, own, error);
    return d->config.own_attention ? LB_OK : LB_ERROR_FORMAT;
}

static lb_model *seq2seq_restore(lb_params *params, const char *name, const char *config,
                                 const lb_extensions *own, lb_error *error)
{
    lb_config_field fields[FIELDS];
    description d = {0};
    if (lb_config_read(describe(fields), config, &d, error)) return NULL;
    if (choose_attention(&d, own, error)) return NULL;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_seq2seq_init(model, params, name, d.config)) return lb_config_fail(params, error);
    return &model->base;
}

/* ---- lb_transformer. ---- */

#undef FIELD
#define FIELD(name) #name, offsetof(lb_transformer_config, name)

static const lb_config_field transformer_fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(width), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(heads), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(attention_weights), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_normalizer_names},
    {FIELD(feed_forward), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(post_norm), LB_CONFIG_FLAG, false, NULL},
    {FIELD(positions), LB_CONFIG_CHOICE, LB_CONFIG_NEEDED, lb_positional_names},
    {FIELD(max_length), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {"loss", offsetof(lb_transformer_config, output), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_loss_names},
    {FIELD(kv_heads), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(softcap), LB_CONFIG_POSITIVE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(window), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(feature_positions), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {FIELD(copy), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {FIELD(embedding_scale), LB_CONFIG_POSITIVE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(no_self_attention), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {FIELD(no_feed_forward), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {0},
};

static char *transformer_config_json(const lb_model *model)
{
    return lb_config_write(transformer_fields, &((const lb_transformer *)model)->config);
}

static lb_model *transformer_restore(lb_params *params, const char *name, const char *config,
                                     const lb_extensions *own, lb_error *error)
{
    (void)own;
    lb_transformer_config parsed = {0};
    if (lb_config_read(transformer_fields, config, &parsed, error)) return NULL;
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_transformer_init(model, params, name, parsed)) return lb_config_fail(params, error);
    return &model->base;
}

/* ---- Ensembles: the configurations of their members. ---- */

enum { NAME_LENGTH = 32 };

static char *ensemble_config_json(const lb_model *model)
{
    const lb_ensemble *e = (const lb_ensemble *)model;
    lb_buffer json = {0};
    for (int i = 0; i < e->count; i++) {
        char *config = lb_model_config_json(e->member[i]);
        lb_buffer_print(&json, "%s{\"kind\":", i ? "," : "{\"members\":[");
        lb_buffer_json_string(&json, e->member[i]->kind->name);
        lb_buffer_print(&json, ",\"config\":%s%s", config ? config : "",
                        e->member[i]->from_end ? ",\"direction\":\"backward\"" : "");
        if (e->weight) lb_buffer_print(&json, ",\"weight\":%.9g", e->weight[i]);
        lb_buffer_print(&json, "}");
        json.failed = json.failed || !config;
        lb_release(config);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static bool writes_backward(const cJSON *json)
{
    const char *direction = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "direction"));
    return direction && strcmp(direction, "backward") == 0;
}

static lb_model *has_no(const char *key, lb_error *error)
{
    return lb_null(lb_error_set(error, LB_ERROR_FORMAT, "found no \"%s\"", key));
}

/* The model of one entry of "members"; NULL, with the error, if it is invalid. */
static lb_model *restore_one(lb_params *params, const char *name, const cJSON *json, const lb_extensions *own,
                             lb_error *error)
{
    const char *called = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "kind"));
    const cJSON *described = cJSON_GetObjectItemCaseSensitive(json, "config");
    if (!called) return has_no("kind", error);
    if (!described) return has_no("config", error);
    const lb_model_kind *kind = lb_model_kind_find(called, own, error);
    if (!kind) return NULL;
    char *config = lb_json_print(described);
    if (!config) return lb_config_fail(params, error);
    lb_model *model = lb_model_restore(kind, params, name, config, own, error);
    cJSON_free(config);
    if (model) model->from_end = writes_backward(json);
    return model;
}

/* Errors of parameters have the name of the member already. */
static lb_model *restore_member(lb_params *params, int number, const char *name, const cJSON *json,
                                const lb_extensions *own, lb_error *error)
{
    lb_error found = {0};
    lb_model *model = restore_one(params, name, json, own, &found);
    bool named = lb_params_status(params) || found.status == LB_ERROR_MEMORY;
    if (!model && named) lb_error_set(error, found.status, "%s", found.message);
    if (!model && !named) lb_error_set(error, found.status, "member %d: %s", number, found.message);
    return model;
}

/* The weights of the members, if they have some. */
static bool read_weights(lb_params *params, const cJSON *members, int count, const double **weights)
{
    static const double ROUNDING = 1e-3;
    double sum = 0;
    *weights = NULL;
    if (!cJSON_HasObjectItem(members->child, "weight")) return true;
    double *weight = lb_params_alloc(params, (size_t)count * sizeof *weight);
    if (!weight) return false;
    const cJSON *json = members->child;
    for (int i = 0; i < count; i++, json = json->next) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "weight");
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0)) return false;
        sum += weight[i] = item->valuedouble;
    }
    *weights = weight;
    return fabs(sum - 1) < ROUNDING;
}

static lb_model *restore_members(lb_params *params, const char *name, const cJSON *members,
                                 const lb_extensions *own, lb_error *error)
{
    int count = cJSON_IsArray(members) ? cJSON_GetArraySize(members) : 0;
    if (count == 0) return has_no("members", error);
    lb_ensemble *ensemble = lb_params_alloc(params, sizeof *ensemble);
    const lb_model **member = lb_params_alloc(params, (size_t)count * sizeof *member);
    if (!ensemble || !member) return lb_config_fail(params, error);
    const cJSON *json = members->child;
    for (int i = 0; i < count; i++, json = json->next) {
        char inner[NAME_LENGTH];
        snprintf(inner, sizeof inner, "member.%d", i);
        member[i] = restore_member(params, i, lb_params_scope(params, name, inner), json, own, error);
        if (!member[i]) return NULL;
    }
    const double *weight;
    if (!read_weights(params, members, count, &weight) || lb_ensemble_init(ensemble, member, count, NULL))
        return lb_config_fail(params, error);
    ensemble->weight = weight;
    return &ensemble->base;
}

static lb_model *restore_ensemble(lb_params *params, const char *name, const char *config,
                                  const lb_extensions *own, lb_error *error)
{
    cJSON *json;
    if (lb_json_parse(config, strlen(config), NULL, &json)) return lb_config_fail(params, error);
    lb_model *model =
        restore_members(params, name, cJSON_GetObjectItemCaseSensitive(json, "members"), own, error);
    cJSON_Delete(json);
    return model;
}

/* ---- The kinds. ---- */

typedef struct format {
    const lb_model_kind *kind;
    char *(*config_json)(const lb_model *model);
    lb_model *(*restore)(lb_params *params, const char *name, const char *config, const lb_extensions *own,
                         lb_error *error);
    const lb_config_field *fields;
} format;

/* The built-in kinds do not refer to these functions, so that linking a kind does not link the JSON reader. */
static const format built_in[] = {
    {&lb_seq2seq_kind, seq2seq_config_json, seq2seq_restore, seq2seq_fields},
    {&lb_transformer_kind, transformer_config_json, transformer_restore, transformer_fields},
    {&lb_ensemble_kind, ensemble_config_json, restore_ensemble, NULL},
    {&lb_vote_kind, ensemble_config_json, restore_ensemble, NULL},
    {0},
};

/* NULL for a name that is not built-in. */
static const format *find_built_in(const char *name)
{
    const format *f = built_in;
    while (f->kind && strcmp(f->kind->name, name) != 0) f++;
    return f->kind ? f : NULL;
}

static format format_of(const lb_model_kind *kind)
{
    for (const format *f = built_in; f->kind; f++)
        if (f->kind == kind) return *f;
    return (format){kind, kind->config_json, kind->restore, NULL};
}

char *lb_model_config_json(const lb_model *model)
{
    return format_of(model->kind).config_json(model);
}

lb_model *lb_model_restore(const lb_model_kind *kind, lb_params *params, const char *name, const char *config,
                           const lb_extensions *own, lb_error *error)
{
    return format_of(kind).restore(params, name, config, own, error);
}

const lb_config_field *lb_model_fields(const char *kind)
{
    const format *found = find_built_in(kind);
    return found ? found->fields : NULL;
}

const lb_model_kind *lb_model_kind_find(const char *name, const lb_extensions *own, lb_error *error)
{
    assert(name);
    const format *found = find_built_in(name);
    if (found) return found->kind;
    for (const lb_model_kind *const *at = own ? own->kinds : NULL; at && *at; at++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): lb_extensions_check refuses a kind without a name */
        if ((*at)->name && strcmp((*at)->name, name) == 0) return *at;
    lb_error_set(
        error, LB_ERROR_FORMAT,
        "unknown model kind '%.80s' in the file: a custom kind must be in the kinds of lb_extensions", name);
    return NULL;
}

/* A lookup finds another kind if the name is taken. */
lb_status lb_extensions_check(const lb_extensions *own, lb_error *error)
{
    for (const lb_model_kind *const *at = own ? own->kinds : NULL; at && *at; at++) {
        const lb_model_kind *kind = *at;
        const char *lacks = lb_model_kind_lacks(kind);
        if (lacks)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "model kind '%.80s' has no %s",
                                kind->name ? kind->name : "", lacks);
        if (lb_model_kind_find(kind->name, own, NULL) != kind)
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "custom model kind cannot be named '%.80s': the name is taken", kind->name);
        if (!find_built_in(kind->name) && (!kind->config_json || !kind->restore))
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "model kind '%.80s' lacks config_json or restore: model files need both",
                                kind->name);
    }
    for (const lb_attention_type *const *at = own ? own->attentions : NULL; at && *at; at++)
        if (lb_attention_type_check(*at, own, error)) return LB_ERROR_ARGUMENT;
    return LB_OK;
}

/* ---- Ensembles: their parameters in one store. ---- */

/* Copies the values of a part to the parameters of `to` from index `first` on. Both come from the same configuration,
 * so they are the same in the same order. */
static lb_status copy_values(const lb_params *to, int64_t first, const lb_ensemble_part *part,
                             lb_error *error)
{
    const int64_t count = lb_params_count(to) - first, found = lb_params_count(part->params) - part->first;
    if (part->count ? part->count != count || found < count : found != count)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "the model has %lld parameters, its store has %lld",
                            (long long)count, (long long)(part->count ? part->count : found));
    for (int64_t i = 0; i < count; i++) {
        const lb_tensor *source = lb_params_tensor(part->params, part->first + i),
                        *copy = lb_params_tensor(to, first + i);
        if (!lb_shape_equal(source->shape, copy->shape))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "parameter %s does not belong to its model",
                                lb_params_name(part->params, part->first + i));
        memcpy(copy->data, source->data, (size_t)lb_count(source) * sizeof *source->data);
    }
    return LB_OK;
}

/* A model like that of the part, with its parameters in `params` below "member.INDEX". */
static lb_model *copy_member(lb_params *params, int64_t index, const lb_ensemble_part *part,
                             const lb_extensions *own, lb_error *error)
{
    char name[NAME_LENGTH];
    snprintf(name, sizeof name, "member.%lld", (long long)index);
    char *config = lb_model_config_json(part->model);
    if (!config) return lb_null(lb_no_memory(error, "an ensemble"));
    const int64_t first = lb_params_count(params);
    lb_model *copy = lb_model_restore(part->model->kind, params, name, config, own, error);
    lb_release(config);
    if (copy) copy->from_end = part->model->from_end;
    return copy && copy_values(params, first, part, error) == LB_OK ? copy : NULL;
}

lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_ensemble_part *parts, int64_t count,
                                const lb_extensions *own, lb_error *error)
{
    lb_ensemble *ensemble = lb_params_alloc(params, sizeof *ensemble);
    const lb_model **copies = lb_params_alloc(params, (size_t)(count > 0 ? count : 1) * sizeof *copies);
    if (!ensemble || !copies) {
        lb_config_fail(params, error);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        copies[i] = copy_member(params, i, &parts[i], own, error);
        if (!copies[i]) return NULL;
    }
    return lb_ensemble_init(ensemble, copies, count, error) ? NULL : ensemble;
}
