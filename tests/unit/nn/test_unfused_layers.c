/* Fused recurrent layers, normalization and cross-entropy against their unfused twins, values and gradients, at odd
 * sizes. This test runs in both precisions. */
#include "autograd/op.h"
#include "support/alloc.h"
#include "support/leaf.h"
#include "support/suite.h"
#include "support/tape_room.h"
#include "support/twins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lb_unfused_result fused_gru(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    lb_tensor *outputs = lb_gru_sequence(in[0], NULL, in[3], in[1], in[2], t->lengths, t->reverse);
    return (lb_unfused_result){{outputs, lb_op_output(outputs, 1)}};
}

static lb_unfused_result unfused_gru(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    return lb_unfused_gru_sequence(in[0], in[3], in[1], in[2], t->lengths, t->reverse);
}

static void check_gru(int64_t batch, int64_t steps, int64_t hidden, int kind)
{
    support_twins t = {.reverse = kind & 1};
    bool padded = kind & 2, given = kind & 4;
    snprintf(t.name, sizeof t.name, "gru, batch %d, steps %d, hidden %d%s%s%s", (int)batch, (int)steps,
             (int)hidden, t.reverse ? ", reverse" : "", padded ? ", padded" : "",
             given ? ", initial state" : "");
    t.lengths = padded ? support_draw_lengths(batch, steps) : NULL;
    support_twins_leaf(&t, LB_SHAPE(batch, steps, 3 * hidden));
    support_twins_leaf(&t, LB_SHAPE(3 * hidden, hidden));
    support_twins_leaf(&t, LB_SHAPE(3 * hidden));
    if (given) support_twins_leaf(&t, LB_SHAPE(batch, hidden));
    support_twins_compare(&t, fused_gru, unfused_gru,
                          (const int64_t[]){batch * steps * hidden, batch * hidden, 0});
}

static lb_unfused_result fused_lstm(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    lb_tensor *outputs = lb_lstm_sequence(in[0], NULL, in[3], in[1], in[2], t->lengths, t->reverse);
    return (lb_unfused_result){{outputs, lb_op_output(outputs, 1)}};
}

static lb_unfused_result unfused_lstm(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    return lb_unfused_lstm_sequence(in[0], in[3], in[1], in[2], t->lengths, t->reverse);
}

static void check_lstm(int64_t batch, int64_t steps, int64_t hidden, int kind)
{
    support_twins t = {.reverse = kind & 1};
    bool padded = kind & 2, given = kind & 4;
    snprintf(t.name, sizeof t.name, "lstm, batch %d, steps %d, hidden %d%s%s%s", (int)batch, (int)steps,
             (int)hidden, t.reverse ? ", reverse" : "", padded ? ", padded" : "",
             given ? ", initial state" : "");
    t.lengths = padded ? support_draw_lengths(batch, steps) : NULL;
    support_twins_leaf(&t, LB_SHAPE(batch, steps, 4 * hidden));
    support_twins_leaf(&t, LB_SHAPE(4 * hidden, hidden));
    support_twins_leaf(&t, LB_SHAPE(4 * hidden));
    if (given) support_twins_leaf(&t, LB_SHAPE(batch, 2 * hidden));
    support_twins_compare(&t, fused_lstm, unfused_lstm,
                          (const int64_t[]){batch * steps * hidden, batch * 2 * hidden, 0});
}

START_TEST(test_lstm_sequence_equals_its_unfused_twin)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 6, 7}, {3, 4, 33}, {37, 5, 7}, {9, 13, 16}};
    for (int s = 0; s < 5; s++)
        for (int kind = 0; kind < 8; kind++) check_lstm(sizes[s][0], sizes[s][1], sizes[s][2], kind);
}
END_TEST

START_TEST(test_gru_sequence_equals_its_unfused_twin)
{
    static const int64_t sizes[][3] = {{1, 1, 1},  {1, 6, 7},   {3, 4, 33}, {37, 5, 1},
                                       {37, 5, 7}, {37, 3, 33}, {9, 13, 16}};
    for (int s = 0; s < 7; s++)
        for (int kind = 0; kind < 8; kind++) check_gru(sizes[s][0], sizes[s][1], sizes[s][2], kind);
}
END_TEST

static lb_unfused_result fused_normalize(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    return (lb_unfused_result){{lb_standardize(in[0], in[1], in[2], t->number)}};
}

static lb_unfused_result unfused_normalize(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    (void)tape;
    return (lb_unfused_result){{lb_unfused_normalize(in[0], in[1], in[2], t->number)}};
}

START_TEST(test_normalize_equals_its_unfused_twin)
{
    static const int64_t sizes[][3] = {{1, 1, 7}, {3, 5, 33}, {37, 2, 3}, {5, 1, 129}};
    for (int s = 0; s < 8; s++) {
        support_twins t = {.name = "normalize", .number = (lb_real)1e-3};
        const int64_t *size = sizes[s / 2];
        support_twins_leaf(&t, LB_SHAPE(size[0], size[1], size[2]));
        for (int64_t i = 0; i < lb_count(t.leaf[0]) && s % 2; i++)
            t.leaf[0]->data[i] += 1000000; /* far from 0 */
        support_twins_leaf(&t, LB_SHAPE(size[2]));
        support_twins_leaf(&t, LB_SHAPE(size[2]));
        support_twins_compare(&t, fused_normalize, unfused_normalize,
                              (const int64_t[]){size[0] * size[1] * size[2], 0, 0});
    }
}
END_TEST

static lb_tokens targets_of(lb_tape *tape, const support_twins *t, const lb_tensor *logits)
{
    return (lb_tokens){tape, lb_dim(logits, 0), lb_dim(logits, 1), t->ids, NULL};
}

/* The logits, of which every third class is hidden if the support_twins is masked. */
static lb_tensor *logits_of(lb_tape *tape, const support_twins *t, lb_tensor *logits)
{
    if (!t->masked) return logits;
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(lb_dim(logits, -1)), NULL);
    for (int64_t i = 0; i < lb_count(mask); i++) mask->data[i] = i % 3 != 1;
    return lb_masked_fill(logits, mask, -(lb_real)INFINITY);
}

static lb_unfused_result fused_cross_entropy(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_tokens targets = targets_of(tape, t, in[0]);
    return (lb_unfused_result){{lb_cross_entropy_smoothed(logits_of(tape, t, in[0]), targets, 2, t->number)}};
}

static lb_unfused_result unfused_cross_entropy(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_tokens targets = targets_of(tape, t, in[0]);
    return (lb_unfused_result){{lb_unfused_cross_entropy(logits_of(tape, t, in[0]), targets, 2, t->number)}};
}

START_TEST(test_cross_entropy_equals_its_unfused_twin)
{
    static const int64_t sizes[][3] = {{1, 1, 3}, {3, 5, 33}, {37, 4, 7}, {5, 9, 257}};
    for (int s = 0; s < 4; s++)
        for (int kind = 0; kind < 4; kind++) {
            int32_t ids[200];
            support_twins t = {.name = "cross-entropy",
                               .ids = ids,
                               .number = kind & 1 ? (lb_real)0.15 : 0,
                               .masked = kind & 2};
            for (int64_t i = 0; i < sizes[s][0] * sizes[s][1]; i++)
                ids[i] = (int32_t)support_draw_below((uint64_t)i, (uint64_t)sizes[s][2]);
            ids[0] = 1; /* not all are ignored */
            for (int64_t i = 0; i < sizes[s][0] * sizes[s][1]; i++)
                if (t.masked && ids[i] % 3 == 1) ids[i]--; /* targets are seen */
            support_twins_leaf(&t, LB_SHAPE(sizes[s][0], sizes[s][1], sizes[s][2]));
            support_twins_compare(&t, fused_cross_entropy, unfused_cross_entropy, (const int64_t[]){1, 0, 0});
        }
}
END_TEST

START_TEST(test_cross_entropy_of_hidden_targets_is_infinite_like_its_unfused_twin)
{
    static const int32_t ids[] = {0, 1};
    const lb_real hidden = -(lb_real)INFINITY;
    for (int kind = 0; kind < 4; kind++) {
        lb_tape *tape = lb_tape_new();
        lb_tensor *leaf[2];
        lb_tokens targets = {tape, 1, 2, ids, NULL};
        for (int unfused = 0; unfused < 2; unfused++) {
            lb_tensor *x = leaf[unfused] = support_leaf(LB_SHAPE(1, 2, 3), -1, 1, 3),
                      *in = lb_on_tape(tape, x);
            x->data[0] = hidden;
            if (kind & 2) x->data[1] = x->data[2] = hidden;
            lb_real smoothing = kind & 1 ? (lb_real)0.1 : 0;
            lb_tensor *loss = unfused ? lb_unfused_cross_entropy(in, targets, -1, smoothing)
                                      : lb_cross_entropy_smoothed(in, targets, -1, smoothing);
            ck_assert(isinf(lb_item(loss)) && lb_item(loss) > 0);
            ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
            lb_tape_reset(tape);
        }
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol((double)leaf[0]->grad[i], (double)leaf[1]->grad[i], 1e-6);
        for (int unfused = 0; unfused < 2; unfused++) support_leaf_free(leaf[unfused]);
        lb_tape_free(tape);
    }
}
END_TEST

START_TEST(test_unfused_cross_entropy_without_memory_is_poison)
{
    enum { PIECES = 12 };
    static const int32_t ids[] = {1, 2, 3, 0, 1, 2};
    static const int32_t lengths[] = {3, 3};
    int failed = 0;
    support_watch_allocations();
    for (long pieces = 0; pieces <= PIECES; pieces++) {
        lb_tape *tape = lb_tape_new();
        support_leave_room(pieces, true);
        lb_tensor *logits = lb_tensor_new(tape, LB_SHAPE(2, 3, 4), NULL);
        lb_tensor *loss = lb_unfused_cross_entropy(logits, (lb_tokens){tape, 2, 3, ids, lengths}, 0, 0);
        lb_status status = lb_tape_status(tape);
        ck_assert_int_eq(lb_is_sound(loss), status == LB_OK);
        ck_assert(status == LB_OK || status == LB_ERROR_MEMORY);
        failed += status != LB_OK;
        support_find_memory();
        lb_tape_free(tape);
    }
    ck_assert_int_gt(failed, 2);
}
END_TEST
