/* Batches of lists of the sort task, which are drawn, and the evaluation of a model on them. */
#include "data/lists/sort_task.h"
#include "lookback/op.h"
#include "translate/batches/batch.h"
#include "translate/batches/evaluate.h"
#include "translate/input/data.h"

/* ---- Batches. ---- */

lb_batch lb_sort_batch_from(const lb_sort_task *task, lb_split split, lb_tape *tape, int64_t size,
                            uint64_t first)
{
    if (split != LB_SPLIT_TRAIN && split != LB_SPLIT_TEST) {
        lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_sort_batch_from: split is %d, expected 0 or 1", (int)split);
        return lb_batch_empty(tape);
    }
    int64_t room = lb_sort_longest(task, task->max_length);
    int32_t *values = lb_tape_alloc(tape, (size_t)(size * room) * sizeof *values);
    int32_t *lengths = lb_tape_alloc(tape, (size_t)size * sizeof *lengths);
    int64_t *row = lb_tape_alloc(tape, (size_t)size * sizeof *row);
    if (!values || !lengths || !row) return lb_batch_empty(tape);
    int32_t longest = 0;
    for (int64_t i = 0; i < size; i++) {
        lengths[i] = lb_sort_draw(task, split, first + (uint64_t)i, values + i * room);
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    lb_batch_rows rows;
    lb_batch batch = lb_batch_new(tape, size, longest, longest, &rows);
    if (lb_tape_status(tape) || lb_batch_order(tape, size, lengths, row)) return lb_batch_empty(tape);
    for (int64_t i = 0; i < size; i++) {
        int32_t *list = values + i * room;
        for (int32_t k = 0; k < lengths[i]; k++) list[k] += LB_FIRST_TOKEN;
        lb_batch_set_source(&rows, row[i], list, lengths[i]);
        int32_t length = lb_sort_answer(task, list, lengths[i]);
        lb_batch_set_target(&rows, row[i], list, length);
    }
    return batch;
}

lb_batch lb_sort_batch(const lb_sort_task *task, lb_tape *tape, int64_t size, int64_t step)
{
    const lb_sort_task of_step = lb_sort_task_of_step(task, step);
    return lb_sort_batch_from(&of_step, LB_SPLIT_TRAIN, tape, size, (uint64_t)step * (uint64_t)size);
}

/* ---- Evaluations. ---- */

enum {
    MOST_LISTS = 250,    /* per batch */
    MOST_CELLS = 1 << 20 /* attention weights per batch: long lists get smaller batches */
};

lb_status lb_sort_measure(const lb_model *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                          bool edits, lb_tallies *tallies, lb_evaluation *found)
{
    lb_tallies alone = {0}, *t = tallies ? tallies : &alone;
    lb_tally sum;
    const int64_t fit = MOST_CELLS / ((int64_t)task->max_length * task->max_length),
                  most = fit < 1 ? 1 : lb_smaller(fit, MOST_LISTS),
                  longest = lb_sort_longest(task, task->max_length);
    const lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    do {
        const int64_t first = t->next, size = lists - first < most ? lists - first : most;
        lb_tape_reset(tape);
        lb_tally *tally = lb_tallies_next(t, tape);
        t->next += size;
        if (!tally || !lb_tallies_mine(t)) continue;
        lb_batch batch = lb_sort_batch_from(task, LB_SPLIT_TEST, tape, size, (uint64_t)first);
        if (lb_tally_add(tally, model, batch, edits, longest)) break;
    } while (t->next < lists && !t->in_parts && lb_tape_status(tape) == LB_OK);
    lb_tape_set_mode(tape, mode);
    if (t->next < lists && lb_tape_status(tape) == LB_OK) return LB_ERROR_INTERRUPTED;
    lb_status status = lb_tallies_sum(t, tape, &sum);
    *found = lb_tally_evaluation(&sum, lists);
    return status;
}

lb_status lb_sort_evaluate(const lb_model *model, const lb_sort_task *task, lb_tape *tape, int64_t lists,
                           double *exact_match)
{
    lb_evaluation found = {0};
    lb_status status = lb_sort_measure(model, task, tape, lists, false, NULL, &found);
    *exact_match = found.exact_match;
    return status;
}
