/* Teacher forcing: what a model thinks of targets that it is given, for scores, votes and alignments. */
#include "models/decode/model.h"

#include "base/bytes.h"

int64_t lb_symbols_before_end(lb_tokens target_out, int64_t row)
{
    int64_t length = target_out.lengths[row];
    bool ends = length > 0 && target_out.id[row * target_out.length + length - 1] == LB_EOS;
    return length - (ends ? 1 : 0);
}

lb_tokens lb_model_target_in(const lb_model *model, lb_tokens target_out)
{
    int32_t *id, *lengths;
    lb_tokens in = lb_tokens_new(target_out.tape, target_out.batch, target_out.length, &id, &lengths);
    for (int64_t row = 0; row < in.batch; row++) {
        const int32_t *out = target_out.id + row * target_out.length;
        int64_t symbols = lb_symbols_before_end(target_out, row);
        lengths[row] = target_out.lengths[row];
        id[row * in.length] = LB_BOS;
        for (int64_t t = 1; t < lengths[row]; t++)
            id[row * in.length + t] = model->from_end ? out[symbols - t] : out[t - 1];
    }
    return in;
}

/* Puts the rows of [batch, maps, T, width] into reading order. They are on the tape and need no gradient. */
static void reverse_rows(lb_tensor *x, int64_t maps, lb_tokens target_out)
{
    int64_t width = lb_dim(x, -1), map = target_out.length * width;
    for (int64_t i = 0; i < target_out.batch * maps; i++)
        lb_rows_reverse(x->data + i * map, lb_symbols_before_end(target_out, i / maps), width);
}

lb_forced lb_forced_decode_rows(const lb_model *model, lb_tokens source, const int64_t *row,
                                lb_tokens target_out)
{
    lb_tape *tape = target_out.tape;
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_tokens in = lb_model_target_in(model, target_out);
    lb_decoder_state state = lb_model_encode(model, source);
    if (row && lb_tape_status(tape) == LB_OK)
        state = model->kind->select(model, tape, state, row, target_out.batch);
    lb_model_step step = lb_model_decode(model, state, in, source.length);
    lb_forced found = {lb_model_log_probabilities(model, step.logits), step.weights};
    lb_tape_set_mode(tape, mode);
    if (lb_tape_status(tape)) return (lb_forced){0};
    if (model->layers * model->heads == 0) found.weights = NULL;
    if (!model->from_end) return found;
    reverse_rows(found.log_probabilities, 1, target_out);
    if (found.weights) reverse_rows(found.weights, model->layers * model->heads, target_out);
    return found;
}

lb_forced lb_forced_decode(const lb_model *model, lb_tokens source, lb_tokens target_out)
{
    if (model->kind->force)
        return (lb_forced){.log_probabilities = model->kind->force(model, source, target_out)};
    return lb_forced_decode_rows(model, source, NULL, target_out);
}
