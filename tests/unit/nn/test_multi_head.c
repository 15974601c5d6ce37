/* Multi-head attention: errors, masks and dropout. This test runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/kinds.h"
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "nn/kv_cache.h"
#include "nn/layers.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, LENGTH = 5, WIDTH = 6, HEADS = 3 };

static lb_params *params;
static lb_tape *tape;

static void set_up(void)
{
    params = lb_params_new(5);
    tape = lb_tape_new();
}

static void tear_down(void)
{
    lb_tape_free(tape);
    lb_params_free(params);
}

static lb_tensor *drawn(lb_shape shape, uint64_t which)
{
    lb_tensor *leaf = support_leaf(shape, -1, 1.3, which), *x = lb_tensor_new(tape, shape, leaf->data);
    support_leaf_free(leaf);
    return x;
}

static lb_tensor *wanted(lb_tensor *leaf)
{
    return lb_on_tape(tape, leaf);
}

static lb_multi_head new_attention(lb_multi_head_config config)
{
    lb_multi_head attention;
    config.embed = WIDTH;
    config.heads = HEADS;
    ck_assert_int_eq(lb_multi_head_init(&attention, params, "layer.self_attn", config), LB_OK);
    return attention;
}

static void check_fails(lb_attended_result result, lb_status status, const char *message)
{
    ck_assert(!lb_is_sound(result.context) && !lb_is_sound(result.weights));
    ck_assert_int_eq(lb_tape_status(tape), status);
    ck_assert_str_eq(lb_tape_error(tape), message);
    lb_tape_clear_error(tape);
}

START_TEST(test_heads_that_do_not_divide_are_named_with_the_width)
{
    static const char *const names[] = {"q", "k", "v", "o"};
    for (int named = 0; named < 2; named++) {
        set_up();
        lb_multi_head attention;
        lb_multi_head_config config = {.embed = 6, .heads = 4, .names = named ? names : NULL};
        ck_assert_int_eq(lb_multi_head_init(&attention, params, "m", config), LB_ERROR_ARGUMENT);
        ck_assert_str_eq(lb_params_error(params), "m: cannot divide a width of 6 into 4 heads");
        ck_assert_int_eq(lb_params_count(params), 0);
        /* Using the module anyway gives poison. */
        lb_tensor *x = drawn(LB_SHAPE(1, 2, 6), 1);
        ck_assert(!lb_is_sound(lb_multi_head_forward(&attention, x, x, x, NULL, NULL).context));
        tear_down();
    }
}
END_TEST

START_TEST(test_impossible_modules_are_errors_and_their_results_poison)
{
    set_up();
    lb_transformer_stack stack;
    lb_transformer_layer_config config = {.width = 6, .heads = 3};
    ck_assert_int_eq(lb_transformer_stack_init(&stack, params, "encoder", false, -1, config),
                     LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), "encoder: found -1 layers, expected at least 1");
    lb_transformer_context context = {0};
    ck_assert(!lb_is_sound(lb_transformer_stack_forward(&stack, drawn(LB_SHAPE(1, 2, 6), 1), &context)));
    tear_down();
    set_up();
    lb_transformer_layer layer;
    config = (lb_transformer_layer_config){.width = 6, .heads = 5};
    ck_assert_int_eq(lb_transformer_layer_init(&layer, params, "l", false, config), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), "l.self_attn: cannot divide a width of 6 into 5 heads");
    ck_assert(!lb_is_sound(lb_transformer_layer_forward(&layer, drawn(LB_SHAPE(1, 2, 6), 1), &context, 0)));
    tear_down();
    set_up();
    lb_multi_head attention;
    lb_multi_head_config odd = {.embed = 6, .heads = -3, .key_width = 2, .value_width = 2};
    ck_assert_int_eq(lb_multi_head_init(&attention, params, "m", odd), LB_ERROR_ARGUMENT);
    tear_down();
    set_up();
    odd = (lb_multi_head_config){.embed = 6, .heads = 3, .key_width = 4};
    ck_assert_int_eq(lb_multi_head_init(&attention, params, "m", odd), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params),
                     "m: keys of width 6 and heads of widths 4 and 2 need one name per projection");
    tear_down();
    set_up();
    lb_multiplicative_attention dot;
    ck_assert_int_eq(lb_multiplicative_attention_init(&dot, params, "a", LB_SCORE_DOT, 4, 6),
                     LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params),
                     "a: query width 4 and key width 6 differ: a dot product needs equal widths");
    tear_down();
}
END_TEST

START_TEST(test_operands_that_do_not_fit_are_errors_of_the_module)
{
    set_up();
    lb_multi_head attention = new_attention((lb_multi_head_config){0});
    lb_tensor *x = drawn(LB_SHAPE(2, 4, 6), 1), *y = drawn(LB_SHAPE(2, 5, 6), 2);
    check_fails(lb_multi_head_forward(&attention, drawn(LB_SHAPE(2, 4, 7), 3), y, y, NULL, NULL),
                LB_ERROR_SHAPE, "layer.self_attn: lb_affine: widths differ: x[2,4,7] x weight[18,6]");
    check_fails(lb_multi_head_forward(&attention, x, drawn(LB_SHAPE(3, 5, 6), 3), y, NULL, NULL),
                LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_dot: batch sizes or widths differ: query[2,4,6] x keys[3,5,6]");
    check_fails(lb_multi_head_forward(&attention, x, y, x, NULL, NULL), LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_dot: expected one value per key: keys[2,5,6] x values[2,4,6]");
    check_fails(lb_multi_head_forward(&attention, drawn(LB_SHAPE(4, 6), 3), y, y, NULL, NULL), LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_packed: expected three axes and equal batch sizes: query[4,6] x "
                "keys[2,5,12]");
    tear_down();
}
END_TEST

START_TEST(test_masks_that_do_not_fit_are_named_with_the_weights)
{
    set_up();
    lb_multi_head attention = new_attention((lb_multi_head_config){0});
    lb_tensor *x = drawn(LB_SHAPE(2, 4, 6), 1), *y = drawn(LB_SHAPE(2, 5, 6), 2);
    lb_tensor *wrong = drawn(LB_SHAPE(2, 1, 1, 4), 3), *larger = drawn(LB_SHAPE(1, 2, 3, 4, 5), 4);
    check_fails(lb_multi_head_forward(&attention, x, y, y, wrong, NULL), LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_packed: shapes do not broadcast: mask[2,1,1,4] x "
                "weights[2,3,4,5]");
    check_fails(lb_multi_head_forward(&attention, x, y, y, NULL, larger), LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_packed: shapes do not broadcast: bias[1,2,3,4,5] x "
                "weights[2,3,4,5]");
    lb_tensor *of_one_query = drawn(LB_SHAPE(2, 3, 4, 5), 3);
    check_fails(lb_multi_head_forward(&attention, drawn(LB_SHAPE(2, 1, 6), 1), y, y, of_one_query, NULL),
                LB_ERROR_SHAPE,
                "layer.self_attn: lb_attend_packed: shapes do not broadcast: mask[2,3,4,5] x "
                "weights[2,3,1,5]");
    tear_down();
}
END_TEST

START_TEST(test_dropout_that_is_no_probability_is_an_error)
{
    static const double wrong[] = {-0.1, 1, 1.5, NAN};
    set_up();
    lb_tensor *x = drawn(LB_SHAPE(2, 4, 6), 1);
    for (int i = 0; SUPPORT_ROW(i, wrong); i++) {
        ck_assert(!lb_is_sound(lb_attend_dot(x, x, x, NULL, NULL, 2, 1, (lb_real)wrong[i])));
        ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
        lb_tape_clear_error(tape);
    }
    tear_down();
}
END_TEST

START_TEST(test_positions_that_do_not_fit_are_errors)
{
    set_up();
    lb_positional positional;
    lb_positional_init(&positional, params, "p",
                       (lb_positional_config){.kind = LB_POSITIONAL_LEARNED, .width = 6, .max_length = 9});
    lb_tensor *good = drawn(LB_SHAPE(2, 4, 6), 1);
    ck_assert(lb_is_sound(lb_positional_forward(&positional, good, 5)));
    static const struct {
        int64_t width, first;
        lb_status status;
        const char *message;
    } wrong[] = {{6, 6, LB_ERROR_INDEX, "p: position 9 is out of range: there are 9 learned positions"},
                 {6, -1, LB_ERROR_INDEX, "p: found position -1, expected 0 or more"},
                 {1, 0, LB_ERROR_SHAPE, "p: expected x of shape [batch,length,6], found [2,4,1]"},
                 {5, 0, LB_ERROR_SHAPE, "p: expected x of shape [batch,length,6], found [2,4,5]"}};
    for (int i = 0; SUPPORT_ROW(i, wrong); i++) {
        lb_tensor *x = drawn(LB_SHAPE(2, 4, wrong[i].width), 1);
        ck_assert(!lb_is_sound(lb_positional_forward(&positional, x, wrong[i].first)));
        ck_assert_int_eq(lb_tape_status(tape), wrong[i].status);
        ck_assert_str_eq(lb_tape_error(tape), wrong[i].message);
        lb_tape_clear_error(tape);
    }
    const lb_tokens three = {tape, 2, 3, (const int32_t[6]){0}, (const int32_t[]){3, 3}};
    ck_assert(!lb_is_sound(lb_positional_forward_at(&positional, good, three)));
    ck_assert_str_eq(lb_tape_error(tape), "p: expected x of shape [2,3,6], found [2,4,6]");
    lb_tape_clear_error(tape);
    ck_assert(!lb_is_sound(lb_positional_forward(&positional, drawn(LB_SHAPE(4, 6), 1), 0)));
    tear_down();
}
END_TEST

/* The second list of the batch is completely hidden: by a mask, by a bias, or half by each. */
static void hide_second(int how, lb_tensor **mask, lb_tensor **bias)
{
    *mask = *bias = NULL;
    if (how != 1)
        *mask = lb_key_mask(lb_length_mask(tape, (const int32_t[]){3, how == 2 ? 2 : 0}, BATCH, LENGTH));
    if (how == 0) return;
    *bias = lb_tensor_new(tape, LB_SHAPE(BATCH, 1, 1, LENGTH), NULL);
    for (int k = 0; k < LENGTH; k++) (*bias)->data[LENGTH + k] = how == 2 && k >= 2 ? 1 : -(lb_real)INFINITY;
}

START_TEST(test_hidden_rows_give_zeros_and_no_gradient)
{
    for (int how = 0; how < 3; how++) {
        set_up();
        lb_shape shape = LB_SHAPE(BATCH, LENGTH, WIDTH);
        lb_tensor *q = support_leaf(shape, -1, 1, 1), *k = support_leaf(shape, -1, 1, 2),
                  *v = support_leaf(shape, -1, 1, 3), *mask, *bias;
        hide_second(how, &mask, &bias);
        lb_tensor *context =
            lb_attend_dot(wanted(q), wanted(k), wanted(v), mask, bias, HEADS, (lb_real)0.7, (lb_real)0.2);
        lb_tensor *weights = lb_op_output(context, 1);
        ck_assert(lb_is_sound(context));
        int64_t half = LENGTH * WIDTH, half_weights = HEADS * LENGTH * LENGTH;
        for (int64_t i = 0; i < half; i++) ck_assert(context->data[half + i] == 0);
        for (int64_t i = 0; i < half_weights; i++) ck_assert(weights->data[half_weights + i] == 0);
        lb_tensor *loss = lb_add(lb_sum_all(lb_mul(context, context)), lb_sum_all(lb_mul(weights, weights)));
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        const lb_tensor *leaves[] = {q, k, v};
        for (int n = 0; SUPPORT_ROW(n, leaves); n++) {
            double moved = 0;
            for (int64_t i = 0; i < half; i++) {
                ck_assert(leaves[n]->grad[half + i] == 0);
                ck_assert(isfinite(leaves[n]->grad[i]));
                moved += fabs((double)leaves[n]->grad[i]);
            }
            ck_assert(moved > 0);
        }
        support_leaf_free(q);
        support_leaf_free(k);
        support_leaf_free(v);
        tear_down();
    }
}
END_TEST

START_TEST(test_module_with_hidden_rows_gives_its_bias_and_finite_gradients)
{
    set_up();
    lb_multi_head attention = new_attention((lb_multi_head_config){0});
    for (int i = 0; i < WIDTH; i++) attention.output.bias->data[i] = (lb_real)(i + 1);
    lb_tensor *x = drawn(LB_SHAPE(BATCH, LENGTH, WIDTH), 1), *mask, *bias;
    hide_second(0, &mask, &bias);
    lb_attended_result result = lb_multi_head_forward(&attention, x, x, x, mask, NULL);
    ck_assert(lb_is_sound(result.context));
    for (int64_t i = 0; i < LENGTH * WIDTH; i++)
        ck_assert(result.context->data[LENGTH * WIDTH + i] == (lb_real)(i % WIDTH + 1));
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(result.context, result.context)), NULL), LB_OK);
    for (int64_t i = 0; i < lb_params_size(params); i++) ck_assert(isfinite(lb_params_grads(params)[i]));
    tear_down();
}
END_TEST

START_TEST(test_causal_stack_does_not_see_the_future)
{
    enum { CHANGED = 3 };
    set_up();
    lb_transformer_stack stack;
    lb_transformer_layer_config config = {.width = WIDTH, .heads = HEADS};
    ck_assert_int_eq(lb_transformer_stack_init(&stack, params, "encoder", false, 2, config), LB_OK);
    lb_tensor *x = drawn(LB_SHAPE(BATCH, LENGTH, WIDTH), 1),
              *changed = drawn(LB_SHAPE(BATCH, LENGTH, WIDTH), 1);
    for (int i = 0; i < WIDTH; i++) changed->data[CHANGED * WIDTH + i] += (lb_real)(1 + i % 2);
    lb_transformer_context context = {.self_mask = lb_causal_mask(tape, LENGTH)};
    const lb_tensor *a = lb_transformer_stack_forward(&stack, x, &context),
                    *b = lb_transformer_stack_forward(&stack, changed, &context);
    ck_assert(lb_is_sound(a) && lb_is_sound(b));
    size_t row = WIDTH * sizeof *a->data;
    for (int t = 0; t < BATCH * LENGTH; t++) {
        bool same = memcmp(a->data + t * WIDTH, b->data + t * WIDTH, row) == 0;
        ck_assert_msg(same == (t < CHANGED || t >= LENGTH), "position %d", t);
    }
    tear_down();
}
END_TEST

/* More queries than backward keeps the scores of, with everything that changes scores. The sum of squares of the
 * context; `leaf` receives the gradient. */
static double loss_of_long(bool context_only, lb_normalizer normalizer, lb_tensor *const *leaf)
{
    enum { QUERIES = 101, KEYS = 67 };
    set_up();
    lb_dot_options options = {.heads = 4,
                              .kv_heads = 2,
                              .scale = (lb_real)0.4,
                              .dropout = (lb_real)0.2,
                              .softcap = 3,
                              .normalizer = normalizer,
                              .window = {.on = true, .left = 60, .right = 30},
                              .first = 3,
                              .context_only = context_only};
    lb_tensor *context =
        lb_attend_dot_with(wanted(leaf[0]), wanted(leaf[1]), wanted(leaf[2]), NULL, wanted(leaf[3]), options);
    lb_tensor *loss = lb_sum_all(lb_mul(context, context)), *weights = lb_op_output(context, 1);
    ck_assert(lb_is_sound(loss));
    ck_assert(lb_shape_equal(weights->shape, LB_SHAPE(2, 4, QUERIES, context_only ? 0 : KEYS)));
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    double value = (double)loss->data[0];
    tear_down();
    return value;
}

START_TEST(test_attention_without_weights_has_the_same_bits)
{
    const lb_shape shape[] = {LB_SHAPE(2, 101, 12), LB_SHAPE(2, 67, 6), LB_SHAPE(2, 67, 10),
                              LB_SHAPE(4, 101, 67)};
    for (lb_normalizer normalizer = LB_SOFTMAX; normalizer <= LB_ENTMAX; normalizer++) {
        lb_tensor *a[4], *b[4];
        for (int i = 0; i < 4; i++) {
            a[i] = support_leaf(shape[i], -1, 1, (uint64_t)i);
            b[i] = support_leaf(shape[i], -1, 1, (uint64_t)i);
        }
        ck_assert_double_eq(loss_of_long(true, normalizer, a), loss_of_long(false, normalizer, b));
        for (int i = 0; i < 4; i++) {
            double most = 0;
            for (int64_t j = 0; j < lb_count(a[i]); j++) most = fmax(most, fabs((double)a[i]->grad[j]));
            ck_assert(most > 0);
            ck_assert_mem_eq(a[i]->grad, b[i]->grad, (size_t)lb_count(a[i]) * sizeof(lb_real));
            support_leaf_free(a[i]);
            support_leaf_free(b[i]);
        }
    }
}
END_TEST

/* Which weights are dropped, of 2 x 3 heads x 37 x 41. */
static lb_tensor *dropped_weights(lb_real p, uint64_t seed, lb_mode mode)
{
    lb_tape_set_mode(tape, mode);
    lb_tape_seed(tape, seed, 2);
    lb_tensor *q = drawn(LB_SHAPE(2, 37, 6), 1), *k = drawn(LB_SHAPE(2, 41, 6), 2);
    lb_tensor *context = lb_attend_dot(q, k, k, NULL, NULL, 3, (lb_real)0.3, p);
    ck_assert_msg(lb_is_sound(context), "%s", lb_tape_error(tape));
    return lb_op_output(context, 1);
}

START_TEST(test_dropout_keeps_the_right_share_of_the_weights_and_scales_it_up)
{
    static const double p[] = {0.1, 0.5, 0.9};
    for (int i = 0; SUPPORT_ROW(i, p); i++) {
        set_up();
        const lb_tensor *whole = dropped_weights(0, 7, LB_MODE_TRAIN);
        int64_t count = lb_count(whole), kept = 0;
        double *kept_whole = malloc((size_t)count * sizeof *kept_whole);
        for (int64_t j = 0; j < count; j++) kept_whole[j] = (double)whole->data[j];
        const lb_tensor *some = dropped_weights((lb_real)p[i], 7, LB_MODE_TRAIN);
        for (int64_t j = 0; j < count; j++) {
            ck_assert(kept_whole[j] > 0);
            if (some->data[j] == 0) continue;
            kept++;
            ck_assert_double_eq_tol((double)some->data[j] * (1 - p[i]) / kept_whole[j], 1, 1e-5);
        }
        ck_assert_double_eq_tol((double)kept / (double)count, 1 - p[i],
                                5 * sqrt(p[i] * (1 - p[i]) / (double)count));
        free(kept_whole);
        tear_down();
    }
}
END_TEST

START_TEST(test_dropout_is_none_in_evaluation_and_depends_on_the_seed)
{
    set_up();
    const lb_tensor *whole = dropped_weights(0, 7, LB_MODE_TRAIN),
                    *evaluated = dropped_weights((lb_real)0.5, 7, LB_MODE_EVALUATE),
                    *trained = dropped_weights((lb_real)0.5, 7, LB_MODE_TRAIN),
                    *other = dropped_weights((lb_real)0.5, 8, LB_MODE_TRAIN);
    size_t bytes = (size_t)lb_count(whole) * sizeof *whole->data;
    ck_assert_mem_eq(evaluated->data, whole->data, bytes);
    ck_assert_mem_ne(trained->data, whole->data, bytes);
    ck_assert_mem_ne(trained->data, other->data, bytes);
    tear_down();
}
END_TEST

START_TEST(test_layer_with_dropout_gives_the_same_bits_on_any_number_of_threads)
{
    lb_real *first = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        lb_set_threads(threads);
        set_up();
        lb_transformer_layer layer;
        lb_transformer_layer_config config = {.width = 24, .heads = 3, .dropout = (lb_real)0.2};
        ck_assert_int_eq(lb_transformer_layer_init(&layer, params, "l", true, config), LB_OK);
        lb_tensor *x = drawn(LB_SHAPE(5, 17, 24), 1);
        lb_transformer_context context = {.memory = drawn(LB_SHAPE(5, 9, 24), 2),
                                          .self_mask = lb_causal_mask(tape, 17)};
        lb_tensor *y = lb_transformer_layer_forward(&layer, x, &context, 0);
        ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(y, x)), NULL), LB_OK);
        size_t count = (size_t)lb_params_size(params), outputs = (size_t)lb_count(y);
        lb_real *all = malloc((count + outputs) * sizeof *all);
        memcpy(all, lb_params_grads(params), count * sizeof *all);
        memcpy(all + count, y->data, outputs * sizeof *all);
        if (threads == 1)
            first = all;
        else {
            ck_assert_msg(memcmp(all, first, (count + outputs) * sizeof *all) == 0, "%d threads", threads);
            free(all);
        }
        tear_down();
    }
    free(first);
}
END_TEST

/* ---- Step by step. ---- */

/* `part` has the rows of `all` from `skip` on, and as many columns as it has. */
static void expect_part(const lb_tensor *part, const lb_tensor *all, int64_t skip)
{
    ck_assert_msg(lb_is_sound(part) && lb_is_sound(all), "%s", lb_tape_error(tape));
    int64_t rows = lb_dim(part, -2), columns = lb_dim(part, -1);
    for (int64_t i = 0; i < lb_count(part); i++) {
        int64_t row = i / columns % rows + skip, outer = i / columns / rows;
        double expected = (double)all->data[(outer * lb_dim(all, -2) + row) * lb_dim(all, -1) + i % columns];
        SUPPORT_CHECK(fabs((double)part->data[i] - expected) < 1e-5, "number %d: found %g, expected %g",
                      (int)i, (double)part->data[i], expected);
    }
}

/* Each piece of the tape is memory of its own: the allocator notices what is written behind it. */
START_TEST(test_cache_that_goes_on_stays_within_its_list)
{
    enum { MANY = 64 };
    lb_arena_apart(true);
    set_up();
    const lb_kv_cache none = {.batch = BATCH, .layers = 2, .width = WIDTH},
                      *before = lb_kv_cache_extend(tape, &none, MANY),
                      *after = lb_kv_cache_extend(tape, before, MANY);
    ck_assert(after && after->length == 2 * MANY);
    for (int64_t row = 0; row < 2 * BATCH; row++)
        ck_assert_mem_eq(after->entry + row * 2 * MANY, before->entry + row * MANY,
                         MANY * sizeof *after->entry);
    tear_down();
    lb_arena_apart(false);
}
END_TEST

START_TEST(test_step_attends_to_itself_as_all_tokens_at_once)
{
    static const lb_multi_head_config configs[] = {
        {0},
        {.kv_heads = 1, .softcap = (lb_real)0.5},
        {.window = {.on = true, .left = 1, .right = 0}, .normalizer = LB_SPARSEMAX},
        {.rotary = true, .normalizer = LB_ENTMAX}};
    static const int64_t pieces[] = {1, 2, 2};
    for (int i = 0; i < LB_LENGTH(configs) * 2; i++) {
        set_up();
        lb_multi_head attention = new_attention(configs[i / 2]);
        lb_tape_set_mode(tape, LB_MODE_EVALUATE);
        lb_tensor *x = drawn(LB_SHAPE(BATCH, LENGTH, WIDTH), 1),
                  *bias = i % 2 ? drawn(LB_SHAPE(HEADS, LENGTH, LENGTH), 2) : NULL;
        lb_attended_result all =
            lb_multi_head_forward(&attention, x, x, x, lb_causal_mask(tape, LENGTH), bias);
        const lb_multi_head_config *c = &attention.config;
        const lb_kv_cache none = {.batch = BATCH, .layers = 2, .width = c->kv_heads * c->key_width};
        lb_decoder_step step = {.cache = NULL};
        for (int64_t k = 0, at = 0; k < LB_LENGTH(pieces); at += pieces[k++]) {
            step.cache = lb_kv_cache_extend(tape, step.cache ? step.cache : &none, pieces[k]);
            lb_tensor *of = bias ? lb_slice(lb_slice(bias, 1, at, pieces[k]), 2, 0, at + pieces[k]) : NULL;
            lb_attended_result part =
                lb_multi_head_step(&attention, lb_slice(x, 1, at, pieces[k]), &step, 1, true, of);
            expect_part(part.context, all.context, at);
            expect_part(part.weights, all.weights, at);
        }
        tear_down();
    }
}
END_TEST

START_TEST(test_step_attends_to_the_symbols_of_a_source_whatever_rows_are_selected)
{
    enum { SOURCE = 4, ROWS = 3 };
    static const int64_t row[ROWS] = {1, 0, 1};
    static const int32_t lengths[ROWS] = {2, SOURCE, 2};
    set_up();
    lb_multi_head attention = new_attention((lb_multi_head_config){0});
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_tensor *source = drawn(LB_SHAPE(BATCH, SOURCE, WIDTH), 1), *x = drawn(LB_SHAPE(ROWS, 2, WIDTH), 2),
              *selected = lb_select_rows(tape, source, row, ROWS);
    lb_tensor *mask = lb_key_mask(lb_length_mask(tape, lengths, ROWS, SOURCE));
    lb_attended_result all = lb_multi_head_forward(&attention, x, selected, selected, mask, NULL);
    const lb_key_values seen = lb_multi_head_project(&attention, source, source);
    lb_kv_cache *cache = lb_kv_cache_of(tape, &seen, 1);
    ck_assert_ptr_nonnull(cache);
    expect_part(lb_kv_cache_read(tape, cache)->keys, seen.keys, 0);
    const lb_decoder_step step = {.source = lb_kv_cache_select(tape, cache, row, ROWS), .mask = mask};
    lb_attended_result found = lb_multi_head_step(&attention, x, &step, 0, false, NULL);
    expect_part(found.context, all.context, 0);
    expect_part(found.weights, all.weights, 0);
    tear_down();
}
END_TEST
