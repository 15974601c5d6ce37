#include "support/own_kinds.h"

#include "lookback/op.h"
#include "lookback/ops.h"

#include <stddef.h>

/* ---- A model without attention: one GRU reads, and another one continues from its state. ---- */

typedef struct relay {
    lb_model base;
    int64_t width;
    lb_embedding embedding;
    lb_gru reader, writer;
    lb_linear output;
} relay;

typedef struct relay_state {
    lb_tensor *state;
} relay_state;

static lb_decoder_state relay_at(lb_tape *tape, lb_tensor *state)
{
    relay_state *s = lb_tape_alloc(tape, sizeof *s);
    if (s) s->state = state;
    return s;
}

static lb_decoder_state relay_encode(const lb_model *model, lb_tokens source)
{
    const relay *r = (const relay *)model;
    lb_gru_result read = lb_gru_forward_tokens(&r->reader, &r->embedding, source, NULL);
    return read.final ? relay_at(source.tape, read.final[0]) : NULL;
}

static lb_model_step relay_decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const relay *r = (const relay *)model;
    const relay_state *before = from;
    if (!before)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_gru_result written = lb_gru_forward_tokens(&r->writer, &r->embedding, target_in, &before->state);
    return (lb_model_step){.logits = lb_linear_forward(&r->output, written.outputs),
                           .state = written.final ? relay_at(target_in.tape, written.final[0]) : NULL};
}

static lb_decoder_state relay_select(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                     const int64_t *row, int64_t count)
{
    (void)model;
    return from ? relay_at(tape, lb_select_rows(tape, ((const relay_state *)from)->state, row, count)) : NULL;
}

static const lb_config_field relay_fields[] = {
    {"width", offsetof(relay, width), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL}, {0}};

static char *relay_config(const lb_model *model)
{
    return lb_config_write(relay_fields, model);
}

static lb_status relay_init(relay *r, lb_params *params, const char *name, int64_t width);

static lb_model *relay_restore(lb_params *params, const char *name, const char *config,
                               const lb_extensions *own, lb_error *error)
{
    (void)own;
    relay read;
    if (lb_config_read(relay_fields, config, &read, error)) return NULL;
    relay *r = lb_params_alloc(params, sizeof *r);
    return r && !relay_init(r, params, name, read.width) ? &r->base : lb_config_fail(params, error);
}

const lb_model_kind support_relay = {.name = "a \"relay\"",
                                     .encode = relay_encode,
                                     .decode = relay_decode,
                                     .select = relay_select,
                                     .config_json = relay_config,
                                     .restore = relay_restore};

static lb_status relay_init(relay *r, lb_params *params, const char *name, int64_t width)
{
    lb_gru_config gru = {.input = width, .hidden = width};
    *r = (relay){.base = {.kind = &support_relay,
                          .source_vocab = SUPPORT_RELAY_VOCABULARY,
                          .target_vocab = SUPPORT_RELAY_VOCABULARY},
                 .width = width};
    lb_embedding_init(&r->embedding, params, lb_params_scope(params, name, "embedding"),
                      SUPPORT_RELAY_VOCABULARY, width, 1);
    lb_gru_init(&r->reader, params, lb_params_scope(params, name, "reader"), gru);
    lb_gru_init(&r->writer, params, lb_params_scope(params, name, "writer"), gru);
    lb_linear_config output = {.inputs = width, .outputs = SUPPORT_RELAY_VOCABULARY};
    return lb_linear_init(&r->output, params, lb_params_scope(params, name, "output"), output);
}

/* ---- An attention with heads: dot products with keys multiplied by a matrix. ---- */

static lb_status paired_init(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    lb_linear *key = attention->own = lb_params_alloc(params, sizeof *key);
    attention->heads = SUPPORT_PAIRED_HEADS;
    if (!key) return lb_params_status(params);
    return lb_linear_init(key, params, attention->name,
                          (lb_linear_config){c->key, c->query, .no_bias = true});
}

static void paired_prepare(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    memory->keys = lb_linear_forward(attention->own, memory->keys);
}

static lb_attended_result paired_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                     const lb_attended_memory *memory)
{
    (void)attention;
    lb_tensor *context = lb_attend_dot(query, memory->keys, memory->values, lb_key_mask(memory->mask), NULL,
                                       SUPPORT_PAIRED_HEADS, 1, 0);
    return (lb_attended_result){context, lb_op_output(context, 1)};
}

const lb_attention_type support_paired = {"paired", true, paired_init, paired_prepare, paired_ask};

const lb_extensions support_own = {.kinds = (const lb_model_kind *const[]){&support_relay, NULL},
                                   .attentions = (const lb_attention_type *const[]){&support_paired, NULL}};

lb_model *support_add_relay(lb_params *params, int64_t width)
{
    relay *r = lb_params_alloc(params, sizeof *r);
    return r && !relay_init(r, params, "", width) ? &r->base : NULL;
}
