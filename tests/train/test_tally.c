/* What evaluations add up, by teacher forcing and by search. This test runs in both precisions. */
#include "support/sorting.h"
#include "support/suite.h"
#include "train/tally.h"

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
    lb_tape_reset(s.tape);
    lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
    lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, LISTS, 0);
    ck_assert_int_eq(lb_tally_add(&forced, s.model, batch, true), LB_OK);
    ck_assert_int_eq(lb_tally_add_search(&found, s.model, batch, (lb_beam_config){.beam = 1}), LB_OK);
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

int main(void)
{
    return support_run_tests(
        "tally", SUPPORT_TESTS(test_search_of_width_one_adds_what_teacher_forcing_and_greedy_decoding_add));
}
