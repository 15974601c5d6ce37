/* lb_attend_dot_with and lb_rotary against the definition of Attention and RotaryEmbedding of ONNX.
 * This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/nn.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

/* One case of a file. */
typedef struct onnx_case {
    support_fixture *fixture;
    lb_tape *tape;
    char name[NAME];
} onnx_case;

static lb_tensor *operand(const onnx_case *c, const char *key)
{
    char full[2 * NAME], array[3 * NAME];
    snprintf(full, sizeof full, "%s.%s", c->name, key);
    snprintf(array, sizeof array, "input.%s", full);
    return support_fixture_has(c->fixture, array) ? support_fixture_constant(c->fixture, c->tape, full)
                                                  : NULL;
}

static double number(const onnx_case *c, const char *key)
{
    char full[2 * NAME];
    snprintf(full, sizeof full, "%s.%s", c->name, key);
    return support_fixture_number(c->fixture, full);
}

static void compare(const onnx_case *c, const char *key, const lb_tensor *found)
{
    char full[2 * NAME];
    snprintf(full, sizeof full, "output.%s.%s", c->name, key);
    ck_assert_msg(lb_is_sound(found), "%s: %s", c->name, lb_tape_error(c->tape));
    ck_assert_msg(lb_shape_equal(found->shape, support_fixture_shape(c->fixture, full)), "%s", full);
    support_fixture_compare(c->fixture, full, found->data);
}

/* past_key and past_value come before the keys and values of this call. */
static lb_tensor *with_past(const onnx_case *c, const char *key)
{
    char past[NAME];
    snprintf(past, sizeof past, "past_%s", key);
    lb_tensor *before = operand(c, past), *now = operand(c, key);
    return before ? lb_concat((lb_tensor *[]){before, now}, 2, -2) : now;
}

/* nonpad_kv_seqlen is a mask. */
static lb_tensor *mask_of(const onnx_case *c, int64_t keys)
{
    const lb_tensor *lengths = operand(c, "lengths");
    if (!lengths) return operand(c, "mask");
    int32_t count[8];
    for (int64_t i = 0; i < lb_count(lengths); i++) count[i] = (int32_t)lengths->data[i];
    return lb_key_mask(lb_length_mask(c->tape, count, lb_count(lengths), keys));
}

static void check_attention(const onnx_case *c)
{
    lb_tensor *query = operand(c, "query"), *keys = with_past(c, "keys"), *values = with_past(c, "values");
    int64_t past = lb_dim(keys, -2) - lb_dim(operand(c, "keys"), -2);
    lb_dot_options options = {.heads = (int64_t)number(c, "heads"),
                              .kv_heads = (int64_t)number(c, "kv_heads"),
                              .scale = (lb_real)number(c, "scale"),
                              .softcap = (lb_real)number(c, "softcap"),
                              .cap_biased = number(c, "cap_last") != 0,
                              .first = past};
    if (number(c, "causal") != 0) options.window = (lb_window){.on = true, .left = -1};
    lb_tensor *context =
        lb_attend_dot_with(query, keys, values, mask_of(c, lb_dim(keys, -2)), operand(c, "bias"), options);
    compare(c, "context", context);
    compare(c, "weights", lb_op_output(context, 1));
}

static void check_attentions(const char *file)
{
    onnx_case c = {.fixture = support_fixture_open(file), .tape = lb_tape_new()};
    int cases = 0;
    for (const char *rest = support_fixture_word(c.fixture, "cases"); *rest; rest += *rest == ' ') {
        size_t length = strcspn(rest, " ");
        ck_assert_uint_lt(length, NAME);
        snprintf(c.name, sizeof c.name, "%.*s", (int)length, rest);
        check_attention(&c);
        lb_tape_reset(c.tape);
        rest += length;
        cases++;
    }
    ck_assert_int_gt(cases, 25);
    lb_tape_free(c.tape);
    support_fixture_close(c.fixture);
}

START_TEST(test_attention_with_three_axes_follows_onnx)
{
    check_attentions("onnx_attention_3d");
}
END_TEST

START_TEST(test_attention_with_heads_as_an_axis_follows_onnx)
{
    check_attentions("onnx_attention_4d");
}
END_TEST

START_TEST(test_rotary_follows_onnx)
{
    support_fixture *fixture = support_fixture_open("onnx_rotary");
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_fixture_constant(fixture, tape, "x");
    lb_rotary_options options = {.heads = (int64_t)support_fixture_number(fixture, "heads"),
                                 .first = (int64_t)support_fixture_number(fixture, "first")};
    support_fixture_compare(fixture, "output.halves", lb_rotary(x, options)->data);
    options.rotated = 4;
    support_fixture_compare(fixture, "output.some", lb_rotary(x, options)->data);
    options.rotated = 0;
    options.interleaved = true;
    support_fixture_compare(fixture, "output.interleaved", lb_rotary(x, options)->data);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}
END_TEST
