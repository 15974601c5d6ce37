/* lb_transformer as an lb_model, and what else is asked of its steps. */
#include "models/built_in.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/decode/model.h"

lb_self_attention lb_model_self_attention(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    lb_self_attention found = {0};
    if (model->kind != &lb_transformer_kind) return found;
    const lb_transformer *transformer = (const lb_transformer *)model;
    int64_t layers = transformer->config.layers;
    if (transformer->config.no_self_attention) return found;
    lb_tensor **self = lb_tape_alloc_zero(source.tape, 2 * layers, sizeof(lb_tensor *));
    if (!self) return found;
    lb_transformer_memory memory = lb_transformer_encode(transformer, source, self);
    lb_transformer_decode(transformer, &memory, target_in, self + layers);
    found.layers = layers;
    found.heads = transformer->config.heads;
    found.encoder = lb_concat(self, (int)layers, 1);
    found.decoder = lb_concat(self + layers, (int)layers, 1);
    return found;
}

/* ---- As an lb_model. ---- */

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    lb_transformer_memory *memory = lb_tape_alloc(source.tape, sizeof *memory);
    if (memory) *memory = lb_transformer_encode((const lb_transformer *)model, source, NULL);
    return memory;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    lb_transformer_memory *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!from || !after)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_transformer_decoded decoded =
        lb_transformer_decode((const lb_transformer *)model, from, target_in, NULL);
    *after = decoded.memory;
    return (lb_model_step){decoded.logits, decoded.weights, after};
}

static lb_tensor *forward(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    return lb_transformer_forward((const lb_transformer *)model, source, target_in);
}

/* Of a cache, nothing is copied but where its numbers are. */
static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const lb_transformer_memory *before = from;
    int64_t layers = ((const lb_transformer *)model)->config.layers;
    lb_transformer_memory *after = lb_tape_alloc(tape, sizeof *after);
    if (!after) return NULL;
    *after = *before;
    after->batch = count;
    after->mask = lb_select_rows(tape, before->mask, row, count);
    after->symbols = lb_tokens_select(tape, before->symbols, row, count);
    after->source = NULL;
    if (!before->source_cache) after->source_cache = lb_kv_cache_of(tape, before->source, layers);
    after->source_cache = lb_kv_cache_select(tape, after->source_cache, row, count);
    after->cache = lb_kv_cache_select(tape, before->cache, row, count);
    if (before->past) after->past = lb_tape_alloc_zero(tape, layers, sizeof *after->past);
    for (int i = 0; after->past && i < layers; i++)
        after->past[i].keys = lb_select_rows(tape, before->past[i].keys, row, count);
    return after;
}

const lb_model_kind lb_transformer_kind = {
    .name = "transformer",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
    .forward = forward,
};
