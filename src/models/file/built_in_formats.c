/* The configurations of the built-in kinds of models in files. */
#include "models/built_in.h"
#include "models/file/model_formats.h"

#include <stdio.h>
#include <string.h>

/* ---- lb_seq2seq. ---- */

/* The configuration as stored: the attention by name, which may be a custom one. */
typedef struct description {
    lb_seq2seq_config config;
    char attention[LB_CONFIG_WORD_BYTES];
} description;

#define FIELD(name) #name, offsetof(description, config.name)

const lb_config_field lb_seq2seq_fields[] = {
    {FIELD(source_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(target_vocab), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(embed), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(hidden), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(layers), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {FIELD(bidirectional), LB_CONFIG_FLAG, false, NULL},
    {"attention", offsetof(description, attention), LB_CONFIG_WORD, LB_CONFIG_NEEDED, NULL},
    {FIELD(heads), LB_CONFIG_SIZE, 1, NULL},
    {FIELD(attention_weights), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_normalizer_names},
    {FIELD(dropout), LB_CONFIG_FRACTION, LB_CONFIG_NEEDED, NULL},
    {FIELD(tied), LB_CONFIG_FLAG, false, NULL},
    {"loss", offsetof(description, config.output), LB_CONFIG_CHOICE, LB_SOFTMAX, lb_loss_names},
    {FIELD(cell), LB_CONFIG_CHOICE, LB_CONFIG_UNWRITTEN(LB_CELL_GRU), lb_cell_names},
    {FIELD(window), LB_CONFIG_SIZE, LB_CONFIG_UNWRITTEN(0), NULL},
    {FIELD(copy), LB_CONFIG_FLAG, LB_CONFIG_UNWRITTEN(false), NULL},
    {0},
};

char *lb_seq2seq_config_json(const lb_model *model)
{
    const lb_seq2seq *seq2seq = (const lb_seq2seq *)model;
    description d = {.config = seq2seq->config};
    /* Most kinds of attention have only one head, whatever was asked for. */
    d.config.heads = model->heads > 0 ? model->heads : 1;
    snprintf(d.attention, sizeof d.attention, "%s", seq2seq->attention.type->name);
    return lb_config_write(lb_seq2seq_fields, &d);
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

lb_model *lb_seq2seq_restore(lb_params *params, const char *name, const char *config,
                             const lb_extensions *own, lb_error *error)
{
    description d = {0};
    if (lb_config_read(lb_seq2seq_fields, config, &d, error)) return NULL;
    if (choose_attention(&d, own, error)) return NULL;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_seq2seq_init(model, params, name, d.config)) return lb_config_fail(params, error);
    return &model->base;
}

/* ---- lb_transformer. ---- */

#undef FIELD
#define FIELD(name) #name, offsetof(lb_transformer_config, name)

const lb_config_field lb_transformer_fields[] = {
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

char *lb_transformer_config_json(const lb_model *model)
{
    return lb_config_write(lb_transformer_fields, &((const lb_transformer *)model)->config);
}

lb_model *lb_transformer_restore(lb_params *params, const char *name, const char *config,
                                 const lb_extensions *own, lb_error *error)
{
    (void)own;
    lb_transformer_config parsed = {0};
    if (lb_config_read(lb_transformer_fields, config, &parsed, error)) return NULL;
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    if (!model || lb_transformer_init(model, params, name, parsed)) return lb_config_fail(params, error);
    return &model->base;
}
