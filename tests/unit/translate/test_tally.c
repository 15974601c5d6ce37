/* What evaluations add up, by teacher forcing and by search. This test runs in both precisions. */
#include "support/group.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "translate/batches/evaluate.h"

static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 4, .seed = 3};

enum { LISTS = 40, STEPS = 400 };

/* A width of one is greedy decoding. */
START_TEST(test_search_of_width_one_adds_what_teacher_forcing_and_greedy_decoding_add)
{
    support_sorting s;
    lb_tally forced = {0}, found = {0};
    ck_assert_int_eq(support_sorting_open(&s, task, (support_sorter){.seq2seq = {.embed = 8, .hidden = 16}}),
                     LB_OK);
    for (int step = 0; step < STEPS; step++) support_sorting_step(&s, 16, step, NULL);
    /* The loss of a training counts what is never written, and a search does not: leave nothing of it. */
    lb_tensor *bias = lb_params_find(s.params, "sort.output.bias");
    bias->data[LB_PAD] = bias->data[LB_BOS] = -1000;
    lb_tape_reset(s.tape);
    lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
    lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, LISTS, 0);
    ck_assert_int_eq(lb_tally_add(&forced, s.model, batch, true, task.max_length), LB_OK);
    ck_assert_int_eq(
        lb_tally_add_search(&found, s.model, batch, (lb_beam_config){.beam = 1}, task.max_length), LB_OK);
    ck_assert_int_eq(found.rows, LISTS);
    ck_assert_int_eq(found.tokens, forced.tokens);
    ck_assert_int_eq(found.symbols, forced.symbols);
    ck_assert_int_eq(found.symbols, forced.tokens - LISTS);
    ck_assert_int_eq(found.right, forced.right);
    ck_assert_int_eq(found.edits, forced.edits);
    ck_assert(forced.right > 0 && forced.right < LISTS);
    ck_assert_double_eq_tol(found.loss, forced.loss, 1e-3 * forced.loss);
    support_sorting_close(&s);
}
END_TEST

enum { PROCESSES = 2, BATCHES = 5 };

/* A process that adds batches, each with its own numbers. */
typedef struct counter {
    support_member member;
    lb_status status;
    lb_tally sum;
} counter;

static void *add_batches(void *argument)
{
    counter *c = argument;
    lb_tallies tallies = {.group = &c->member.group};
    lb_tape *tape = lb_tape_new();
    for (int64_t batch = 0; batch < BATCHES; batch++) {
        lb_tally *tally = lb_tallies_next(&tallies, tape);
        if (tally && lb_tallies_mine(&tallies))
            *tally = (lb_tally){1 << batch, batch, 10 * batch, 0.1 * (double)batch, 2 * batch, 3 * batch};
    }
    c->status = lb_tallies_sum(&tallies, tape, &c->sum);
    lb_tape_free(tape);
    return NULL;
}

START_TEST(test_sum_in_each_process_is_that_of_all)
{
    counter counters[PROCESSES] = {0};
    support_run_group(PROCESSES, add_batches, counters, sizeof *counters);
    for (int i = 0; i < PROCESSES; i++) {
        const lb_tally *sum = &counters[i].sum;
        ck_assert_int_eq(counters[i].status, LB_OK);
        ck_assert_int_eq(sum->rows, (1 << BATCHES) - 1);
        ck_assert_int_eq(sum->right, 10);
        ck_assert_int_eq(sum->tokens, 100);
        ck_assert_double_eq_tol(sum->loss, 1, 1e-12);
        ck_assert_int_eq(sum->symbols, 20);
        ck_assert_int_eq(sum->edits, 30);
    }
}
END_TEST
