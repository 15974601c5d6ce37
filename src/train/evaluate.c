#include "train/evaluate.h"

#include <string.h>

enum { BATCH = 250, ROOM = 8 };

int64_t lb_decoding_limit(int64_t source_length)
{
    return 2 * source_length + ROOM;
}

int64_t lb_exact_matches(const lb_decoded *decoded, lb_tokens target_out)
{
    int64_t matches = 0;
    for (int64_t row = 0; row < decoded->batch; row++) {
        int32_t length = target_out.lengths[row] - 1; /* without LB_EOS */
        bool same = decoded->finished[row] && decoded->lengths[row] == length;
        matches +=
            same && memcmp(decoded->id + row * decoded->length, target_out.id + row * target_out.length,
                           (size_t)length * sizeof *target_out.id) == 0;
    }
    return matches;
}

lb_status lb_sort_evaluate(const lb_seq2seq *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                           double *exact_match)
{
    int64_t matches = 0;
    for (int64_t first = 0; first < lists && lb_tape_status(tape) == LB_OK; first += BATCH) {
        int64_t size = lists - first < BATCH ? lists - first : BATCH;
        lb_tape_reset(tape);
        lb_batch batch = lb_sort_batch_from(task, LB_SPLIT_TEST, tape, size, (uint64_t)first);
        if (lb_tape_status(tape)) break;
        lb_decoded decoded = lb_greedy(model, batch.source, lb_decoding_limit(batch.source.length));
        matches += lb_exact_matches(&decoded, batch.target_out);
    }
    *exact_match = lists > 0 ? (double)matches / (double)lists : 0;
    return lb_tape_status(tape);
}
