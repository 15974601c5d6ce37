#include "train/evaluate.h"

#include "train/tally.h"

#include <string.h>

enum {
    MOST_LISTS = 250,    /* per batch */
    MOST_CELLS = 1 << 20 /* attention weights per batch: long lists get smaller batches */
};

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

static int64_t batch_size(const lb_sort_task *task)
{
    int64_t fit = MOST_CELLS / ((int64_t)task->max_length * task->max_length);
    return fit < 1 ? 1 : fit < MOST_LISTS ? fit : MOST_LISTS;
}

/* Adds the held-out lists to a tally; `edits` as in lb_tally_add. */
static lb_status visit_lists(const lb_model *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                             bool edits, const lb_group *group, lb_tally *sum)
{
    lb_tallies tallies = {.group = group};
    int64_t most = batch_size(task);
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    for (int64_t first = 0; first < lists && lb_tape_status(tape) == LB_OK; first += most) {
        int64_t size = lists - first < most ? lists - first : most;
        lb_tape_reset(tape);
        lb_tally *tally = lb_tallies_next(&tallies, tape);
        if (!tally) break;
        if (!lb_tallies_mine(&tallies)) continue;
        lb_batch batch = lb_sort_batch_from(task, LB_SPLIT_TEST, tape, size, (uint64_t)first);
        if (lb_tally_add(tally, model, batch, edits, task->max_length)) break;
    }
    lb_tape_set_mode(tape, mode);
    return lb_tallies_sum(&tallies, tape, sum);
}

lb_status lb_sort_evaluate(const lb_model *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                           double *exact_match)
{
    lb_tally tally = {0};
    lb_status status = visit_lists(model, task, tape, lists, false, NULL, &tally);
    *exact_match = lb_tally_evaluation(&tally, lists).exact_match;
    return status;
}

lb_status lb_sort_measure(const lb_model *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                          const lb_group *group, lb_evaluation *found)
{
    lb_tally tally = {0};
    lb_status status = visit_lists(model, task, tape, lists, true, group, &tally);
    *found = lb_tally_evaluation(&tally, lists);
    return status;
}
