/* BLEU and chrF: how many n-grams an output and its references have in common. */
#include "base/alloc.h"
#include "metrics/measures.h"

#include <math.h>
#include <stdlib.h>

/* A place in a sequence with the symbols from there on; NONE behind its end. */
typedef struct gram {
    int32_t id[LB_CHRF_ORDER];
} gram;

enum { NONE = -1, RECALL_WEIGHT = 4 /* beta is 2 */ };

/* ---- n-grams. ---- */

/* The number of positions where an n-gram can start. */
static int64_t places_for(lb_sequence sequence, int n)
{
    return sequence.length < n ? 0 : sequence.length - n + 1;
}

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

/* Each n-gram of the output as often as both have it, but not where it has matched an earlier reference: `matched`, of
 * zeros for the first one, or NULL, is by the places of the output. */
static int64_t count_matches(const gram *output, int64_t outputs, const gram *reference, int64_t references,
                             int n, unsigned char *matched)
{
    int64_t found = 0;
    for (int64_t i = 0, j = 0; i < outputs && j < references;) {
        int order = compare_first(&output[i], &reference[j], n);
        if (order == 0 && output[i].id[n - 1] != NONE && !(matched && matched[i] >> n & 1)) {
            if (matched) matched[i] |= (unsigned char)(1 << n);
            found++;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

/* ---- BLEU. ---- */

static int64_t nearest_length(int64_t length, const lb_sequence *references, int64_t count)
{
    int64_t nearest = count > 0 ? references[0].length : 0;
    for (int64_t r = 1; r < count; r++) {
        int64_t own = llabs(references[r].length - length), best = llabs(nearest - length);
        if (own < best || (own == best && references[r].length < nearest)) nearest = references[r].length;
    }
    return nearest;
}

lb_status lb_bleu_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                        lb_bleu_statistics *statistics, lb_error *error)
{
    lb_bleu_statistics s = {.output_length = output.length,
                            .reference_length = nearest_length(output.length, references, count)};
    gram *written = sort_grams(output);
    unsigned char *matched = lb_alloc_zero((size_t)output.length + 1);
    bool fits = written && matched;
    for (int n = 1; n <= LB_BLEU_ORDER; n++) s.totals[n - 1] = places_for(output, n);
    for (int64_t r = 0; r < count && fits; r++) {
        gram *wanted = sort_grams(references[r]);
        fits = wanted;
        for (int n = 1; n <= LB_BLEU_ORDER && fits; n++)
            s.matches[n - 1] +=
                count_matches(written, output.length, wanted, references[r].length, n, matched);
        lb_release(wanted);
    }
    lb_release(written);
    lb_release(matched);
    *statistics = s;
    return fits ? LB_OK : lb_no_memory(error, "the n-grams of a text");
}

double lb_bleu(const lb_bleu_statistics *sum, lb_bleu_config config)
{
    double logarithms = 0, halved = 1, usual = config.smoothing == LB_BLEU_FLOOR ? 0.1 : 1;
    double value = config.value != 0 ? config.value : usual;
    bool any = false;
    for (int n = 0; n < LB_BLEU_ORDER; n++) any = any || sum->matches[n] > 0;
    if (!any) return 0;
    if (sum->totals[LB_BLEU_ORDER - 1] == 0 && config.smoothing != LB_BLEU_ADD_K) return NAN;
    for (int n = 0; n < LB_BLEU_ORDER; n++) {
        double more = config.smoothing == LB_BLEU_ADD_K && n > 0 ? value : 0;
        double found = (double)sum->matches[n] + more, total = (double)sum->totals[n] + more;
        if (found == 0 && config.smoothing == LB_BLEU_EXP) found = halved /= 2;
        if (found == 0 && config.smoothing == LB_BLEU_FLOOR) found = value;
        if (found == 0) return 0;
        logarithms += log(found / total);
    }
    double ratio = (double)sum->reference_length / (double)sum->output_length;
    double brevity = ratio > 1 ? exp(1 - ratio) : 1;
    return 100 * brevity * exp(logarithms / LB_BLEU_ORDER);
}

/* ---- chrF. ---- */

lb_status lb_chrf_tally(lb_sequence output, const lb_sequence *references, int64_t count,
                        lb_chrf_statistics *statistics, lb_error *error)
{
    gram *written = sort_grams(output);
    bool fits = written;
    double best = -1;
    *statistics = (lb_chrf_statistics){.matches = {0}};
    for (int64_t r = 0; r < count && fits; r++) {
        lb_chrf_statistics own = {.matches = {0}};
        gram *wanted = sort_grams(references[r]);
        fits = wanted;
        for (int n = 1; n <= LB_CHRF_ORDER && fits; n++) {
            own.references[n - 1] = places_for(references[r], n);
            own.outputs[n - 1] = own.references[n - 1] > 0 ? places_for(output, n) : 0;
            own.matches[n - 1] = count_matches(written, output.length, wanted, references[r].length, n, NULL);
        }
        lb_release(wanted);
        if (lb_chrf(&own) <= best) continue;
        best = lb_chrf(&own);
        *statistics = own;
    }
    lb_release(written);
    return fits ? LB_OK : lb_no_memory(error, "the n-grams of a text");
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
