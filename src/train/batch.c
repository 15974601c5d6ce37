/* Arrays of ids as a batch for teacher forcing. */
#include "lookback/op.h"
#include "lookback/train.h"

#include <string.h>

lb_batch lb_tokens_batch(lb_tokens source, lb_tokens target)
{
    lb_tape *tape = source.tape;
    const lb_tokens none = {.tape = tape};
    int32_t *id, *lengths, *in, *in_lengths, *out, *out_lengths;
    if (source.batch != target.batch)
        lb_tape_fail(tape, LB_ERROR_SHAPE, "lb_tokens_batch: found %lld sources and %lld targets",
                     (long long)source.batch, (long long)target.batch);
    if (lb_tape_status(tape)) return (lb_batch){none, none, none, NULL};
    const int64_t width = target.length + 1;
    lb_batch batch = {.source = lb_tokens_new(tape, source.batch, source.length, &id, &lengths),
                      .target_in = lb_tokens_new(tape, target.batch, width, &in, &in_lengths),
                      .target_out = lb_tokens_new(tape, target.batch, width, &out, &out_lengths)};
    if (lb_tape_status(tape)) return (lb_batch){none, none, none, NULL};
    for (int64_t row = 0; row < batch.source.batch; row++) {
        const int64_t symbols = target.lengths[row], first = row * width;
        lengths[row] = source.lengths[row];
        memcpy(id + row * source.length, source.id + row * source.length, (size_t)lengths[row] * sizeof *id);
        in[first] = LB_BOS;
        memcpy(in + first + 1, target.id + row * target.length, (size_t)symbols * sizeof *in);
        memcpy(out + first, target.id + row * target.length, (size_t)symbols * sizeof *out);
        out[first + symbols] = LB_EOS;
        in_lengths[row] = out_lengths[row] = (int32_t)symbols + 1;
    }
    return batch;
}
