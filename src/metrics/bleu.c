#include "lookback/metrics.h"
#include "metrics/measures.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How often an n-gram occurs at the first `places` positions of a sequence. */
static int64_t occurrences(const int32_t *id, int64_t places, const int32_t *gram, int n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < places; i++)
        count += id[i] == *gram && memcmp(id + i, gram, (size_t)n * sizeof *gram) == 0;
    return count;
}

int64_t lb_places_for(lb_sequence sequence, int n)
{
    return sequence.length < n ? 0 : sequence.length - n + 1;
}

/* The k-th occurrence of an n-gram in the output matches if a reference also has it k times. */
static bool matches(lb_sequence output, int64_t at, int n, const lb_sequence *references, int64_t count)
{
    const int32_t *gram = output.id + at;
    int64_t before = occurrences(output.id, at, gram, n);
    for (int64_t r = 0; r < count; r++)
        if (occurrences(references[r].id, lb_places_for(references[r], n), gram, n) > before) return true;
    return false;
}

static int64_t nearest_length(int64_t length, const lb_sequence *references, int64_t count)
{
    int64_t nearest = count > 0 ? references[0].length : 0;
    for (int64_t r = 1; r < count; r++) {
        int64_t own = llabs(references[r].length - length), best = llabs(nearest - length);
        if (own < best || (own == best && references[r].length < nearest)) nearest = references[r].length;
    }
    return nearest;
}

lb_bleu_statistics lb_bleu_tally(lb_sequence output, const lb_sequence *references, int64_t count)
{
    lb_bleu_statistics s = {.output_length = output.length,
                            .reference_length = nearest_length(output.length, references, count)};
    for (int n = 1; n <= LB_BLEU_ORDER; n++) {
        s.totals[n - 1] = lb_places_for(output, n);
        for (int64_t at = 0; at < s.totals[n - 1]; at++)
            s.matches[n - 1] += matches(output, at, n, references, count);
    }
    return s;
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
