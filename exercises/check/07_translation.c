#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 6, NUMBERS = 24 };

typedef struct heads_of_weights {
    int heads, targets, sources;
    double weight[NUMBERS];
} heads_of_weights;

static const heads_of_weights cases[] = {
    {1, 2, 3, {0.4450, 0.3886, 0.1664, 0.2213, 0.2717, 0.5070}},
    /* The first head is sure of word 0, the mean is not. */
    {2, 1, 3, {0.5, 0.4, 0.1, 0, 0.4, 0.6}},
    /* The largest weight of all is not in the largest mean. */
    {3, 1, 3, {0.8, 0.1, 0.1, 0.1, 0.5, 0.4, 0, 0.6, 0.4}},
    {2, 2, 2, {0.75, 0.25, 0.25, 0.75, 0.25, 0.75, 0.5, 0.5}},
    {2, 3, 1, {1, 1, 1, 1, 1, 1}},
    {2, 2, 4, {0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1, 0.1, 0.5, 0.3, 0.1, 0.1, 0.1, 0.1, 0.7}},
};

/* Where the target words look, by the `value_of` a source word. With `last`, the last of equal ones wins. */
static void find(const heads_of_weights *c, double (*value_of)(const heads_of_weights *, int, int), bool last,
                 int *looks_at)
{
    for (int i = 0; i < c->targets; i++) {
        looks_at[i] = 0;
        for (int j = 1; j < c->sources; j++) {
            double ahead = value_of(c, i, j) - value_of(c, i, looks_at[i]);
            if (ahead > 1e-9 || (last && ahead > -1e-9)) looks_at[i] = j;
        }
    }
}

static double weight_of(const heads_of_weights *c, int head, int target, int source)
{
    return c->weight[(head * c->targets + target) * c->sources + source];
}

static double mean_of(const heads_of_weights *c, int target, int source)
{
    double sum = 0;
    for (int head = 0; head < c->heads; head++) sum += weight_of(c, head, target, source);
    return sum / c->heads;
}

static double first_of(const heads_of_weights *c, int target, int source)
{
    return weight_of(c, 0, target, source);
}

static double largest_of(const heads_of_weights *c, int target, int source)
{
    double largest = 0;
    for (int head = 0; head < c->heads; head++) largest = fmax(largest, weight_of(c, head, target, source));
    return largest;
}

static bool is_result_of(const heads_of_weights *c, double (*value_of)(const heads_of_weights *, int, int),
                         bool last, const int *found)
{
    int known[MOST];
    bool equal = true;
    find(c, value_of, last, known);
    for (int i = 0; i < c->targets; i++) equal = equal && known[i] == found[i];
    return equal;
}

static void check_align(void)
{
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const heads_of_weights *c = &cases[n];
        int expected[MOST], *found = report_int_room();
        find(c, mean_of, false, expected);
        report_asked("heads %d, target words %d, source words %d, weight %s", c->heads, c->targets,
                     c->sources, report_list(c->weight, c->heads * c->targets * c->sources));
        align(c->weight, c->heads, c->targets, c->sources, found);
        if (report_same_ints(found, expected, c->targets)) continue;
        if (is_result_of(c, mean_of, true, found))
            report_hint("Two source words have the same mean, and the last of them was chosen.");
        else if (is_result_of(c, first_of, false, found))
            report_hint("This is what the first head alone looks at.");
        else if (is_result_of(c, largest_of, false, found))
            report_hint("This is where the largest single weight is. One sure head must not decide alone.");
        else
            report_hint("The weights of target word 0 in head 0 are %s.", report_list(c->weight, c->sources));
        return;
    }
}

static void check_attend_across(void)
{
    static const struct {
        int batch, targets, sources, width;
    } sizes[] = {{1, 3, 3, 2}, {1, 2, 4, 3}, {2, 3, 1, 2}, {1, 1, 2, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int width = sizes[i].width;
        lb_real scale = 1 / sqrtf((float)width);
        lb_tape *tape = lb_tape_new();
        lb_tensor *target = report_random_tensor(tape, LB_SHAPE(sizes[i].batch, sizes[i].targets, width));
        lb_tensor *source = report_random_tensor(tape, LB_SHAPE(sizes[i].batch, sizes[i].sources, width));
        lb_tensor *expected = lb_attend_dot(target, source, source, NULL, NULL, 1, scale, 0);
        report_asked("%d target words, %d source words of width %d", sizes[i].targets, sizes[i].sources,
                     width);
        lb_tensor *found = attend_across(target, source);
        bool same = report_same_tensor(found, expected), square = sizes[i].targets == sizes[i].sources;
        if (!same && square &&
            report_is_tensor(found, lb_attend_dot(target, source, target, NULL, NULL, 1, scale, 0)))
            report_hint("The weights are right, but these are means of target words. What are the values?");
        else if (!same && square &&
                 report_is_tensor(found, lb_attend_dot(source, target, target, NULL, NULL, 1, scale, 0)))
            report_hint("Here each source word attends to the target.");
        else if (!same)
            report_hint("There is one query for each target word. Each key belongs to one value.");
        lb_tape_free(tape);
        if (!same) return;
    }
}

const check_exercise exercise = {
    7,
    "translation",
    "exercises/07_translation.c",
    {{"write", "align", check_align}, {"mend", "attend_across", check_attend_across}}};
