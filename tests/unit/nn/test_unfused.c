/* Fused attention against its unfused twins, values and gradients, at odd sizes: batches beyond one tile of rows,
 * widths of 1, 7 and 33. This test runs in both precisions. */
#include "autograd/op.h"
#include "support/suite.h"
#include "support/twins.h"

#include <stdio.h>

enum { NORMALIZERS = LB_ENTMAX + 1 };

static lb_tensor *mask_of(lb_tape *tape, const support_twins *t, const lb_tensor *keys)
{
    if (!t->masked) return NULL;
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(lb_dim(keys, 0), lb_dim(keys, 1)), NULL);
    for (int64_t i = 0; i < lb_count(mask); i++)
        mask->data[i] = support_draw_below(1000 + (uint64_t)i, 10) < 7 ? 1 : 0;
    /* The second row has nothing to attend to. */
    for (int64_t k = 0; k < lb_dim(keys, 1) && lb_dim(keys, 0) > 1; k++) mask->data[lb_dim(keys, 1) + k] = 0;
    return mask;
}

static lb_unfused_result fused_attend(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_additive_by(in[0], in[1], in[2], in[3], mask_of(tape, t, in[1]), t->normalizer);
    return (lb_unfused_result){{context, lb_op_output(context, 1)}};
}

static lb_unfused_result unfused_attend(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
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
            support_twins t = {.masked = kind % 2 && keys > 1, .normalizer = (lb_normalizer)(kind / 2)};
            snprintf(t.name, sizeof t.name, "attention, sizes %d%s, %s", s, t.masked ? ", masked" : "",
                     lb_normalizer_names[t.normalizer]);
            support_twins_leaf(&t, LB_SHAPE(batch, queries, width));
            support_twins_leaf(&t, LB_SHAPE(batch, keys, width));
            support_twins_leaf(&t, LB_SHAPE(batch, keys, depth));
            support_twins_leaf(&t, LB_SHAPE(1, width));
            support_twins_compare(&t, fused_attend, unfused_attend,
                                  (const int64_t[]){batch * queries * depth, batch * queries * keys, 0});
        }
}
END_TEST

/* Heads of q, k and v as ranges of columns; t->number says how many. */
static lb_tensor *split(lb_tensor *x, const support_twins *t)
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

static lb_tensor *mask_of_heads(lb_tape *tape, const support_twins *t, const lb_tensor *keys)
{
    lb_tensor *mask = mask_of(tape, t, keys);
    return mask ? lb_reshape(mask, LB_SHAPE(lb_dim(keys, 0), 1, 1, lb_dim(keys, 1))) : NULL;
}

/* A bias on the score of each head, query and key; some are -inf. */
static lb_tensor *bias_of(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    if (!t->biased) return NULL;
    lb_shape shape = LB_SHAPE((int64_t)t->number, lb_dim(in[0], 1), lb_dim(in[1], 1));
    lb_tensor *bias = lb_tensor_new(tape, shape, NULL);
    for (int64_t i = 0; i < lb_count(bias); i++) {
        uint64_t drawn = support_draw_below(2000 + (uint64_t)i, 11);
        bias->data[i] = drawn == 0 ? -(lb_real)INFINITY : (lb_real)drawn / 4;
    }
    return bias;
}

static lb_unfused_result columns_dot(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_dot_by(in[0], in[1], in[2], mask_of_heads(tape, t, in[1]), bias_of(tape, t, in),
                         (int64_t)t->number, (lb_real)0.6, 0, t->normalizer);
    return (lb_unfused_result){{context, lb_op_output(context, 1)}};
}

static lb_unfused_result axis_dot(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_tensor *context =
        lb_attend_dot_by(split(in[0], t), split(in[1], t), split(in[2], t), mask_of_heads(tape, t, in[1]),
                         bias_of(tape, t, in), 0, (lb_real)0.6, 0, t->normalizer);
    return join((lb_unfused_result){{context, lb_op_output(context, 1)}});
}

static lb_unfused_result unfused_dot(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
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
            support_twins t = {.masked = (kind & 1) && z[3] > 1,
                               .biased = (kind & 2) && z[3] > 1,
                               .number = (lb_real)z[1],
                               .normalizer = (lb_normalizer)(kind / 8)};
            snprintf(t.name, sizeof t.name, "dot attention, sizes %d%s%s, %s, %s", s,
                     t.masked ? ", masked" : "", t.biased ? ", biased" : "", kind & 4 ? "axis" : "columns",
                     lb_normalizer_names[t.normalizer]);
            support_twins_leaf(&t, LB_SHAPE(z[0], z[2], z[1] * z[4]));
            support_twins_leaf(&t, LB_SHAPE(z[0], z[3], z[1] * z[4]));
            support_twins_leaf(&t, LB_SHAPE(z[0], z[3], z[1] * z[5]));
            support_twins_compare(&t, kind & 4 ? axis_dot : columns_dot, unfused_dot,
                                  (const int64_t[]){rows * z[1] * z[5], rows * z[1] * z[3], 0});
        }
}
END_TEST

static lb_attention_gru_operands attention_gru_operands(lb_tape *tape, const support_twins *t,
                                                        lb_tensor *const *in)
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

static lb_unfused_result fused_attention_gru(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
{
    lb_attention_gru_operands operands = attention_gru_operands(tape, t, in);
    lb_tensor *outputs = lb_attention_gru_sequence(&operands);
    return (lb_unfused_result){
        {outputs, lb_op_output(outputs, 1), lb_op_output(outputs, 2), lb_op_output(outputs, 3)}};
}

static lb_unfused_result unfused_attention_gru(lb_tape *tape, const support_twins *t, lb_tensor *const *in)
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
            support_twins t = {.masked = (kind & 1) && keys > 1,
                               .number = kind & 2 ? 1000 : 1,
                               .normalizer = (lb_normalizer)(kind / 8)};
            if (kind & 4) t.lengths = support_draw_lengths(batch, steps);
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
            for (int i = 0; i < 9; i++) support_twins_leaf(&t, shapes[i]);
            support_twins_compare(&t, fused_attention_gru, unfused_attention_gru,
                                  (const int64_t[]){batch * steps * hidden, batch * steps * depth,
                                                    batch * steps * keys, batch * hidden});
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
