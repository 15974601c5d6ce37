/* Symbols hidden in training, so that a model learns to copy them. This test runs in both precisions. */
#include "translate/input/augment.h"

#include "lookback/op.h"
#include "support/suite.h"

#include <string.h>

enum { ROWS = 64, LENGTH = 6, VOCAB = 12, WIDTH = LENGTH + 1 };

typedef struct subject {
    int32_t as[VOCAB];
    lb_shared_symbols shared;
    lb_tape *tape;
    lb_batch batch;
    int32_t source[ROWS * LENGTH], in[ROWS * WIDTH], out[ROWS * WIDTH];
    int32_t source_lengths[ROWS], target_lengths[ROWS];
} subject;

/* Targets are the reversed sources; symbol 4 is never copied, and 5 and 6 are copied as each other. */
static void begin(subject *s)
{
    memset(s, 0, sizeof *s);
    s->tape = lb_tape_new();
    s->shared = (lb_shared_symbols){s->as, VOCAB};
    int32_t *as = s->as;
    for (int32_t id = LB_UNK; id < VOCAB; id++) as[id] = id == 4 ? LB_PAD : id == 5 ? 6 : id == 6 ? 5 : id;
    lb_rng rng = {.seed = 2};
    for (int row = 0; row < ROWS; row++) {
        int length = 2 + row % 5;
        int32_t *source = s->source + row * LENGTH, *in = s->in + row * WIDTH, *out = s->out + row * WIDTH;
        for (int i = 0; i < length; i++)
            source[i] = LB_FIRST_TOKEN + (int32_t)lb_rng_below(rng, (uint64_t)row * LENGTH + (uint64_t)i,
                                                               VOCAB - LB_FIRST_TOKEN);
        in[0] = LB_BOS;
        for (int i = 0; i < length; i++)
            in[i + 1] = out[i] = as[source[length - 1 - i]] ? as[source[length - 1 - i]] : 4;
        out[length] = LB_EOS;
        s->source_lengths[row] = length;
        s->target_lengths[row] = length + 1;
    }
    s->batch = (lb_batch){{s->tape, ROWS, LENGTH, s->source, s->source_lengths},
                          {s->tape, ROWS, WIDTH, s->in, s->target_lengths},
                          {s->tape, ROWS, WIDTH, s->out, s->target_lengths},
                          NULL};
}

static void end(subject *s)
{
    lb_tape_free(s->tape);
}

/* The same share for each symbol. */
static const double *all_of(double share)
{
    static double each[VOCAB];
    for (int i = 0; i < VOCAB; i++) each[i] = share;
    return each;
}

static int64_t count_hidden(const int32_t *id, int64_t count)
{
    int64_t hidden = 0;
    for (int64_t i = 0; i < count; i++) hidden += id[i] == LB_UNK;
    return hidden;
}

START_TEST(test_hidden_symbols_are_hidden_on_both_sides_wherever_they_occur)
{
    subject s;
    begin(&s);
    lb_batch hidden = lb_hide_symbols(&s.shared, s.batch, all_of(0.5), 7, 3);
    ck_assert_msg(hidden.source.batch == ROWS, "%s", lb_tape_error(s.tape));
    for (int row = 0; row < ROWS; row++) {
        const int32_t *source = s.source + row * LENGTH, *out = s.out + row * WIDTH;
        for (int i = 0; i < LENGTH; i++) {
            bool gone = hidden.source.id[row * LENGTH + i] == LB_UNK;
            int32_t target = s.as[source[i]];
            SUPPORT_CHECK(gone || hidden.source.id[row * LENGTH + i] == source[i], "row %d, symbol %d", row,
                          i);
            SUPPORT_CHECK(!gone || source[i] > 4, "row %d hides a symbol that is not copied", row);
            for (int k = 0; k < LENGTH; k++)
                SUPPORT_CHECK(source[k] != source[i] ||
                                  (hidden.source.id[row * LENGTH + k] == LB_UNK) == gone,
                              "row %d hides some of a symbol", row);
            for (int t = 0; gone && t < WIDTH; t++)
                SUPPORT_CHECK(out[t] != target || hidden.target_out.id[row * WIDTH + t] == LB_UNK,
                              "row %d does not hide in the target", row);
        }
        for (int t = 0; t + 1 < s.target_lengths[row]; t++)
            ck_assert_int_eq(hidden.target_in.id[row * WIDTH + t + 1], hidden.target_out.id[row * WIDTH + t]);
        ck_assert_int_eq(hidden.target_in.id[row * WIDTH], LB_BOS);
        ck_assert_int_eq(hidden.target_out.id[row * WIDTH + s.target_lengths[row] - 1], LB_EOS);
    }
    int64_t source = count_hidden(hidden.source.id, (int64_t)ROWS * LENGTH);
    ck_assert_int_gt(source, 60);
    ck_assert_int_lt(source, 160);
    end(&s);
}
END_TEST

START_TEST(test_hidden_symbols_depend_on_seed_and_step_alone)
{
    subject s;
    begin(&s);
    lb_batch first = lb_hide_symbols(&s.shared, s.batch, all_of(0.5), 7, 3);
    lb_tensor_new(s.tape, LB_SHAPE(3), NULL);
    lb_batch again = lb_hide_symbols(&s.shared, s.batch, all_of(0.5), 7, 3),
             later = lb_hide_symbols(&s.shared, s.batch, all_of(0.5), 7, 4),
             other = lb_hide_symbols(&s.shared, s.batch, all_of(0.5), 8, 3);
    size_t bytes = sizeof s.source;
    ck_assert_mem_eq(first.source.id, again.source.id, bytes);
    ck_assert_mem_ne(first.source.id, later.source.id, bytes);
    ck_assert_mem_ne(first.source.id, other.source.id, bytes);
    ck_assert_mem_eq(first.source.lengths, s.source_lengths, sizeof s.source_lengths);
    ck_assert_mem_eq(first.target_out.lengths, s.target_lengths, sizeof s.target_lengths);
    end(&s);
}
END_TEST

START_TEST(test_hidden_symbols_of_a_share_of_zero_are_none_and_of_one_all_that_are_copied)
{
    subject s;
    begin(&s);
    lb_batch none = lb_hide_symbols(&s.shared, s.batch, all_of(0), 7, 3),
             all = lb_hide_symbols(&s.shared, s.batch, all_of(1), 7, 3);
    ck_assert_mem_eq(none.source.id, s.source, sizeof s.source);
    ck_assert_mem_eq(none.target_out.id, s.out, sizeof s.out);
    for (int i = 0; i < ROWS * LENGTH; i++)
        ck_assert_int_eq(all.source.id[i], s.source[i] > 4 ? LB_UNK : s.source[i]);
    end(&s);
}
END_TEST

START_TEST(test_hidden_shares_are_smaller_for_frequent_symbols_and_zero_for_those_that_are_not_copied)
{
    static const char *const symbols[] = {"never", "a", "b", "c", "d", "e", "f", "g"};
    static const int counts[] = {50, 60, 10, 2, 0, 0, 0, 0}; /* and each once */
    double *share = NULL;
    lb_error error = {0};
    subject s;
    begin(&s);
    lb_vocabulary *source = lb_vocabulary_new_reserved(&error);
    ck_assert_int_eq(lb_vocabulary_add(source, symbols, 8, &error), LB_OK);
    for (int i = 0; SUPPORT_ROW(i, symbols); i++)
        for (int k = 0; k < counts[i]; k++)
            ck_assert_int_eq(lb_vocabulary_add(source, &symbols[i], 1, &error), LB_OK);
    ck_assert_int_eq(lb_hidden_shares(&s.shared, source, 0.2, &share, &error), LB_OK);
    double mean = (61 + 11 + 3 + 4) / 7.0;
    ck_assert_double_eq(share[LB_UNK], 0);
    ck_assert_double_eq(share[4], 0);
    ck_assert_double_eq_tol(share[5], 0.2 * mean / 61, 1e-12);
    ck_assert_double_eq_tol(share[6], 0.2, 1e-12);
    ck_assert_double_eq_tol(share[8], 0.2, 1e-12);
    lb_release(share);
    lb_vocabulary_free(source);
    end(&s);
}
END_TEST

START_TEST(test_without_shares_nothing_is_hidden)
{
    subject s;
    begin(&s);
    lb_batch same = lb_hide_symbols(&s.shared, s.batch, NULL, 7, 3);
    ck_assert_ptr_eq(same.source.id, s.source);
    ck_assert_ptr_eq(same.target_in.id, s.in);
    end(&s);
}
END_TEST
