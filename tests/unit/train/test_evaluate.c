/* Exact match, found by teacher forcing and by decoding, and what evaluations add up.
 * This test runs in both precisions. */
#include "models/decode/model.h"
#include "support/group.h"
#include "support/sorting.h"
#include "support/suite.h"
#include "train/evaluate.h"

#include <string.h>

static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 4, .seed = 3};

enum { LISTS = 600, DECODED_AT_ONCE = 200 };

/* The rows whose output equals the target, LB_EOS included. */
static int64_t exact_matches(const lb_decoded *decoded, lb_tokens target_out)
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

static double decoded_share(support_sorting *s)
{
    int64_t matches = 0;
    for (uint64_t first = 0; first < LISTS; first += DECODED_AT_ONCE) {
        lb_tape_reset(s->tape);
        lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s->tape, DECODED_AT_ONCE, first);
        lb_decoded decoded = lb_greedy(s->model, batch.source, lb_decoding_limit(batch.source.length));
        matches += exact_matches(&decoded, batch.target_out);
    }
    return (double)matches / LISTS;
}

START_TEST(test_sort_evaluate_finds_what_greedy_decoding_finds)
{
    support_sorting s;
    ck_assert_int_eq(support_sorting_open(&s, task, (support_sorter){.seq2seq = {.embed = 8, .hidden = 16}}),
                     LB_OK);
    double begun = 0, forced = 0;
    ck_assert_int_eq(lb_sort_evaluate(s.model, &task, s.tape, LISTS, &begun), LB_OK);
    for (int step = 0; step < 900; step++) {
        support_sorting_step(&s, 16, step, NULL);
        if (step % 300 != 299) continue;
        ck_assert_int_eq(lb_sort_evaluate(s.model, &task, s.tape, LISTS, &forced), LB_OK);
        ck_assert_double_eq(forced, decoded_share(&s));
        ck_assert_double_gt(forced, begun);
        ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    }
    ck_assert_double_lt(begun, 0.1);
    ck_assert_double_gt(forced, 0.2);
    ck_assert_double_lt(forced, 1);
    support_sorting_close(&s);
}
END_TEST

static int right_rows(const lb_tensor *logits, lb_tokens target)
{
    return lb_row_is_right(logits, target, 0) + lb_row_is_right(logits, target, 1);
}

START_TEST(test_row_is_right_needs_every_token_and_the_end)
{
    static const int32_t id[] = {4, LB_EOS, LB_PAD, 5, 4, LB_EOS}, lengths[] = {2, 3};
    lb_tape *tape = lb_tape_new();
    lb_tokens target = {tape, 2, 3, id, lengths};
    lb_tensor *logits = lb_tensor_new(tape, LB_SHAPE(2, 3, 6), NULL);
    for (int64_t i = 0; i < 6; i++) logits->data[i * 6 + id[i]] = 1;
    ck_assert_int_eq(right_rows(logits, target), 2);
    logits->data[2 * 6 + 3] = 9; /* padding is ignored */
    ck_assert_int_eq(right_rows(logits, target), 2);
    logits->data[1 * 6 + 5] = 2; /* continues where the row should end */
    ck_assert_int_eq(right_rows(logits, target), 1);
    logits->data[3 * 6 + LB_PAD] = 2; /* is never written */
    ck_assert_int_eq(right_rows(logits, target), 1);
    logits->data[3 * 6 + LB_UNK] = 2;
    ck_assert_int_eq(right_rows(logits, target), 0);
    lb_tape_free(tape);
}
END_TEST

enum { COUNTED = 40, STEPS = 400 };

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
    lb_batch batch = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, COUNTED, 0);
    ck_assert_int_eq(lb_tally_add(&forced, s.model, batch, true, task.max_length), LB_OK);
    ck_assert_int_eq(
        lb_tally_add_search(&found, s.model, batch, (lb_beam_config){.beam = 1}, task.max_length), LB_OK);
    ck_assert_int_eq(found.rows, COUNTED);
    ck_assert_int_eq(found.tokens, forced.tokens);
    ck_assert_int_eq(found.symbols, forced.symbols);
    ck_assert_int_eq(found.symbols, forced.tokens - COUNTED);
    ck_assert_int_eq(found.right, forced.right);
    ck_assert_int_eq(found.edits, forced.edits);
    ck_assert(forced.right > 0 && forced.right < COUNTED);
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
    for (int i = 0; SUPPORT_ROW(i, counters); i++) {
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
