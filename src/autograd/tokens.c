/* Batches of tokens on a tape: new ones, those of arrays, and their mask. */
#include "lookback/op.h"

#include "base/alloc.h"
#include "tensor/shape.h"

#include <string.h>

lb_tokens lb_tokens_new(lb_tape *tape, int64_t batch, int64_t length, int32_t **id, int32_t **lengths)
{
    lb_tokens tokens = {.tape = tape};
    lb_shape shape = LB_SHAPE(batch, length);
    *id = *lengths = NULL;
    if (!lb_shape_valid(shape)) {
        char text[LB_SHAPE_TEXT];
        lb_tape_fail(tape, LB_ERROR_SHAPE, "lb_tokens_new: invalid shape %s", lb_shape_format(shape, text));
        return tokens;
    }
    int32_t *ids = lb_tape_alloc(tape, (size_t)lb_shape_count(shape) * sizeof *ids);
    int32_t *row_lengths = lb_tape_alloc(tape, (size_t)batch * sizeof *row_lengths);
    if (!ids || !row_lengths) return tokens;
    for (int64_t i = 0; i < batch * length; i++) ids[i] = LB_PAD;
    memset(row_lengths, 0, (size_t)batch * sizeof *row_lengths);
    *id = ids;
    *lengths = row_lengths;
    return (lb_tokens){.tape = tape, .batch = batch, .length = length, .id = ids, .lengths = row_lengths};
}

lb_tokens lb_tokens_from(lb_tape *tape, const int32_t *ids, const int32_t *lengths, int64_t batch,
                         int64_t length)
{
    int32_t *id, *to;
    for (int64_t row = 0; row < batch && lengths; row++)
        if (lengths[row] < 0 || lengths[row] > length) {
            lb_tape_fail(tape, LB_ERROR_INDEX, "lb_tokens_from: length %d of row %lld, expected 0 to %lld",
                         (int)lengths[row], (long long)row, (long long)length);
            return (lb_tokens){.tape = tape};
        }
    lb_tokens tokens = lb_tokens_new(tape, batch, length, &id, &to);
    for (int64_t row = 0; row < tokens.batch; row++) {
        to[row] = lengths ? lengths[row] : lb_narrow(length);
        memcpy(id + row * length, ids + row * length, (size_t)to[row] * sizeof *id);
    }
    return tokens;
}

lb_tensor *lb_tokens_mask(lb_tokens tokens)
{
    return lb_length_mask(tokens.tape, tokens.lengths, tokens.batch, tokens.length);
}
