#include "train/batch.h"

/* Lists as drawn: [size, max_length] numbers and their lengths. */
static int32_t draw(const lb_sort_task *task, lb_split split, int64_t size, uint64_t first, int32_t *values,
                    int32_t *lengths)
{
    int32_t longest = 0;
    for (int64_t row = 0; row < size; row++) {
        lengths[row] = lb_sort_draw(task, split, first + (uint64_t)row, values + row * task->max_length);
        longest = lengths[row] > longest ? lengths[row] : longest;
    }
    return longest;
}

static void write_target(const int32_t *values, int32_t length, int32_t *in, int32_t *out)
{
    in[0] = LB_BOS;
    for (int32_t i = 0; i < length; i++) in[i + 1] = out[i] = values[i] + LB_FIRST_TOKEN;
    out[length] = LB_EOS;
}

/* Each part knows the tape, where the error stands: a model that is given them goes on as it does with poison. */
static lb_batch empty(lb_tape *tape)
{
    lb_tokens none = {.tape = tape};
    return (lb_batch){none, none, none};
}

lb_batch lb_sort_batch_from(const lb_sort_task *task, lb_split split, lb_tape *tape, int64_t size,
                            uint64_t first)
{
    int32_t *values = lb_tape_alloc(tape, (size_t)(size * task->max_length) * sizeof *values);
    int32_t *drawn = lb_tape_alloc(tape, (size_t)size * sizeof *drawn);
    if (!values || !drawn) return empty(tape);
    int32_t longest = draw(task, split, size, first, values, drawn);
    int32_t *source, *in, *out, *lengths, *in_lengths, *out_lengths;
    lb_batch batch = {
        .source = lb_tokens_new(tape, size, longest, &source, &lengths),
        .target_in = lb_tokens_new(tape, size, longest + 1, &in, &in_lengths),
        .target_out = lb_tokens_new(tape, size, longest + 1, &out, &out_lengths),
    };
    if (lb_tape_status(tape)) return empty(tape);
    for (int64_t row = 0; row < size; row++) {
        int32_t *list = values + row * task->max_length;
        lengths[row] = drawn[row];
        in_lengths[row] = out_lengths[row] = drawn[row] + 1;
        for (int32_t i = 0; i < drawn[row]; i++) source[row * longest + i] = list[i] + LB_FIRST_TOKEN;
        lb_sort_values(list, drawn[row]);
        write_target(list, drawn[row], in + row * (longest + 1), out + row * (longest + 1));
    }
    return batch;
}

lb_batch lb_sort_batch(const lb_sort_task *task, lb_tape *tape, int64_t size, int64_t step)
{
    return lb_sort_batch_from(task, LB_SPLIT_TRAIN, tape, size, (uint64_t)step * (uint64_t)size);
}
