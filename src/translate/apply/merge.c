#include "translate/apply/merge.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An output with its ids, for sorting. */
typedef struct entry {
    lb_output *output;
    const lb_hypothesis *found;
} entry;

static int compare_texts(const entry *x, const entry *y)
{
    if (x->output->finished != y->output->finished) return x->output->finished ? -1 : 1;
    return strcmp(x->output->text, y->output->text);
}

static int compare_ids(const entry *x, const entry *y)
{
    const lb_hypothesis *a = x->found, *b = y->found;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->id, b->id, (size_t)a->length * sizeof *a->id);
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = compare_texts(x, y);
    if (order == 0) order = compare_ids(x, y);
    return order ? order : (x->output > y->output) - (x->output < y->output);
}

/* log(exp(a) + exp(b)) */
static double add_logs(double a, double b)
{
    double most = fmax(a, b);
    return isfinite(most) ? most + log1p(exp(fmin(a, b) - most)) : most;
}

static double log_probability(const lb_translate_job *j, const lb_output *output)
{
    return output->score * lb_score_divisor(&j->config, output->steps);
}

/* Rounding must not make a probability of more than 1. */
static void set_log_probability(const lb_translate_job *j, lb_output *output, double sum)
{
    output->probability = exp(fmin(sum, 0));
    output->score = fmin(sum, 0) / lb_score_divisor(&j->config, output->steps);
}

/* Merges outputs with the same text; those that are dropped lose it. */
static void merge_equal(const lb_translate_job *j, const entry *equal, size_t count)
{
    double sum = log_probability(j, equal->output);
    lb_output *best = equal->output;
    bool differ = false;
    for (size_t i = 1; i < count; i++) {
        if (equal[i].output < best) best = equal[i].output;
        if (compare_ids(&equal[i - 1], &equal[i]) == 0) continue;
        sum = add_logs(sum, log_probability(j, equal[i].output));
        differ = true;
    }
    for (size_t i = 0; i < count && differ; i++) {
        lb_output *output = equal[i].output;
        if (output == best || j->config.sample)
            set_log_probability(j, output, sum);
        else
            output->text = NULL;
    }
}

static bool is_better(const lb_output *a, const lb_output *b)
{
    return a->finished != b->finished ? a->finished : a->score > b->score;
}

/* Those that are kept, the best first. */
static void put_in_order(lb_translation *t)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < t->count; i++) {
        lb_output output = t->output[i];
        if (!output.text) continue;
        int64_t at = kept++;
        for (; at > 0 && is_better(&output, &t->output[at - 1]); at--) t->output[at] = t->output[at - 1];
        t->output[at] = output;
    }
    t->count = kept;
}

lb_status lb_merge_outputs(const lb_translate_job *j, lb_translation *text, const lb_hypothesis *found)
{
    size_t count = (size_t)text->count;
    if (count < 2) return LB_OK;
    entry *all = lb_alloc(count * sizeof *all);
    if (!all) return lb_keep_failed(j);
    for (size_t i = 0; i < count; i++) all[i] = (entry){&text->output[i], &found[i]};
    qsort(all, count, sizeof *all, compare);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_texts(&all[first], &all[end]) == 0;) end++;
        merge_equal(j, &all[first], end - first);
    }
    lb_release(all);
    if (!j->config.sample) put_in_order(text);
    return LB_OK;
}
