/* lb_seq2seq as an lb_model. */
#include "models/seq2seq.h"

#include "autograd/op.h"
#include "models/extensions.h"

#include <stdio.h>
#include <string.h>

typedef struct state {
    lb_seq2seq_encoded encoded;
    lb_tensor **layer; /* [layers] of [batch, hidden] */
} state;

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    state *s = lb_tape_alloc(source.tape, sizeof *s);
    if (!s) return NULL;
    s->encoded = lb_seq2seq_encode((const lb_seq2seq *)model, source);
    s->layer = s->encoded.initial;
    return s;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const state *before = from;
    state *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!before || !after)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_seq2seq_decoded decoded =
        lb_seq2seq_decode((const lb_seq2seq *)model, &before->encoded, before->layer, target_in);
    *after = (state){before->encoded, decoded.final};
    return (lb_model_step){decoded.logits, decoded.weights, after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const state *before = from;
    int layers = ((const lb_seq2seq *)model)->config.layers;
    state *after = lb_tape_alloc(tape, sizeof *after);
    lb_tensor **layer = lb_tape_alloc(tape, (size_t)layers * sizeof *layer);
    if (!after || !layer) return NULL;
    const lb_attended_memory *memory = &before->encoded.memory;
    *after = (state){before->encoded, layer};
    lb_attended_memory *selected = &after->encoded.memory;
    selected->values = lb_select_rows(tape, memory->values, row, count);
    selected->keys =
        memory->keys == memory->values ? selected->values : lb_select_rows(tape, memory->keys, row, count);
    selected->mask = lb_select_rows(tape, memory->mask, row, count);
    for (int i = 0; i < layers; i++) layer[i] = lb_select_rows(tape, before->layer[i], row, count);
    return after;
}

/* What a file says: the attention by its name, which may be one of one's own. */
typedef struct description {
    lb_seq2seq_config config;
    char attention[LB_CONFIG_WORD_BYTES];
} description;

#define FIELD(name) #name, offsetof(description, config.name)

static const lb_config_field fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(embed), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(hidden), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_COUNT, LB_CONFIG_NEEDED, NULL},
    {FIELD(bidirectional), LB_CONFIG_FLAG, false, NULL},
    {"attention", offsetof(description, attention), LB_CONFIG_WORD, LB_CONFIG_NEEDED, NULL},
    {FIELD(heads), LB_CONFIG_SIZE, 1, NULL},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {0},
};

static char *config_json(const lb_model *model)
{
    const lb_seq2seq *seq2seq = (const lb_seq2seq *)model;
    description d = {.config = seq2seq->config};
    snprintf(d.attention, sizeof d.attention, "%s", seq2seq->attention.type->name);
    return lb_config_write(fields, &d);
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

static lb_model *restore(lb_params *params, const char *name, const char *json, const lb_extensions *own,
                         lb_error *error)
{
    description d = {0};
    if (!lb_config_read(fields, json, &d)) return lb_config_fail(params, error);
    if (choose_attention(&d, own, error)) return NULL;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_seq2seq_init(model, params, name, d.config)) return lb_config_fail(params, error);
    return &model->base;
}

const lb_model_kind lb_seq2seq_kind = {
    .name = "seq2seq",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
    .config_json = config_json,
    .restore = restore,
};
