#include "metrics/measures.h"

#include <math.h>

/* ---- Errors and BLEU. ---- */

lb_status lb_statistics_of(lb_sequence output, const lb_sequence *references, int64_t count,
                           lb_statistics *statistics, int64_t *nearest, lb_error *error)
{
    if (count < 1) return lb_error_set(error, LB_ERROR_ARGUMENT, "an output needs at least one reference");
    int64_t best = 0, fewest = 0;
    for (int64_t r = 0; r < count; r++) {
        int64_t edits;
        lb_status status = lb_edit_distance(output, references[r], &edits, error);
        if (status) return status;
        if (r > 0 && edits >= fewest) continue;
        best = r;
        fewest = edits;
    }
    *statistics = (lb_statistics){
        .outputs = 1, .errors = fewest > 0, .edits = fewest, .reference_length = references[best].length};
    if (nearest) *nearest = best;
    return lb_bleu_tally(output, references, count, &statistics->bleu, error);
}

lb_status lb_statistics_count_words(lb_sequence output, lb_sequence reference, lb_statistics *statistics,
                                    lb_error *error)
{
    statistics->reference_words = reference.length;
    return lb_edit_distance(output, reference, &statistics->word_edits, error);
}

void lb_statistics_add(lb_statistics *sum, const lb_statistics *more)
{
    /* all of them are counts */
    enum { COUNTS = sizeof *sum / sizeof(int64_t) };
    int64_t *count = (int64_t *)(void *)sum;
    const int64_t *others = (const int64_t *)(const void *)more;
    for (int i = 0; i < COUNTS; i++) count[i] += others[i];
}

static double percent(int64_t part, int64_t whole)
{
    if (part == 0) return 0;
    return whole > 0 ? 100 * (double)part / (double)whole : INFINITY;
}

lb_measures lb_measure(const lb_statistics *sum, lb_bleu_config config)
{
    return (lb_measures){.sequence_error_rate = percent(sum->errors, sum->outputs),
                         .word_error_rate = percent(sum->word_edits, sum->reference_words),
                         .symbol_error_rate = percent(sum->edits, sum->reference_length),
                         .bleu = lb_bleu(&sum->bleu, config),
                         .bleu_13a = lb_bleu(&sum->bleu_13a, (lb_bleu_config){.smoothing = LB_BLEU_EXP}),
                         .chrf2 = lb_chrf(&sum->chrf2)};
}

/* ---- Calibration. ---- */

void lb_calibration_add(lb_calibration *calibration, double confidence, bool right)
{
    double inside = confidence > 0 ? fmin(confidence, 1) : 0;
    int place = (int)(inside * LB_CALIBRATION_BINS);
    lb_calibration_bin *bin =
        &calibration->bin[place < LB_CALIBRATION_BINS ? place : LB_CALIBRATION_BINS - 1];
    bin->outputs++;
    bin->right += right;
    bin->confidence += inside;
}

double lb_calibration_error(const lb_calibration *calibration)
{
    double gap = 0, all = 0;
    for (int i = 0; i < LB_CALIBRATION_BINS; i++) {
        const lb_calibration_bin *bin = &calibration->bin[i];
        gap += fabs((double)bin->right - bin->confidence);
        all += (double)bin->outputs;
    }
    return all > 0 ? gap / all : 0;
}
