/* Pairs with made-up stems. This test runs in both precisions. */

#include "lookback/op.h"
#include "support/suite.h"
#include "translate/batches/batch.h"
#include "translate/input/augment.h"

#include <string.h>

enum { ROWS = 200, VOCAB = 20, FEATURE = VOCAB - 1, ENDING = 50 };

typedef struct subject {
    lb_tape *tape;
    lb_batch batch;
    int32_t target[VOCAB];
    lb_shared_symbols shared;
} subject;

/* The symbols of the target have other ids; the last one of the source is a feature. */
static void begin(subject *s, const int32_t *source, int32_t source_length, const int32_t *target,
                  int32_t target_length)
{
    lb_batch_rows rows;
    *s = (subject){.tape = lb_tape_new()};
    for (int32_t id = LB_FIRST_TOKEN; id < FEATURE; id++) s->target[id] = id + 10;
    s->shared = (lb_shared_symbols){s->target, VOCAB};
    s->batch = lb_batch_new(s->tape, ROWS, source_length + 1, target_length + 1, &rows);
    for (int64_t row = 0; row < ROWS; row++) {
        lb_batch_set_source(&rows, row, source, source_length);
        lb_batch_set_target(&rows, row, target, target_length);
    }
}

static void end(subject *s)
{
    lb_tape_free(s->tape);
}

static lb_batch hallucinate(const subject *s, double share, uint64_t seed, int64_t step)
{
    lb_batch made = lb_hallucinate(s->batch, &s->shared, share, seed, step);
    ck_assert_msg(made.source.batch == ROWS, "%s", lb_tape_error(s->tape));
    return made;
}

/* How many rows have another symbol than the batch at a position of the source. */
static int changes(const subject *s, lb_batch made, int32_t position)
{
    int count = 0;
    for (int64_t row = 0; row < ROWS; row++) {
        int64_t at = row * s->batch.source.length + position;
        count += made.source.id[at] != s->batch.source.id[at];
    }
    return count;
}

static void expect_targets(const subject *s, lb_batch made, const int32_t *to, int32_t length)
{
    int64_t width = made.target_out.length;
    for (int64_t row = 0; row < ROWS; row++) {
        const int32_t *source = made.source.id + row * made.source.length,
                      *in = made.target_in.id + row * width, *out = made.target_out.id + row * width;
        for (int32_t i = 0; i < length; i++)
            ck_assert_int_eq(out[i],
                             to[i] < 0 ? s->batch.target_out.id[row * width + i] : s->target[source[to[i]]]);
        ck_assert_int_eq(in[0], LB_BOS);
        ck_assert_int_eq(out[length], LB_EOS);
        ck_assert_mem_eq(in + 1, out, (size_t)length * sizeof *out);
        ck_assert_int_eq(made.source.lengths[row], s->batch.source.lengths[row]);
        ck_assert_int_eq(made.target_out.lengths[row], length + 1);
    }
}

/* Of seven symbols, five can change, each in half of the rows, and then to itself in one of 15. */
START_TEST(test_inside_of_a_long_stretch_becomes_random_on_both_sides)
{
    static const int32_t source[] = {4, 5, 6, 7, 8, 9, 10, FEATURE},
                         target[] = {ENDING, 14, 15, 16, 17, 18, 19, 20, ENDING},
                         from[] = {-1, 0, 1, 2, 3, 4, 5, 6, -1};
    subject s;
    begin(&s, source, 8, target, 9);
    lb_batch made = hallucinate(&s, 1, 7, 3);
    for (int32_t i = 1; i < 6; i++) {
        ck_assert_int_gt(changes(&s, made, i), ROWS / 2 * 14 / 15 - 30);
        ck_assert_int_lt(changes(&s, made, i), ROWS / 2 * 14 / 15 + 30);
    }
    ck_assert_int_eq(changes(&s, made, 0) + changes(&s, made, 6) + changes(&s, made, 7), 0);
    expect_targets(&s, made, from, 9);
    bool seen[VOCAB] = {false};
    for (int64_t row = 0; row < ROWS; row++) seen[made.source.id[row * made.source.length + 3]] = true;
    for (int32_t id = 0; id < VOCAB; id++) ck_assert_int_eq(seen[id], id >= LB_FIRST_TOKEN && id < FEATURE);
    end(&s);
}
END_TEST

/* 4 5 6 | 7 is elsewhere | 8 9 10 11: a short stretch changes at its edges, too, and one of two never does. */
START_TEST(test_stretches_beside_the_longest_one_are_found_if_they_have_three_symbols)
{
    static const int32_t source[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
                         target[] = {14, 15, 16, 18, 19, 20, 21, ENDING, 22, 23},
                         from[] = {0, 1, 2, 4, 5, 6, 7, -1, 8, 9};
    subject s;
    begin(&s, source, 10, target, 10);
    lb_batch made = hallucinate(&s, 1, 7, 3);
    for (int32_t i = 0; i < 10; i++) ck_assert_int_eq(changes(&s, made, i) > 50, i != 3 && i != 8 && i != 9);
    expect_targets(&s, made, from, 10);
    end(&s);
}
END_TEST

/* Every second row ends early: what it has in common with its target stands behind its end. */
START_TEST(test_what_is_behind_the_end_of_a_row_is_not_in_common)
{
    static const int32_t source[] = {FEATURE, FEATURE, 4, 5, 6, 7, 8}, target[] = {14, 15, 16, 17, 18};
    subject s;
    lb_batch_rows rows;
    begin(&s, source, 7, target, 5);
    s.batch = lb_batch_copy(s.batch, &rows);
    for (int64_t row = 0; row < ROWS; row += 2) rows.source_lengths[row] = 4;
    lb_batch made = hallucinate(&s, 1, 7, 3);
    int changed[2] = {0};
    for (int64_t row = 0; row < ROWS; row++) {
        size_t at = (size_t)(row * s.batch.source.length);
        changed[row % 2] += memcmp(made.source.id + at, s.batch.source.id + at, 7 * sizeof(int32_t)) != 0;
    }
    ck_assert_int_eq(changed[0], 0);
    ck_assert_int_gt(changed[1], ROWS / 4);
    end(&s);
}
END_TEST

START_TEST(test_hallucinations_depend_on_share_seed_and_step_alone)
{
    static const int32_t source[] = {4, 5, 6, 7, 8}, target[] = {14, 15, 16, 17, 18};
    subject s;
    begin(&s, source, 5, target, 5);
    ck_assert_ptr_eq(hallucinate(&s, 0, 7, 3).source.id, s.batch.source.id);
    lb_batch made = hallucinate(&s, 0.5, 7, 3);
    int rows = 0;
    for (int64_t row = 0; row < ROWS; row++)
        rows += memcmp(made.source.id + row * 6, s.batch.source.id + row * 6, 6 * sizeof(int32_t)) != 0;
    ck_assert_int_gt(rows, 70);
    ck_assert_int_lt(rows, 125);
    size_t bytes = (size_t)ROWS * 6 * sizeof(int32_t);
    lb_tensor_new(s.tape, LB_SHAPE(3), NULL);
    ck_assert_mem_eq(made.source.id, hallucinate(&s, 0.5, 7, 3).source.id, bytes);
    ck_assert_mem_ne(made.source.id, hallucinate(&s, 0.5, 7, 4).source.id, bytes);
    ck_assert_mem_ne(made.source.id, hallucinate(&s, 0.5, 8, 3).source.id, bytes);
    end(&s);
}
END_TEST

/* Of an alphabet of thousands, made-up symbols are any of it. */
START_TEST(test_made_up_symbols_of_a_large_alphabet_are_in_it)
{
    enum { LARGE = 20000 };
    static const int32_t source[] = {4, 5, 6, 7, 8}, target[] = {14, 15, 16, 17, 18};
    static int32_t shared[LARGE];
    subject s;
    int64_t above = 0;
    begin(&s, source, 5, target, 5);
    for (int32_t id = LB_FIRST_TOKEN; id < LARGE; id++) shared[id] = id + 10;
    s.shared = (lb_shared_symbols){shared, LARGE};
    lb_batch made = hallucinate(&s, 1, 7, 3);
    for (int64_t i = 0; i < ROWS * made.source.length; i++) {
        bool there = i % made.source.length < 5;
        ck_assert_int_lt(made.source.id[i], LARGE);
        ck_assert_int_ge(made.source.id[i], there ? LB_FIRST_TOKEN : 0);
        above += made.source.id[i] > LARGE / 2;
    }
    ck_assert_int_gt(above, ROWS / 2);
    end(&s);
}
END_TEST

START_TEST(test_nothing_is_hallucinated_where_source_and_target_share_no_symbol)
{
    static const int32_t source[] = {4, 5, 6, 7, 8}, target[] = {14, 15, 16, 17, 18};
    subject s;
    begin(&s, source, 5, target, 5);
    memset(s.target, 0, sizeof s.target);
    lb_batch made = hallucinate(&s, 1, 7, 3);
    for (int32_t i = 0; i < 5; i++) ck_assert_int_eq(changes(&s, made, i), 0);
    end(&s);
}
END_TEST
