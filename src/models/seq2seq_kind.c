/* lb_seq2seq as an lb_model, and its steps one after the other. */
#include "models/built_in.h"

#include "autograd/op.h"
#include "models/decode/model.h"

lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in)
{
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    return lb_seq2seq_decode(model, &encoded, encoded.initial, target_in).logits;
}

typedef struct state {
    lb_seq2seq_encoded encoded;
    lb_tensor **layer; /* [layers]: the states of the decoder */
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
    after->encoded.memory.past = decoded.past;
    return (lb_model_step){decoded.logits, decoded.weights, after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const state *before = from;
    int64_t layers = ((const lb_seq2seq *)model)->config.layers;
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
    selected->past = lb_select_rows(tape, memory->past, row, count);
    after->encoded.symbols = lb_tokens_select(tape, before->encoded.symbols, row, count);
    for (int i = 0; i < layers; i++) layer[i] = lb_select_rows(tape, before->layer[i], row, count);
    return after;
}

const lb_model_kind lb_seq2seq_kind = {
    .name = "seq2seq",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
};
