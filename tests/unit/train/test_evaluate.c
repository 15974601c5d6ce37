/* Exact match, found by teacher forcing and by decoding. This test runs in both precisions. */
#include "models/decode/model.h"
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
