/* lb_transformer as an lb_model. */
#include "models/transformer.h"

#include "lookback/op.h"
#include "models/decode/model.h"

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

static lb_key_values select_key_values(lb_tape *tape, lb_key_values from, const int64_t *row, int64_t count)
{
    return (lb_key_values){lb_select_rows(tape, from.keys, row, count),
                           lb_select_rows(tape, from.values, row, count)};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const lb_transformer_memory *before = from;
    int64_t layers = ((const lb_transformer *)model)->config.layers;
    lb_transformer_memory *after = lb_tape_alloc(tape, sizeof *after);
    lb_key_values *all = lb_tape_alloc(tape, 2 * (size_t)layers * sizeof *all);
    if (!after || !all) return NULL;
    *after = (lb_transformer_memory){all, lb_select_rows(tape, before->mask, row, count), all + layers,
                                     before->length, lb_tokens_select(tape, before->symbols, row, count)};
    for (int i = 0; i < layers; i++) {
        after->source[i] = select_key_values(tape, before->source[i], row, count);
        after->past[i] = select_key_values(tape, before->past[i], row, count);
    }
    return after;
}

const lb_model_kind lb_transformer_kind = {
    .name = "transformer",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
};
