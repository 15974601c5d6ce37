#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 24 };

/* The weights of a query, and by backward of the library how fast they change along `step`. */
static void differentiate(const double *query, const double *step, const double *key, int keys, int width,
                          double *weight, double *change)
{
    lb_params *params = lb_params_new(0);
    lb_tensor *moving =
        lb_params_add(params, "", "query", LB_SHAPE(1, 1, width), (lb_init){LB_INIT_CONSTANT, 0});
    for (int i = 0; i < width; i++) moving->data[i] = (lb_real)query[i];
    for (int j = 0; j < keys; j++) {
        lb_tape *tape = lb_tape_new();
        lb_real chosen[MOST] = {0};
        lb_error error = {0};
        chosen[j] = 1;
        lb_params_zero_grads(params);
        lb_tensor *place = report_tensor(tape, LB_SHAPE(1, keys, width), key);
        lb_tensor *output =
            lb_attend_dot(lb_on_tape(tape, moving), place, place, NULL, NULL, 1, 1 / sqrtf((float)width), 0);
        lb_tensor *weights = lb_op_output(output, 1);
        weight[j] = (double)weights->data[j];
        change[j] = 0;
        if (!lb_backward_from(weights, chosen, &error))
            for (int i = 0; i < width; i++) change[j] += (double)lb_params_grads(params)[i] * step[i];
        lb_tape_free(tape);
    }
    lb_params_free(params);
}

static void hint_weight_changes(const double *found, const double *expected, const double *weight,
                                const double *step, const double *key, int keys, int width)
{
    double sum = 0, own[MOST], wide[MOST];
    for (int j = 0; j < keys; j++) {
        double score = 0;
        for (int i = 0; i < width; i++) score += step[i] * key[j * width + i];
        own[j] = weight[j] * score / sqrt(width);
        wide[j] = expected[j] * sqrt(width);
        sum += found[j];
    }
    if (report_is(found, own, keys))
        report_hint("The changes sum to %.4f, but the weights sum to one before and after. What is missing?",
                    sum);
    else if (report_is(found, wide, keys))
        report_hint("All changes are too large by the root of the width.");
    else if (fabs(sum) > 1e-3)
        report_hint("The changes sum to %.4f. The weights sum to one before and after.", sum);
    else
        report_hint("The changes sum to zero, as they must. Is ds right for each key?");
}

static void check_weight_changes(void)
{
    static const struct {
        int keys, width;
    } sizes[] = {{3, 2}, {3, 2}, {1, 3}, {5, 4}, {6, 1}};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        int keys = sizes[n].keys, width = sizes[n].width;
        /* The lesson's query, on its way from (1, 0) to (0, 1). */
        double query[MOST] = {0.8, 0.2}, step[MOST] = {-1, 1}, key[MOST] = {1, 0, 0, 1, 1, 1};
        double weight[MOST], expected[MOST], *found = report_room();
        if (n > 0) {
            report_random(query, width);
            report_random(step, width);
            report_random(key, keys * width);
        }
        differentiate(query, step, key, keys, width, weight, expected);
        report_asked("weight %s, step (%s), %d keys of width %d", report_list(weight, keys),
                     report_list(step, width), keys, width);
        weight_changes(weight, step, key, keys, width, found);
        if (report_same(found, expected, 1, keys)) continue;
        hint_weight_changes(found, expected, weight, step, key, keys, width);
        return;
    }
}

static void check_lines_of(void)
{
    static const struct {
        int queries, keys;
    } sizes[] = {{4, 3}, {2, 2}, {1, 5}, {5, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int queries = sizes[i].queries, keys = sizes[i].keys;
        lb_tape *tape = lb_tape_new();
        lb_tensor *weights = lb_softmax(report_random_tensor(tape, LB_SHAPE(1, 1, queries, keys)));
        lb_tensor *expected = lb_permute(weights, 4, (const int[]){0, 1, 3, 2});
        report_asked("%d queries, %d keys, weights %s", queries, keys,
                     report_list(lb_doubles(weights), queries * keys));
        lb_tensor *found = lines_of(weights);
        bool same = report_same_tensor(found, expected);
        if (!same && report_is_tensor(found, lb_reshape(weights, expected->shape)))
            report_hint("The numbers are in the old order, query by query, and only cut into other rows.");
        else if (!same)
            report_hint("Line 0 has the weights of key 0: one of each query.");
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    2,
    "changing_a_query",
    "exercises/02_changing_a_query.c",
    {{"write", "weight_changes", check_weight_changes}, {"mend", "lines_of", check_lines_of}}};
