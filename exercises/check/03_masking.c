#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 5 };

typedef struct masked_row {
    int keys;
    double score[MOST];
    int mask[MOST];
} masked_row;

static const masked_row rows[] = {
    {3, {0.7071, 0, 0.7071}, {1, 1, 0}}, /* the first row of the lesson */
    {3, {1, 2, 3}, {1, 1, 1}},
    {1, {-4}, {1}},
    {5, {0.5, -1, 2, 0.1, 3}, {0, 1, 0, 1, 1}},
    {3, {1000, 999, 1}, {1, 1, 1}},
    {3, {-1, 1000, -2}, {1, 0, 1}},
    {4, {3, 1, 2, 0}, {0, 0, 0, 0}},
};

static double sum_of(const double *weight, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += weight[i];
    return sum;
}

static bool is_even(const double *weight, int count)
{
    bool even = true;
    for (int i = 0; i < count; i++) even = even && fabs(weight[i] - 1.0 / count) < 1e-6;
    return even;
}

static void hint_masked_softmax(const masked_row *row, const double *found, const double *open)
{
    int visible = 0;
    double hidden = 0, cut[MOST];
    for (int i = 0; i < row->keys; i++) {
        visible += row->mask[i];
        cut[i] = row->mask[i] ? open[i] : 0;
        if (!row->mask[i]) hidden += found[i];
    }
    if (visible == 0 && isnan(found[0]))
        report_hint("No key is visible: the sum is 0, and 0 divided by 0 is NaN.");
    else if (visible == 0 && is_even(found, row->keys))
        report_hint("A large negative number in place of a hidden score hides nothing if all keys have it.");
    else if (isnan(sum_of(found, row->keys)))
        report_hint("NaN: is a sum 0 or infinite? Subtract the largest of the visible scores, of no others.");
    else if (visible < row->keys && report_is(found, open, row->keys))
        report_hint("These are the weights without a mask: it has no effect.");
    else if (visible < row->keys && report_is(found, cut, row->keys))
        report_hint("The weights sum to %.2f. The mask comes before the softmax, not after it.",
                    sum_of(found, row->keys));
    else if (hidden != 0)
        report_hint("The hidden keys have a weight of %.2f. Which ones do you mask?", hidden);
    else
        report_hint("The weights sum to %.2f.", sum_of(found, row->keys));
}

static void check_masked_softmax(void)
{
    lb_tape *tape = lb_tape_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const masked_row *row = &rows[i];
        double mask[MOST], *found = report_room();
        for (int k = 0; k < row->keys; k++) mask[k] = row->mask[k];
        lb_tensor *score = report_tensor(tape, LB_SHAPE(row->keys), row->score);
        lb_tensor *hidden = lb_masked_fill(score, report_tensor(tape, LB_SHAPE(row->keys), mask), -INFINITY);
        report_asked("score %s, mask %s", report_list(row->score, row->keys),
                     report_int_list(row->mask, row->keys));
        masked_softmax(row->score, row->mask, row->keys, found);
        if (report_same(found, lb_doubles(lb_softmax(hidden)), 1, row->keys)) continue;
        hint_masked_softmax(row, found, lb_doubles(lb_softmax(score)));
        break;
    }
    lb_tape_free(tape);
}

typedef struct padded_batch {
    int batch, queries, keys, width, depth;
    int32_t lengths[MOST];
} padded_batch;

static const padded_batch batches[] = {
    {1, 3, 3, 2, 2, {2}}, /* the lesson's */
    {1, 2, 4, 3, 2, {4}}, /* no padding */
    {3, 2, 4, 3, 2, {4, 1, 2}},
    {2, 2, 3, 2, 3, {3, 1}}, /* a mask without the axes of heads and queries would fit */
    {2, 1, 3, 2, 2, {0, 3}}, /* a row without words */
};

static void hint_attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, lb_tensor *is_word,
                               lb_tensor *found)
{
    int64_t batch = lb_dim(key, 0), keys = lb_dim(key, 1);
    lb_real scale = 1 / sqrtf((float)lb_dim(query, 2));
    lb_tensor *words = lb_mul(value, lb_reshape(is_word, LB_SHAPE(batch, keys, 1)));
    bool fits = batch == lb_dim(query, 1);
    if (report_is_tensor(found, lb_attend_dot(query, key, words, NULL, NULL, 1, scale, 0)))
        report_hint("The outputs are too small. The padding adds nothing, but who gets its weight?");
    else if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, 1, scale, 0)))
        report_hint("These are the outputs without a mask.");
    else if (fits && report_is_tensor(found, lb_attend_dot(query, key, value, is_word, NULL, 1, scale, 0)))
        report_hint("The mask [batch, keys] was taken for [queries, keys]: see lb_key_mask in the lesson.");
    else
        report_hint("Row b of the batch has lengths[b] words. Does every query see these, and only these?");
}

static void check_attend_padded(void)
{
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        const padded_batch *b = &batches[i];
        lb_tape *tape = lb_tape_new();
        lb_tensor *query = report_random_tensor(tape, LB_SHAPE(b->batch, b->queries, b->width));
        lb_tensor *key = report_random_tensor(tape, LB_SHAPE(b->batch, b->keys, b->width));
        lb_tensor *value = report_random_tensor(tape, LB_SHAPE(b->batch, b->keys, b->depth));
        if (i == 0) {
            const double vectors[] = {1, 0, 0, 1, 1, 1}, values[] = {1, 10, 10, 1, 5, 5};
            query = key = report_tensor(tape, LB_SHAPE(1, 3, 2), vectors);
            value = report_tensor(tape, LB_SHAPE(1, 3, 2), values);
        }
        lb_tensor *is_word = lb_length_mask(tape, b->lengths, b->batch, b->keys);
        lb_tensor *expected =
            lb_attend_dot(query, key, value, lb_key_mask(is_word), NULL, 1, 1 / sqrtf((float)b->width), 0);
        report_asked("%d queries, %d keys, lengths %s", b->queries, b->keys,
                     report_int_list(b->lengths, b->batch));
        lb_tensor *found = attend_padded(query, key, value, b->lengths);
        bool same = report_same_tensor(found, expected);
        if (!same) hint_attend_padded(query, key, value, is_word, found);
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    3,
    "masking",
    "exercises/03_masking.c",
    {{"write", "masked_softmax", check_masked_softmax}, {"mend", "attend_padded", check_attend_padded}}};
