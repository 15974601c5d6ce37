/* Each fused op against its unfused twin, values and gradients, at odd sizes: batches
 * beyond one tile of rows, widths of 1, 7 and 33. This test runs in both precisions. */
#include "autograd/op.h"
#include "base/alloc.h"
#include "lookback/base.h"
#include "nn/unfused.h"
#include "support/alloc.h"
#include "support/leaf.h"
#include "support/suite.h"
#include "support/tape_room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-11;
#else
static const double TOLERANCE = 2e-5;
#endif

enum { MOST = 10, NORMALIZERS = LB_ENTMAX + 1 };

/* One comparison: operands, what else the ops need, and the two ops. */
typedef struct trial {
    char name[128];
    lb_tensor *leaf[MOST];
    int leaves;
    const int32_t *lengths, *ids;
    bool reverse, masked, biased;
    lb_real number;
    lb_normalizer normalizer;
} trial;

typedef lb_unfused_result (*twin)(lb_tape *tape, const trial *t, lb_tensor *const *in);

static void add_leaf(trial *t, lb_shape shape)
{
    t->leaf[t->leaves] = support_leaf(shape, -1, (lb_real)1.2, 40 + (uint64_t)t->leaves);
    t->leaves++;
}

static uint64_t whole(uint64_t at, uint64_t bound)
{
    return lb_rng_below((lb_rng){.seed = 99}, at, bound);
}

/* Lengths from 0 to steps, including both ends if there are enough rows. */
static const int32_t *draw_lengths(int64_t batch, int64_t steps)
{
    static int32_t lengths[64];
    for (int64_t row = 0; row < batch; row++)
        lengths[row] = (int32_t)whole((uint64_t)row, (uint64_t)steps + 1);
    if (batch > 2) lengths[1] = 0;
    lengths[0] = (int32_t)steps;
    return lengths;
}

/* Everything that one twin computes: outputs, then the gradients of all leaves. */
static double *evaluate(twin run, const trial *t, int64_t *total)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *in[MOST] = {NULL};
    for (int i = 0; i < t->leaves; i++) {
        memset(t->leaf[i]->grad, 0, (size_t)lb_count(t->leaf[i]) * sizeof(lb_real));
        in[i] = lb_on_tape(tape, t->leaf[i]);
    }
    lb_unfused_result result = run(tape, t, in);
    lb_tensor *loss = NULL;
    *total = 0;
    for (int k = 0; k < 4 && result.output[k]; k++) {
        lb_tensor *output = result.output[k];
        ck_assert_msg(lb_is_sound(output), "%s: %s", t->name, lb_tape_error(tape));
        lb_tensor *cotangent = lb_tensor_new(tape, output->shape, NULL);
        for (int64_t i = 0; i < lb_count(output); i++)
            cotangent->data[i] =
                (lb_real)(lb_rng_uniform((lb_rng){.seed = 7, .stream = (uint32_t)k}, (uint64_t)i) - 0.3);
        lb_tensor *part = lb_sum_all(lb_mul(output, cotangent));
        loss = loss ? lb_add(loss, part) : part;
        *total += lb_count(output);
    }
    lb_error error = {0};
    ck_assert_msg(lb_backward(loss, &error) == LB_OK, "%s: %s", t->name, error.message);
    for (int i = 0; i < t->leaves; i++) *total += lb_count(t->leaf[i]);
    double *all = calloc((size_t)*total + 1, sizeof *all);
    int64_t at = 0;
    for (int k = 0; k < 4 && result.output[k]; k++)
        for (int64_t i = 0; i < lb_count(result.output[k]); i++)
            all[at++] = (double)result.output[k]->data[i];
    for (int i = 0; i < t->leaves; i++)
        for (int64_t j = 0; j < lb_count(t->leaf[i]); j++) all[at++] = (double)t->leaf[i]->grad[j];
    lb_tape_free(tape);
    return all;
}

/* Compares each output and each gradient, relative to its own size. */
static void compare_part(const trial *t, const char *what, int which, const double *fused,
                         const double *unfused, int64_t count)
{
    double squares = 0;
    for (int64_t i = 0; i < count; i++) squares += unfused[i] * unfused[i];
    double size = sqrt(squares / (double)(count ? count : 1));
    ck_assert(isfinite(size));
    /* Softmax divides errors of scores by their sum; the others pass them on, step after step. */
    double tolerance = TOLERANCE * (t->normalizer == LB_SOFTMAX ? 1 : 10);
    /* Of large keys the tanh is nearly 1, and what goes back through it is the rounding of its derivative, 1 - tanh^2; in the
     * gradient of the keys it is multiplied by their factor. The same operands with small keys have no such allowance. */
    bool keys = which == 2 && strstr(what, "gradient");
    double rounding = t->number > 1 ? TOLERANCE / 100 * (keys ? (double)t->number / 10 : 1) : 0;
    for (int64_t i = 0; i < count; i++)
        SUPPORT_CHECK(fabs(fused[i] - unfused[i]) <= tolerance * (size + fabs(unfused[i])) + rounding,
                      "%s: %s %d, element %d of %d is %.12g, its twin says %.12g", t->name, what, which,
                      (int)i, (int)count, fused[i], unfused[i]);
}

static void compare(trial *t, twin fused, twin unfused, const int64_t *output_counts)
{
    int64_t total_fused, total_unfused, at = 0;
    double *a = evaluate(fused, t, &total_fused), *b = evaluate(unfused, t, &total_unfused);
    ck_assert_int_eq(total_fused, total_unfused);
    bool moves = false;
    for (int64_t i = 0; i < total_unfused; i++) moves = moves || b[i] != 0;
    ck_assert(moves);
    for (int k = 0; k < 4 && output_counts[k]; at += output_counts[k++])
        compare_part(t, "output", k, a + at, b + at, output_counts[k]);
    for (int i = 0; i < t->leaves; i++) {
        compare_part(t, "gradient of operand", i, a + at, b + at, lb_count(t->leaf[i]));
        at += lb_count(t->leaf[i]);
    }
    ck_assert_int_eq(at, total_unfused);
    free(a);
    free(b);
    for (int i = 0; i < t->leaves; i++) support_leaf_free(t->leaf[i]);
    t->leaves = 0;
}

static lb_unfused_result fused_gru(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    lb_tensor *outputs = lb_gru_sequence(in[0], NULL, in[3], in[1], in[2], t->lengths, t->reverse);
    return (lb_unfused_result){{outputs, lb_op_output(outputs, 1)}};
}

static lb_unfused_result unfused_gru(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    return lb_unfused_gru_sequence(in[0], in[3], in[1], in[2], t->lengths, t->reverse);
}

static void check_gru(int64_t batch, int64_t steps, int64_t hidden, int kind)
{
    trial t = {.reverse = kind & 1};
    bool padded = kind & 2, given = kind & 4;
    snprintf(t.name, sizeof t.name, "gru, batch %d, steps %d, hidden %d%s%s%s", (int)batch, (int)steps,
             (int)hidden, t.reverse ? ", reverse" : "", padded ? ", padded" : "",
             given ? ", initial state" : "");
    t.lengths = padded ? draw_lengths(batch, steps) : NULL;
    add_leaf(&t, LB_SHAPE(batch, steps, 3 * hidden));
    add_leaf(&t, LB_SHAPE(3 * hidden, hidden));
    add_leaf(&t, LB_SHAPE(3 * hidden));
    if (given) add_leaf(&t, LB_SHAPE(batch, hidden));
    compare(&t, fused_gru, unfused_gru, (const int64_t[]){batch * steps * hidden, batch * hidden, 0});
}

static lb_unfused_result fused_lstm(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    lb_tensor *outputs = lb_lstm_sequence(in[0], NULL, in[3], in[1], in[2], t->lengths, t->reverse);
    return (lb_unfused_result){{outputs, lb_op_output(outputs, 1)}};
}

static lb_unfused_result unfused_lstm(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    return lb_unfused_lstm_sequence(in[0], in[3], in[1], in[2], t->lengths, t->reverse);
}

static void check_lstm(int64_t batch, int64_t steps, int64_t hidden, int kind)
{
    trial t = {.reverse = kind & 1};
    bool padded = kind & 2, given = kind & 4;
    snprintf(t.name, sizeof t.name, "lstm, batch %d, steps %d, hidden %d%s%s%s", (int)batch, (int)steps,
             (int)hidden, t.reverse ? ", reverse" : "", padded ? ", padded" : "",
             given ? ", initial state" : "");
    t.lengths = padded ? draw_lengths(batch, steps) : NULL;
    add_leaf(&t, LB_SHAPE(batch, steps, 4 * hidden));
    add_leaf(&t, LB_SHAPE(4 * hidden, hidden));
    add_leaf(&t, LB_SHAPE(4 * hidden));
    if (given) add_leaf(&t, LB_SHAPE(batch, 2 * hidden));
    compare(&t, fused_lstm, unfused_lstm, (const int64_t[]){batch * steps * hidden, batch * 2 * hidden, 0});
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

static lb_tensor *mask_of(lb_tape *tape, const trial *t, const lb_tensor *keys)
{
    if (!t->masked) return NULL;
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(lb_dim(keys, 0), lb_dim(keys, 1)), NULL);
    for (int64_t i = 0; i < lb_count(mask); i++) mask->data[i] = whole(1000 + (uint64_t)i, 10) < 7 ? 1 : 0;
    /* The second row has nothing to attend to. */
    for (int64_t k = 0; k < lb_dim(keys, 1) && lb_dim(keys, 0) > 1; k++) mask->data[lb_dim(keys, 1) + k] = 0;
    return mask;
}

static lb_unfused_result fused_attend(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_additive_by(in[0], in[1], in[2], in[3], mask_of(tape, t, in[1]), t->normalizer);
    return (lb_unfused_result){{context, lb_op_output(context, 1)}};
}

static lb_unfused_result unfused_attend(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    return lb_unfused_attend_additive(in[0], in[1], in[2], in[3], mask_of(tape, t, in[1]), t->normalizer);
}

START_TEST(test_attend_additive_equals_its_unfused_twin)
{
    /* batch, queries, keys, width, depth */
    static const int64_t sizes[][5] = {
        {1, 1, 1, 1, 1}, {3, 2, 5, 7, 4}, {37, 3, 6, 33, 7}, {2, 9, 17, 1, 33}, {37, 1, 1, 7, 1}};
    for (int s = 0; s < 5; s++)
        for (int kind = 0; kind < 2 * NORMALIZERS; kind++) {
            const int64_t batch = sizes[s][0], queries = sizes[s][1], keys = sizes[s][2], width = sizes[s][3],
                          depth = sizes[s][4];
            trial t = {.masked = kind % 2 && keys > 1, .normalizer = (lb_normalizer)(kind / 2)};
            snprintf(t.name, sizeof t.name, "attention, sizes %d%s, %s", s, t.masked ? ", masked" : "",
                     lb_normalizer_names[t.normalizer]);
            add_leaf(&t, LB_SHAPE(batch, queries, width));
            add_leaf(&t, LB_SHAPE(batch, keys, width));
            add_leaf(&t, LB_SHAPE(batch, keys, depth));
            add_leaf(&t, LB_SHAPE(1, width));
            compare(&t, fused_attend, unfused_attend,
                    (const int64_t[]){batch * queries * depth, batch * queries * keys, 0});
        }
}
END_TEST

/* Heads of q, k and v as ranges of columns; t->number says how many. */
static lb_tensor *split(lb_tensor *x, const trial *t)
{
    int64_t heads = (int64_t)t->number;
    lb_tensor *parts = lb_reshape(x, LB_SHAPE(lb_dim(x, 0), lb_dim(x, 1), heads, lb_dim(x, 2) / heads));
    return lb_permute(parts, 4, (const int[]){0, 2, 1, 3});
}

static lb_unfused_result join(lb_unfused_result attended)
{
    lb_tensor *x = lb_permute(attended.output[0], 4, (const int[]){0, 2, 1, 3});
    attended.output[0] = lb_reshape(x, LB_SHAPE(lb_dim(x, 0), lb_dim(x, 1), lb_dim(x, 2) * lb_dim(x, 3)));
    return attended;
}

static lb_tensor *mask_of_heads(lb_tape *tape, const trial *t, const lb_tensor *keys)
{
    lb_tensor *mask = mask_of(tape, t, keys);
    return mask ? lb_reshape(mask, LB_SHAPE(lb_dim(keys, 0), 1, 1, lb_dim(keys, 1))) : NULL;
}

/* A bias on the score of each head, query and key; some are -inf. */
static lb_tensor *bias_of(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    if (!t->biased) return NULL;
    lb_shape shape = LB_SHAPE((int64_t)t->number, lb_dim(in[0], 1), lb_dim(in[1], 1));
    lb_tensor *bias = lb_tensor_new(tape, shape, NULL);
    for (int64_t i = 0; i < lb_count(bias); i++) {
        uint64_t drawn = whole(2000 + (uint64_t)i, 11);
        bias->data[i] = drawn == 0 ? -(lb_real)INFINITY : (lb_real)drawn / 4;
    }
    return bias;
}

static lb_unfused_result columns_dot(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_dot_by(in[0], in[1], in[2], mask_of_heads(tape, t, in[1]), bias_of(tape, t, in),
                         (int64_t)t->number, (lb_real)0.6, 0, t->normalizer);
    return (lb_unfused_result){{context, lb_op_output(context, 1)}};
}

static lb_unfused_result axis_dot(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_dot_by(split(in[0], t), split(in[1], t), split(in[2], t), mask_of_heads(tape, t, in[1]),
                         bias_of(tape, t, in), 0, (lb_real)0.6, 0, t->normalizer);
    return join((lb_unfused_result){{context, lb_op_output(context, 1)}});
}

static lb_unfused_result unfused_dot(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    return join(lb_unfused_attend_dot(split(in[0], t), split(in[1], t), split(in[2], t),
                                      mask_of_heads(tape, t, in[1]), bias_of(tape, t, in), (lb_real)0.6,
                                      t->normalizer));
}

START_TEST(test_attend_dot_equals_its_unfused_twin_in_both_layouts)
{
    /* batch, heads, queries, keys, width, depth */
    static const int64_t sizes[][6] = {{1, 1, 1, 1, 1, 1},   {3, 2, 4, 5, 7, 4},  {37, 3, 2, 6, 1, 5},
                                       {2, 5, 33, 19, 8, 8}, {1, 4, 1, 65, 3, 1}, {5, 1, 7, 3, 33, 2}};
    for (int s = 0; s < 6; s++)
        for (int kind = 0; kind < 8 * NORMALIZERS; kind++) {
            const int64_t *z = sizes[s], rows = z[0] * z[2];
            trial t = {.masked = (kind & 1) && z[3] > 1,
                       .biased = (kind & 2) && z[3] > 1,
                       .number = (lb_real)z[1],
                       .normalizer = (lb_normalizer)(kind / 8)};
            snprintf(t.name, sizeof t.name, "dot attention, sizes %d%s%s, %s, %s", s,
                     t.masked ? ", masked" : "", t.biased ? ", biased" : "", kind & 4 ? "axis" : "columns",
                     lb_normalizer_names[t.normalizer]);
            add_leaf(&t, LB_SHAPE(z[0], z[2], z[1] * z[4]));
            add_leaf(&t, LB_SHAPE(z[0], z[3], z[1] * z[4]));
            add_leaf(&t, LB_SHAPE(z[0], z[3], z[1] * z[5]));
            compare(&t, kind & 4 ? axis_dot : columns_dot, unfused_dot,
                    (const int64_t[]){rows * z[1] * z[5], rows * z[1] * z[3], 0});
        }
}
END_TEST

static lb_attention_gru_operands attention_gru_operands(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    return (lb_attention_gru_operands){.x = in[0],
                                       .lengths = t->lengths,
                                       .initial = in[1],
                                       .keys = lb_scale(in[2], t->number),
                                       .values = in[3],
                                       .mask = mask_of(tape, t, in[2]),
                                       .weight_query = in[4],
                                       .v = in[5],
                                       .weight_context = in[6],
                                       .weight_hh = in[7],
                                       .bias_hh = in[8],
                                       .normalizer = t->normalizer};
}

static lb_unfused_result fused_attention_gru(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_attention_gru_operands operands = attention_gru_operands(tape, t, in);
    lb_tensor *outputs = lb_attention_gru_sequence(&operands);
    return (lb_unfused_result){
        {outputs, lb_op_output(outputs, 1), lb_op_output(outputs, 2), lb_op_output(outputs, 3)}};
}

static lb_unfused_result unfused_attention_gru(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_attention_gru_operands operands = attention_gru_operands(tape, t, in);
    return lb_unfused_attention_gru_sequence(&operands);
}

START_TEST(test_attention_gru_sequence_equals_its_unfused_twin)
{
    /* batch, steps, hidden, keys, width, depth */
    static const int64_t sizes[][6] = {
        {1, 1, 1, 1, 1, 1}, {3, 4, 7, 5, 7, 14}, {37, 3, 33, 6, 9, 33}, {37, 4, 1, 3, 7, 2}};
    for (int s = 0; s < 4; s++)
        for (int kind = 0; kind < 8 * NORMALIZERS; kind++) {
            const int64_t *z = sizes[s], batch = z[0], steps = z[1], hidden = z[2], keys = z[3], width = z[4],
                          depth = z[5];
            /* Keys a thousand times as large have no exponentials. */
            trial t = {.masked = (kind & 1) && keys > 1,
                       .number = kind & 2 ? 1000 : 1,
                       .normalizer = (lb_normalizer)(kind / 8)};
            if (kind & 4) t.lengths = draw_lengths(batch, steps);
            snprintf(t.name, sizeof t.name, "attending gru, sizes %d%s%s%s, %s", s,
                     t.masked ? ", masked" : "", kind & 2 ? ", large keys" : "", t.lengths ? ", padded" : "",
                     lb_normalizer_names[t.normalizer]);
            const lb_shape shapes[] = {LB_SHAPE(batch, steps, 3 * hidden),
                                       LB_SHAPE(batch, hidden),
                                       LB_SHAPE(batch, keys, width),
                                       LB_SHAPE(batch, keys, depth),
                                       LB_SHAPE(width, hidden),
                                       LB_SHAPE(1, width),
                                       LB_SHAPE(3 * hidden, depth),
                                       LB_SHAPE(3 * hidden, hidden),
                                       LB_SHAPE(3 * hidden)};
            for (int i = 0; i < 9; i++) add_leaf(&t, shapes[i]);
            compare(&t, fused_attention_gru, unfused_attention_gru,
                    (const int64_t[]){batch * steps * hidden, batch * steps * depth, batch * steps * keys,
                                      batch * hidden});
        }
}
END_TEST

static lb_unfused_result fused_normalize(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    return (lb_unfused_result){{lb_standardize(in[0], in[1], in[2], t->number)}};
}

static lb_unfused_result unfused_normalize(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    (void)tape;
    return (lb_unfused_result){{lb_unfused_normalize(in[0], in[1], in[2], t->number)}};
}

START_TEST(test_normalize_equals_its_unfused_twin)
{
    static const int64_t sizes[][3] = {{1, 1, 7}, {3, 5, 33}, {37, 2, 3}, {5, 1, 129}};
    for (int s = 0; s < 8; s++) {
        trial t = {.name = "standardize", .number = (lb_real)1e-3};
        const int64_t *size = sizes[s / 2];
        add_leaf(&t, LB_SHAPE(size[0], size[1], size[2]));
        for (int64_t i = 0; i < lb_count(t.leaf[0]) && s % 2; i++)
            t.leaf[0]->data[i] += 1000000; /* far from 0 */
        add_leaf(&t, LB_SHAPE(size[2]));
        add_leaf(&t, LB_SHAPE(size[2]));
        compare(&t, fused_normalize, unfused_normalize, (const int64_t[]){size[0] * size[1] * size[2], 0, 0});
    }
}
END_TEST

static lb_tokens targets_of(lb_tape *tape, const trial *t, const lb_tensor *logits)
{
    return (lb_tokens){tape, lb_dim(logits, 0), lb_dim(logits, 1), t->ids, NULL};
}

/* The logits, of which every third class is hidden if the trial is masked. */
static lb_tensor *logits_of(lb_tape *tape, const trial *t, lb_tensor *logits)
{
    if (!t->masked) return logits;
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(lb_dim(logits, -1)), NULL);
    for (int64_t i = 0; i < lb_count(mask); i++) mask->data[i] = i % 3 != 1;
    return lb_masked_fill(logits, mask, -(lb_real)INFINITY);
}

static lb_unfused_result fused_cross_entropy(lb_tape *tape, const trial *t, lb_tensor *const *in)
{
    lb_tokens targets = targets_of(tape, t, in[0]);
    return (lb_unfused_result){{lb_cross_entropy_smoothed(logits_of(tape, t, in[0]), targets, 2, t->number)}};
}

static lb_unfused_result unfused_cross_entropy(lb_tape *tape, const trial *t, lb_tensor *const *in)
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
            trial t = {.name = "cross-entropy",
                       .ids = ids,
                       .number = kind & 1 ? (lb_real)0.15 : 0,
                       .masked = kind & 2};
            for (int64_t i = 0; i < sizes[s][0] * sizes[s][1]; i++)
                ids[i] = (int32_t)whole((uint64_t)i, (uint64_t)sizes[s][2]);
            ids[0] = 1; /* not all are ignored */
            for (int64_t i = 0; i < sizes[s][0] * sizes[s][1]; i++)
                if (t.masked && ids[i] % 3 == 1) ids[i]--; /* targets are seen */
            add_leaf(&t, LB_SHAPE(sizes[s][0], sizes[s][1], sizes[s][2]));
            compare(&t, fused_cross_entropy, unfused_cross_entropy, (const int64_t[]){1, 0, 0});
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

START_TEST(test_unfused_twins_pass_poison_on)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *good = lb_tensor_new(tape, LB_SHAPE(2, 3, 6), NULL), *poison = lb_matmul(good, good);
    ck_assert(!lb_is_sound(lb_unfused_gru_sequence(poison, NULL, poison, poison, NULL, false).output[0]));
    ck_assert(!lb_is_sound(lb_unfused_gru_sequence(good, NULL, poison, poison, NULL, false).output[1]));
    ck_assert(!lb_is_sound(lb_unfused_attend_additive(good, poison, good, good, NULL, LB_SOFTMAX).output[0]));
    ck_assert(!lb_is_sound(lb_unfused_attend_additive(poison, good, good, good, NULL, LB_SOFTMAX).output[1]));
    lb_attention_gru_operands of_gru = {.x = good,
                                        .initial = good,
                                        .keys = poison,
                                        .values = good,
                                        .weight_query = good,
                                        .v = good,
                                        .weight_context = good,
                                        .weight_hh = good,
                                        .bias_hh = good};
    ck_assert(!lb_is_sound(lb_unfused_attention_gru_sequence(&of_gru).output[2]));
    of_gru.keys = good;
    of_gru.weight_hh = poison;
    ck_assert(!lb_is_sound(lb_unfused_attention_gru_sequence(&of_gru).output[0]));
    ck_assert(!lb_is_sound(lb_unfused_attend_dot(good, poison, good, NULL, NULL, 1, LB_SOFTMAX).output[0]));
    ck_assert(!lb_is_sound(lb_unfused_attend_dot(good, good, poison, NULL, NULL, 1, LB_SOFTMAX).output[1]));
    ck_assert(!lb_is_sound(lb_unfused_normalize(poison, good, good, (lb_real)1e-5)));
    ck_assert(!lb_is_sound(lb_unfused_cross_entropy(poison, (lb_tokens){.tape = tape}, 0, 0)));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    lb_tape_free(tape);
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

int main(void)
{
    return support_run_tests(
        "unfused twins",
        SUPPORT_TESTS(test_lstm_sequence_equals_its_unfused_twin, test_gru_sequence_equals_its_unfused_twin,
                      test_attend_additive_equals_its_unfused_twin,
                      test_attend_dot_equals_its_unfused_twin_in_both_layouts,
                      test_attention_gru_sequence_equals_its_unfused_twin,
                      test_normalize_equals_its_unfused_twin, test_cross_entropy_equals_its_unfused_twin,
                      test_cross_entropy_of_hidden_targets_is_infinite_like_its_unfused_twin,
                      test_unfused_twins_pass_poison_on,
                      test_unfused_cross_entropy_without_memory_is_poison));
}
