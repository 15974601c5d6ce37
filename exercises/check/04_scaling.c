#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 6 };

typedef struct row_of_weights {
    int keys;
    double weight[MOST];
} row_of_weights;

static const row_of_weights rows[] = {
    {3, {0.4011, 0.1978, 0.4011}}, /* the first row of the lesson */
    {2, {0.5, 0.5}},
    {6, {1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0}},
    {1, {1}},
    {4, {0, 1, 0, 0}},
    {4, {0.25, 0, 0.75, 0}},
};

static double entropy(const row_of_weights *row)
{
    double sum = 0;
    for (int i = 0; i < row->keys; i++)
        if (row->weight[i] > 0) sum -= row->weight[i] * log(row->weight[i]);
    return sum;
}

static void hint_keys_in_view(double found, const row_of_weights *row)
{
    double h = entropy(row), bits = h / log(2), two = pow(2, h), inverse = exp(-h), mixed = exp(bits);
    if (isnan(found))
        report_hint("NaN: ln(0) is minus infinity, and 0 times that is NaN. Leave keys of weight 0 out.");
    else if (report_is(&found, &h, 1))
        report_hint("This is H. What is asked is e^H.");
    else if (report_is(&found, &inverse, 1))
        report_hint("H is minus the sum: the logarithm of a weight is negative.");
    else if (report_is(&found, &mixed, 1) || report_is(&found, &two, 1))
        report_hint("The logarithm and the power need the same base, here e.");
    else
        report_hint("A row of %d even weights gives %d, and a row with all weight on one key gives 1.",
                    row->keys, row->keys);
}

static void check_keys_in_view(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        report_asked("weight %s", report_list(rows[i].weight, rows[i].keys));
        double found = keys_in_view(rows[i].weight, rows[i].keys);
        if (report_same_number(found, exp(entropy(&rows[i])))) continue;
        hint_keys_in_view(found, &rows[i]);
        return;
    }
}

static void hint_attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value, lb_tensor *found)
{
    int keys = (int)lb_dim(key, 1), width = (int)lb_dim(key, 2);
    lb_real by_keys = 1 / sqrtf((float)keys), by_width = 1 / (lb_real)width;
    if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, 1, by_keys, 0)))
        report_hint("The scores are divided by the root of %d, and the width is %d. What are there %d of?",
                    keys, width, keys);
    else if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, 1, by_width, 0)))
        report_hint("The scores are divided by the width: they become too small, and the weights even.");
    else if (report_is_tensor(found, lb_attend_dot(query, key, value, NULL, NULL, 1, 1, 0)))
        report_hint("The scores are not divided: their variance grows with the width.");
    else
        report_hint("By what are the scores divided? The width is %d.", width);
}

static void check_attend_scaled(void)
{
    static const struct {
        int batch, queries, keys, width, depth;
    } sizes[] = {{1, 3, 3, 2, 2}, {1, 2, 4, 4, 2}, {2, 1, 6, 16, 2}, {1, 2, 1, 3, 2}, {1, 1, 3, 1, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int batch = sizes[i].batch, keys = sizes[i].keys, width = sizes[i].width;
        lb_tape *tape = lb_tape_new();
        lb_tensor *query = report_random_tensor(tape, LB_SHAPE(batch, sizes[i].queries, width));
        lb_tensor *key = report_random_tensor(tape, LB_SHAPE(batch, keys, width));
        lb_tensor *value = report_random_tensor(tape, LB_SHAPE(batch, keys, sizes[i].depth));
        lb_tensor *expected = lb_attend_dot(query, key, value, NULL, NULL, 1, 1 / sqrtf((float)width), 0);
        report_asked("%d queries and %d keys of width %d", sizes[i].queries, keys, width);
        lb_tensor *found = attend_scaled(query, key, value);
        bool same = report_same_tensor(found, expected);
        if (!same) hint_attend_scaled(query, key, value, found);
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    4,
    "scaling",
    "exercises/04_scaling.c",
    {{"write", "keys_in_view", check_keys_in_view}, {"mend", "attend_scaled", check_attend_scaled}}};
