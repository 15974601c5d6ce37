/* Attention of one row against its definition, with every instruction set; runs in both precisions. */
#include "lookback/base.h"
#include "support/suite.h"
#include "tensor/row_attention.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_KEYS = 40, MOST_WIDTH = 40, MOST_HEADS = 4, ROW = MOST_HEADS * MOST_WIDTH, FILLER = -77 };

static const double TOLERANCE = sizeof(lb_real) == sizeof(double) ? 1e-12 : 2e-5;

/* Numbers of the test, and what is asked of them. */
typedef struct attention {
    lb_real query[ROW], keys[MOST_KEYS * ROW], values[MOST_KEYS * ROW], bias[MOST_HEADS * MOST_KEYS];
    const lb_real *entry[MOST_KEYS];
    bool turned; /* the order of the keys is turned round */
    lb_attended_row to;
} attention;

static attention a;

static void draw(int64_t count, uint32_t stream, lb_real *x)
{
    lb_rng rng = {.seed = 3, .stream = stream};
    for (int64_t i = 0; i < count; i++) x[i] = (lb_real)(2 * lb_rng_uniform(rng, (uint64_t)i) - 1);
}

/* Where key `k` really is. */
static int64_t place(int64_t k)
{
    return a.turned ? a.to.count - 1 - k : k;
}

static void arrange(bool turned)
{
    a.turned = turned;
    for (int64_t k = 0; k < a.to.count; k++) a.entry[k] = a.keys + place(k) * ROW;
}

static void draw_all(int64_t count, int64_t heads, int64_t kv_heads, int64_t width, int64_t depth)
{
    draw(ROW, 0, a.query);
    draw(MOST_KEYS * ROW, 1, a.keys);
    draw(MOST_KEYS * ROW, 2, a.values);
    draw(MOST_HEADS * MOST_KEYS, 3, a.bias);
    a.to = (lb_attended_row){
        .count = count, .heads = heads, .kv_heads = kv_heads, .width = width, .depth = depth};
    a.to.scale = (lb_real)0.7;
    a.to.entry = a.entry;
    a.to.values_at = a.values - a.keys;
    arrange(false);
}

static double softmax_of(int64_t head, double *weight)
{
    int64_t shared = head / (a.to.heads / a.to.kv_heads);
    double sum = 0;
    for (int64_t k = 0; k < a.to.count; k++) {
        double score = 0;
        for (int64_t i = 0; i < a.to.width; i++)
            score += (double)a.query[head * a.to.width + i] *
                     (double)a.keys[place(k) * ROW + shared * a.to.width + i];
        score *= (double)a.to.scale;
        if (a.to.softcap > 0) score = (double)a.to.softcap * tanh(score / (double)a.to.softcap);
        if (a.to.bias) score += (double)a.to.bias[head * a.to.bias_stride + k];
        sum += weight[k] = exp(score);
    }
    return sum;
}

static void check(const char *what)
{
    lb_real work[MOST_HEADS * (MOST_KEYS + 16)], context[ROW + 1];
    int64_t room = lb_attend_row_room(a.to.count);
    ck_assert(room >= a.to.count && room <= MOST_KEYS + 16);
    for (int64_t i = 0; i <= ROW; i++) context[i] = FILLER;
    lb_attend_row(&a.to, a.query, work, context);
    for (int64_t h = 0; h < a.to.heads; h++) {
        int64_t shared = h / (a.to.heads / a.to.kv_heads);
        double weight[MOST_KEYS], sum = softmax_of(h, weight);
        for (int64_t k = 0; k < a.to.count; k++)
            ck_assert_msg(fabs((double)work[h * room + k] - weight[k] / sum) < TOLERANCE,
                          "%s: %d keys of width %d, head %d, key %d", what, (int)a.to.count, (int)a.to.width,
                          (int)h, (int)k);
        for (int64_t k = a.to.count; k < room; k++) ck_assert(work[h * room + k] == 0);
        for (int64_t i = 0; i < a.to.depth; i++) {
            double expected = 0;
            for (int64_t k = 0; k < a.to.count; k++)
                expected += weight[k] / sum * (double)a.values[place(k) * ROW + shared * a.to.depth + i];
            ck_assert_double_eq_tol((double)context[h * a.to.depth + i], expected, TOLERANCE);
        }
    }
    for (int64_t i = a.to.heads * a.to.depth; i <= ROW; i++) ck_assert(context[i] == FILLER);
}

/* Calls `what` with each instruction set of this processor. */
static void with_each_set(void (*what)(void))
{
    for (int set = LB_SET_BASE; set <= (int)lb_instruction_set_widest(); set++) {
        atomic_store(&lb_instruction_set_in_force, set);
        what();
    }
    atomic_store(&lb_instruction_set_in_force, LB_SET_WIDEST);
}

static void check_sizes(void)
{
    enum { COUNTS = 11, WIDTHS = 7 };
    static const int64_t counts[COUNTS] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 33, 40},
                         widths[WIDTHS] = {1, 2, 7, 16, 20, 32, 40};
    for (int c = 0; c < COUNTS; c++)
        for (int w = 0; w < WIDTHS; w++) {
            draw_all(counts[c], 3, 3, widths[w], widths[WIDTHS - 1 - w]);
            check("evenly spaced");
            arrange(true);
            check("turned round");
        }
}

START_TEST(test_attend_row_of_any_size_follows_its_definition)
{
    with_each_set(check_sizes);
}
END_TEST

static void check_choices(void)
{
    for (int choice = 0; choice < 8; choice++) {
        draw_all(11, 4, choice & 1 ? 2 : 1, 8, 9);
        if (choice & 2) a.to.softcap = (lb_real)0.3;
        if (choice & 4) a.to.bias = a.bias;
        a.to.bias_stride = MOST_KEYS;
        check("choices");
    }
    a.bias[3] = -(lb_real)INFINITY; /* hides */
    check("a hidden key");
}

START_TEST(test_attend_row_with_shared_keys_softcap_and_bias_follows_its_definition)
{
    with_each_set(check_choices);
}
END_TEST

/* The largest score has all of the weight if it is far ahead. */
static void check_sparse(void)
{
    for (int normalizer = LB_SPARSEMAX; normalizer <= LB_ENTMAX; normalizer++) {
        lb_real work[MOST_HEADS * (MOST_KEYS + 16)], context[ROW];
        draw_all(19, 2, 2, 16, 16);
        a.to.normalizer = (lb_normalizer)normalizer;
        a.to.bias = a.bias;
        a.to.bias_stride = 19;
        for (int64_t i = 0; i < 2 * 19; i++) a.bias[i] = 0;
        a.bias[5] = a.bias[19 + 7] = 50;
        lb_attend_row(&a.to, a.query, work, context);
        ck_assert(work[5] == 1 && work[lb_attend_row_room(19) + 7] == 1 && work[6] == 0);
        for (int64_t i = 0; i < 16; i++) ck_assert(context[i] == a.values[5 * ROW + i]);
    }
}

START_TEST(test_attend_row_by_sparsemax_and_entmax_has_zeros)
{
    with_each_set(check_sparse);
}
END_TEST

START_TEST(test_attend_row_of_hidden_keys_is_zero)
{
    lb_real work[MOST_HEADS * (MOST_KEYS + 16)], context[ROW];
    draw_all(5, 2, 2, 16, 16);
    a.to.bias = a.bias;
    for (int64_t i = 0; i < 5; i++) a.bias[i] = -(lb_real)INFINITY; /* of both heads */
    lb_attend_row(&a.to, a.query, work, context);
    for (int64_t i = 0; i < 32; i++) ck_assert(context[i] == 0);
}
END_TEST
