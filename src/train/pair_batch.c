#include "data/pairs.h"
#include "lookback/op.h"
#include "lookback/train.h"
#include "train/batch.h"

typedef struct longest {
    int32_t source, target;
} longest;

static bool find_longest(const lb_pairs *pairs, lb_tape *tape, const int64_t *pair, int64_t count,
                         longest *found)
{
    *found = (longest){0, 0};
    for (int64_t i = 0; i < count; i++) {
        if (pair[i] < 0 || pair[i] >= lb_pairs_count(pairs)) {
            lb_tape_fail(tape, LB_ERROR_INDEX, "lb_pair_batch: pair %lld is out of range: there are %lld",
                         (long long)pair[i], (long long)lb_pairs_count(pairs));
            return false;
        }
        int32_t source = (int32_t)lb_pairs_source_length(pairs, pair[i]),
                target = (int32_t)lb_pairs_target_length(pairs, pair[i]);
        found->source = source > found->source ? source : found->source;
        found->target = target > found->target ? target : found->target;
    }
    return true;
}

lb_batch lb_pair_batch(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                       lb_tape *tape, const int64_t *pair, int64_t count)
{
    longest width;
    lb_batch_rows rows;
    if (!find_longest(pairs, tape, pair, count, &width)) return lb_batch_empty(tape);
    int32_t *source_ids = lb_tape_alloc(tape, (size_t)width.source * sizeof *source_ids);
    int32_t *target_ids = lb_tape_alloc(tape, (size_t)width.target * sizeof *target_ids);
    lb_batch batch = lb_batch_new(tape, count, width.source, width.target, &rows);
    if (lb_tape_status(tape)) return lb_batch_empty(tape);
    for (int64_t row = 0; row < count; row++) {
        lb_error error = {0};
        if (lb_pairs_encode(pairs, pair[row], source, target, source_ids, target_ids, &error)) {
            lb_tape_fail(tape, error.status, "%s", error.message);
            return lb_batch_empty(tape);
        }
        lb_batch_set_source(&rows, row, source_ids, (int32_t)lb_pairs_source_length(pairs, pair[row]));
        lb_batch_set_target(&rows, row, target_ids, (int32_t)lb_pairs_target_length(pairs, pair[row]));
    }
    return batch;
}
