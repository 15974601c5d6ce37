#include "models/attention/additive.h"

#include "lookback/op.h"
#include "lookback/ops.h"

void *lb_additive_own(lb_decoder_attention *attention, lb_params *params, size_t bytes)
{
    const lb_decoder_attention_config *c = &attention->config;
    attention->own = lb_params_alloc(params, bytes);
    if (attention->own)
        lb_additive_attention_init(
            attention->own, params, attention->name,
            (lb_additive_attention_config){.query = c->query, .key = c->key, .normalizer = c->normalizer});
    return attention->own;
}

void lb_additive_prepare(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    memory->keys = lb_additive_attention_project_keys(attention->own, memory->keys);
}

lb_attended_result lb_additive_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                   const lb_attended_memory *memory)
{
    const lb_additive_attention *own = attention->own;
    lb_tensor *context = lb_attend_additive_by(lb_affine(query, own->query, NULL), memory->keys,
                                               memory->values, own->v, memory->mask, own->normalizer);
    return (lb_attended_result){context, lb_op_output(context, 1)};
}

static lb_status init(lb_decoder_attention *attention, lb_params *params)
{
    void *own = lb_additive_own(attention, params, sizeof(lb_additive_attention));
    return own ? lb_params_status(params) : LB_ERROR_MEMORY;
}

static lb_attending_result run_gru(const lb_attending_layer *layer, lb_gates gates, const int32_t *lengths,
                                   lb_tensor *state)
{
    const lb_recurrent_cell *cell = layer->cell;
    const lb_additive_attention *own = layer->attention->own;
    lb_tensor *outputs = lb_attention_gru_sequence(&(lb_attention_gru_operands){
        .x = gates.x,
        .tokens = gates.tokens,
        .lengths = lengths,
        .initial = state,
        .keys = layer->memory->keys,
        .values = layer->memory->values,
        .mask = layer->memory->mask,
        .weight_query = own->query,
        .v = own->v,
        .weight_context = cell->weight_ih,
        .weight_hh = cell->weight_hh,
        .bias_hh = cell->bias_hh,
        .normalizer = own->normalizer,
    });
    return (lb_attending_result){.outputs = outputs,
                                 .final = lb_op_output(outputs, 3),
                                 .seen = {lb_op_output(outputs, 1), lb_op_output(outputs, 2)}};
}

LB_ATTENTION(additive, "additive", .type.init = init, .type.prepare = lb_additive_prepare,
             .type.ask = lb_additive_ask, .attends_first = true, .run_gru = run_gru)
