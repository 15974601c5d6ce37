/* chrF: how many n-grams of characters the output and a reference have in common. */
#include "lookback/metrics.h"
#include "metrics/measures.h"

#include <stdlib.h>

/* A place in a text with the characters from there on; NONE behind its end. */
typedef struct gram {
    int32_t id[LB_CHRF_ORDER];
} gram;

enum { NONE = -1, RECALL_WEIGHT = 4 /* beta is 2 */ };

static int compare_first(const gram *a, const gram *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a->id[i] != b->id[i]) return a->id[i] < b->id[i] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    return compare_first(a, b, LB_CHRF_ORDER);
}

/* All places, sorted: those that begin with the same n-gram are neighbours, whatever n is. */
static gram *sort_grams(lb_sequence text)
{
    gram *grams = lb_alloc((size_t)(text.length + 1) * sizeof *grams);
    for (int64_t at = 0; at < text.length && grams; at++)
        for (int i = 0; i < LB_CHRF_ORDER; i++)
            grams[at].id[i] = at + i < text.length ? text.id[at + i] : NONE;
    if (grams && text.length > 1) qsort(grams, (size_t)text.length, sizeof *grams, compare);
    return grams;
}

/* Each n-gram as often as both texts have it. */
static int64_t matches(const gram *output, int64_t outputs, const gram *reference, int64_t references, int n)
{
    int64_t found = 0;
    for (int64_t i = 0, j = 0; i < outputs && j < references;) {
        int order = compare_first(&output[i], &reference[j], n);
        found += order == 0 && output[i].id[n - 1] != NONE;
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

static lb_chrf_statistics tally(lb_sequence output, const gram *written, lb_sequence reference,
                                const gram *wanted)
{
    lb_chrf_statistics s = {.matches = {0}};
    for (int n = 1; n <= LB_CHRF_ORDER; n++) {
        s.references[n - 1] = lb_places_for(reference, n);
        s.outputs[n - 1] = s.references[n - 1] > 0 ? lb_places_for(output, n) : 0;
        s.matches[n - 1] = matches(written, output.length, wanted, reference.length, n);
    }
    return s;
}

lb_status lb_chrf_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                        lb_chrf_statistics *statistics, lb_error *error)
{
    gram *written = sort_grams(output);
    bool failed = !written;
    double best = -1;
    *statistics = (lb_chrf_statistics){.matches = {0}};
    for (int64_t r = 0; r < count && !failed; r++) {
        gram *wanted = sort_grams(references[r]);
        failed = !wanted;
        if (failed) break;
        const lb_chrf_statistics own = tally(output, written, references[r], wanted);
        if (lb_chrf(&own) > best) {
            best = lb_chrf(&own);
            *statistics = own;
        }
        lb_release(wanted);
    }
    lb_release(written);
    return failed ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a text of %lld characters",
                                 (long long)output.length)
                  : LB_OK;
}

double lb_chrf(const lb_chrf_statistics *sum)
{
    double precision = 0, recall = 0;
    int orders = 0;
    for (int n = 0; n < LB_CHRF_ORDER; n++) {
        if (sum->outputs[n] == 0 || sum->references[n] == 0) continue;
        precision += (double)sum->matches[n] / (double)sum->outputs[n];
        recall += (double)sum->matches[n] / (double)sum->references[n];
        orders++;
    }
    if (precision + recall == 0) return 0;
    precision /= orders;
    recall /= orders;
    return 100 * (1 + RECALL_WEIGHT) * precision * recall / (RECALL_WEIGHT * precision + recall);
}
