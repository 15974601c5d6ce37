#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 24 };

typedef struct one_query {
    int keys, width, depth;
    double stretch; /* of the query: large ones give large scores */
} one_query;

static const one_query queries[] = {
    {3, 2, 2, 1}, /* the first query of the lesson */
    {1, 3, 2, 1}, {4, 3, 2, 1}, {2, 6, 1, 1}, {5, 1, 4, 1}, {3, 2, 2, 4000},
};

/* The attention of the library, with a scale. */
static lb_tensor *attend(lb_tape *tape, const one_query *q, const double *const vectors[3], lb_real scale)
{
    lb_tensor *query = report_tensor(tape, LB_SHAPE(1, 1, q->width), vectors[0]);
    lb_tensor *key = report_tensor(tape, LB_SHAPE(1, q->keys, q->width), vectors[1]);
    lb_tensor *value = report_tensor(tape, LB_SHAPE(1, q->keys, q->depth), vectors[2]);
    return lb_attend_dot(query, key, value, NULL, NULL, 1, scale, 0);
}

static void hint_attend_one(lb_tape *tape, const one_query *q, const double *const vectors[3],
                            const double *found)
{
    double sum = 0;
    for (int i = 0; i < q->depth; i++) sum += found[i];
    if (!isfinite(sum) && q->stretch > 1)
        report_hint("A score is above 1000 here, and e^1000 is infinite. What does the comment subtract?");
    else if (report_is(found, lb_doubles(attend(tape, q, vectors, 1)), q->depth))
        report_hint("This is the output without the division by the root of the width.");
    else if (report_is(found, lb_doubles(attend(tape, q, vectors, 1 / (lb_real)q->width)), q->depth))
        report_hint("The scores are divided by the width, not by its root.");
    else if (report_is(found, lb_doubles(attend(tape, q, vectors, 0)), q->depth))
        report_hint("This is the plain mean of the values: all keys have the same weight.");
    else
        report_hint("Print the weights: do they sum to one, and does key j have the weight of value j?");
}

static void check_attend_one(void)
{
    lb_tape *tape = lb_tape_new();
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        const one_query *q = &queries[i];
        double query[MOST] = {1, 0}, key[MOST] = {1, 0, 0, 1, 1, 1}, value[MOST] = {1, 10, 10, 1, 5, 5};
        const double *const vectors[] = {query, key, value};
        if (i > 0) {
            report_random(query, q->width);
            report_random(key, q->keys * q->width);
            report_random(value, q->keys * q->depth);
        }
        for (int k = 0; k < q->width; k++) query[k] *= q->stretch;
        lb_tensor *expected = attend(tape, q, vectors, 1 / sqrtf((float)q->width));
        report_asked("query (%s), %d keys of width %d, values of width %d", report_list(query, q->width),
                     q->keys, q->width, q->depth);
        double *found = report_room();
        attend_one(query, key, value, q->keys, q->width, q->depth, found);
        if (report_same(found, lb_doubles(expected), 1, q->depth)) continue;
        hint_attend_one(tape, q, vectors, found);
        break;
    }
    lb_tape_free(tape);
}

static double sum_of_row(const double *weight, int row, int keys)
{
    double sum = 0;
    for (int j = 0; j < keys; j++) sum += weight[row * keys + j];
    return sum;
}

static bool columns_sum_to_one(const double *weight, int rows, int columns)
{
    bool one = true;
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += weight[i * columns + j];
        one = one && fabs(sum - 1) < 1e-6;
    }
    return one;
}

static void hint_softmax_rows(const double *found, int rows, int keys)
{
    int row = 0;
    while (row < rows - 1 && fabs(sum_of_row(found, row, keys) - 1) < 1e-6) row++;
    double sum = sum_of_row(found, row, keys);
    if (isnan(sum))
        report_hint("Row %d has NaN: is a sum infinite?", row);
    else if (columns_sum_to_one(found, rows, keys))
        report_hint("Row %d sums to %.2f, and every column sums to 1. Over which axis does softmax run?", row,
                    sum);
    else
        report_hint("Row %d sums to %.2f.", row, sum);
}

static void check_softmax_rows(void)
{
    static const struct {
        int rows, keys;
        double stretch;
    } sizes[] = {{3, 3, 1}, {2, 4, 1}, {4, 2, 1}, {1, 3, 1}, {2, 1, 1}, {2, 3, 2000}};
    lb_tape *tape = lb_tape_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int rows = sizes[i].rows, keys = sizes[i].keys;
        double score[MOST], *found = report_room();
        report_random(score, rows * keys);
        for (int k = 0; k < rows * keys; k++) score[k] *= sizes[i].stretch;
        memcpy(found, score, sizeof *score * (size_t)(rows * keys));
        lb_tensor *expected = lb_softmax(report_tensor(tape, LB_SHAPE(rows, keys), score));
        report_asked("%d queries, %d keys, score %s", rows, keys, report_list(score, rows * keys));
        softmax_rows(found, rows, keys);
        if (report_same(found, lb_doubles(expected), rows, keys)) continue;
        hint_softmax_rows(found, rows, keys);
        break;
    }
    lb_tape_free(tape);
}

const check_exercise exercise = {
    1,
    "dot_product",
    "exercises/01_dot_product.c",
    {{"write", "attend_one", check_attend_one}, {"mend", "softmax_rows", check_softmax_rows}}};
