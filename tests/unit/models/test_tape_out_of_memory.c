/* Memory that runs out at any place of a tape, while a model learns or writes. */
#include "base/alloc.h"
#include "lookback/models.h"
#include "lookback/op.h"
#include "lookback/train.h"
#include "models/ensemble/ensemble.h"
#include "support/alloc.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "support/tape_room.h"
#include "translate/batches/batch.h"
#include "translate/input/augment.h"

#include <string.h>

enum { ROWS = 2, LIMIT = 3 };

static const lb_sort_task task = {.max_value = 3, .min_length = 2, .max_length = 2, .seed = 3};
static const support_sorter sorters[] = {
    {.seq2seq = {.embed = 3, .hidden = 4}},
    {.seq2seq = {.embed = 4,
                 .hidden = 4,
                 .layers = 2,
                 .bidirectional = true,
                 .attention = LB_ATTENTION_MULTI_HEAD,
                 .heads = 2,
                 .dropout = (lb_real)0.1,
                 .tied = true}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_GENERAL}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_MONOTONIC_1}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_LOCAL_M}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_LOCAL_P}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_COVERAGE}},
    {.seq2seq = {.embed = 3, .hidden = 4, .attention = LB_ATTENTION_LOCATION}},
    {.transformer = {.width = 4, .heads = 2, .layers = 1, .dropout = (lb_real)0.1}},
};
enum { SORTERS = LB_LENGTH(sorters) };

/* One use of a model on a tape. `result` is what it ends with, if it does. */
typedef lb_status scenario(const lb_model *model, lb_tape *tape, double *result);

static lb_status learn(const lb_model *model, lb_tape *tape, double *result)
{
    lb_batch batch = lb_sort_batch(&task, tape, ROWS, 0);
    lb_tensor *logits = lb_model_forward(model, batch.source, batch.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    ck_assert_int_eq(lb_is_sound(loss), lb_tape_status(tape) == LB_OK);
    *result = (double)lb_item(loss);
    return lb_backward(loss, NULL);
}

static lb_status write_greedily(const lb_model *model, lb_tape *tape, double *result)
{
    lb_batch batch = lb_sort_batch(&task, tape, ROWS, 0);
    lb_decoded found = lb_greedy(model, batch.source, LIMIT);
    ck_assert_int_eq(found.batch, lb_tape_status(tape) ? 0 : ROWS);
    for (int64_t i = 0; i < found.batch * found.length; i++) *result = 10 * *result + found.id[i];
    return lb_tape_status(tape);
}

static double score_of(const lb_beam *found)
{
    double sum = 0;
    for (int64_t i = 0; i < found->batch * found->n_best; i++) sum += found->hypothesis[i].score;
    return sum;
}

static lb_status search(const lb_model *model, lb_tape *tape, double *result)
{
    lb_batch batch = lb_sort_batch(&task, tape, ROWS, 0);
    lb_beam found = lb_beam_search(model, batch.source, (lb_beam_config){.beam = 2, .limit = LIMIT});
    ck_assert_int_eq(found.batch, lb_tape_status(tape) ? 0 : ROWS);
    *result = score_of(&found);
    return lb_tape_status(tape);
}

static lb_status sample(const lb_model *model, lb_tape *tape, double *result)
{
    lb_batch batch = lb_sort_batch(&task, tape, ROWS, 0);
    lb_beam found = lb_sample(model, batch.source, (lb_sample_config){.count = 2, .limit = LIMIT, .seed = 1});
    ck_assert_int_eq(found.batch, lb_tape_status(tape) ? 0 : ROWS);
    *result = score_of(&found);
    return lb_tape_status(tape);
}

static lb_status mix(const lb_model *model, lb_tape *tape, double *result)
{
    lb_batch batch = lb_sort_batch(&task, tape, ROWS, 0);
    lb_tokens mixed = lb_scheduled_tokens(model, batch.source, batch.target_in,
                                          (lb_scheduled_sampling){.probability = 0.5, .seed = 4}, 0);
    ck_assert_int_eq(mixed.batch, lb_tape_status(tape) ? 0 : ROWS);
    for (int64_t i = 0; i < mixed.batch * mixed.length; i++) *result = 10 * *result + mixed.id[i];
    return lb_tape_status(tape);
}

static lb_status run(scenario *use, const lb_model *model, const long *pieces, bool for_good, double *result)
{
    lb_tape *tape = lb_tape_new();
    lb_tape_seed(tape, 5, 0);
    if (pieces) support_leave_room(*pieces, for_good);
    *result = 0;
    lb_status status = use(model, tape, result);
    support_find_memory();
    ck_assert_int_eq(lb_tape_mode(tape), LB_MODE_TRAIN);
    ck_assert_int_eq(lb_tape_status(tape), status);
    lb_tape_free(tape);
    return status;
}

/* With room for few tensors, then for more and more: an error, until there is enough for the same result. */
static void run_out_of_memory(scenario *use, const lb_model *model, bool for_good)
{
    double expected, found;
    ck_assert_int_eq(run(use, model, NULL, false, &expected), LB_OK);
    lb_status status = LB_ERROR_MEMORY;
    for (long pieces = 0; status; pieces++) {
        status = run(use, model, &pieces, for_good, &found);
        ck_assert_msg(status == LB_OK || status == LB_ERROR_MEMORY, "%ld pieces: %s", pieces,
                      lb_status_text(status));
        ck_assert_msg(status != LB_OK || found == expected, "%ld pieces: %.17g, not %.17g", pieces, found,
                      expected);
    }
}

static scenario *const uses[] = {learn, write_greedily, search, sample, mix};

static void check_uses(const lb_model *model, lb_params *params)
{
    for (int i = 0; SUPPORT_ROW(i, uses); i++) {
        run_out_of_memory(uses[i], model, false);
        run_out_of_memory(uses[i], model, true);
    }
    /* Backward of the runs that had enough has added something. */
    bool any = false;
    for (int64_t i = 0; i < lb_params_size(params); i++) any |= lb_params_grads(params)[i] != 0;
    ck_assert(any);
}

START_LOOP_TEST(test_model_without_enough_memory_is_an_error_anywhere, SORTERS)
{
    support_sorting s;
    lb_set_threads(1);
    support_watch_allocations();
    ck_assert_int_eq(support_sorting_open(&s, task, sorters[_i]), LB_OK);
    check_uses(s.model, s.params);
    support_sorting_close(&s);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_ensemble_without_enough_memory_is_an_error_anywhere)
{
    support_sorting one, two;
    lb_ensemble both;
    lb_set_threads(1);
    support_watch_allocations();
    ck_assert_int_eq(support_sorting_open(&one, task, sorters[0]), LB_OK);
    ck_assert_int_eq(support_sorting_open(&two, task, sorters[2]), LB_OK);
    const lb_model *const members[] = {one.model, two.model};
    ck_assert_int_eq(lb_ensemble_init(&both, members, LB_LENGTH(members), NULL), LB_OK);
    check_uses(&both.base, one.params);
    support_sorting_close(&one);
    support_sorting_close(&two);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
