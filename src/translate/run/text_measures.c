/* BLEU and chrF2 of what a model writes, for a training that chooses its best model by one of them. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "data/text/text_kind.h"
#include "lookback/metrics.h"
#include "translate/plan/recipe.h"

#include <math.h>

enum { TEXTS = 500, PART = 20 };

struct lb_text_comparison {
    lb_strings sources, references; /* each source has one or more */
    int64_t first[TEXTS + 1];       /* reference of each source; behind the last: their number */
    lb_text_facts facts;            /* of the references */
    int64_t done;                   /* sources whose outputs are counted */
    lb_statistics sum;
};

void lb_text_comparison_free(lb_text_comparison *t)
{
    if (!t) return;
    lb_text_facts_free(&t->facts);
    lb_strings_free(&t->sources);
    lb_strings_free(&t->references);
    lb_release(t);
}

/* The texts of `same` pairs of one source. */
static lb_status read_source(lb_text_comparison *t, const lb_training_data *data, const int64_t *pair,
                             int64_t same, lb_error *error)
{
    const lb_pair_line *line;
    lb_status status = LB_OK;
    for (int64_t i = 0; i < same && !status; i++) {
        status = lb_pairs_read(data->dev.pairs, pair[i], &line, error);
        if (status) break;
        const lb_symbols *source = &line->source, *target = &line->target;
        if (i == 0)
            status = lb_strings_add(
                &t->sources, lb_symbols_join(&data->format.source, source->symbol, source->count, error),
                error);
        if (!status)
            status = lb_strings_add(
                &t->references, lb_symbols_join(&data->format.target, target->symbol, target->count, error),
                error);
    }
    t->first[t->sources.count] = (int64_t)t->references.count;
    return status;
}

/* At most TEXTS of what is to get right in the sample, evenly spaced. */
static lb_status read_texts(lb_text_comparison *t, const lb_training_data *data, lb_error *error)
{
    const lb_pair_sample *sample = &data->dev.sample, *all = sample->sources ? sample->sources : sample;
    const int64_t judged = lb_pair_sample_judged(sample), wanted = judged < TEXTS ? judged : TEXTS;
    lb_status status = LB_OK;
    for (int64_t i = 0, number = 0; i < all->count && !status; number++) {
        const int64_t same = lb_pair_sample_same(all, i);
        if (number * wanted / judged < (number + 1) * wanted / judged)
            status = read_source(t, data, all->pair + i, same, error);
        i += same;
    }
    return status;
}

static lb_status begin(lb_text_comparison *t, const lb_training_data *data, lb_error *error)
{
    lb_status status = read_texts(t, data, error);
    for (size_t i = 0; i < t->references.count && !status; i++)
        status = lb_text_facts_add(&t->facts, t->references.text[i], error);
    for (size_t i = 0; i < t->references.count && !status; i++)
        lb_text_join_pieces(&t->facts, t->references.text[i]);
    return status;
}

/* The outputs for the next sources. */
static lb_status count_outputs(lb_text_comparison *t, const lb_translations *written, lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < written->count && !status; i++, t->done++) {
        lb_statistics one = {.outputs = 1};
        const lb_translation *text = &written->text[i];
        const int64_t *first = &t->first[t->done];
        char *output = lb_alloc_string(text->count > 0 ? text->output->text : "");
        if (output) lb_text_join_pieces(&t->facts, output);
        status = output ? lb_statistics_count_text(output, (const char *const *)t->references.text + first[0],
                                                   first[1] - first[0], false, &one, error)
                        : lb_no_memory(error, "a text");
        if (!status) lb_statistics_add(&t->sum, &one);
        lb_release(output);
    }
    return status;
}

lb_status lb_training_compare_texts(const lb_training_data *data, const lb_translator *translator,
                                    lb_text_comparison **so_far, bool in_parts, lb_evaluation *found,
                                    lb_error *error)
{
    lb_translate_config config = {.beam = 1, .no_lexicon = true, .skip_bad_texts = true};
    lb_text_comparison *t = *so_far ? *so_far : lb_alloc_zero(sizeof *t);
    if (!t) return lb_no_memory(error, "texts");
    lb_status status = *so_far ? LB_OK : begin(t, data, error);
    const int64_t all = (int64_t)t->sources.count, left = all - t->done;
    lb_translations *written =
        status ? NULL
               : lb_translate_all(translator, (const char *const *)t->sources.text + t->done,
                                  in_parts && left > PART ? PART : left, config, error);
    const bool sound = written != NULL; /* otherwise scores may not be finite: nothing is right then */
    if (sound)
        status = count_outputs(t, written, error);
    else if (!status && error->status != LB_ERROR_FORMAT)
        status = error->status;
    lb_translations_free(written);
    *so_far = sound && !status && t->done < all ? t : NULL;
    if (*so_far) return LB_ERROR_INTERRUPTED;
    const lb_measures measured = lb_measure(&t->sum, (lb_bleu_config){0});
    if (sound) {
        found->own[LB_OWN_BLEU] = fmax(measured.bleu_13a, 0); /* NaN: no output has four words */
        found->own[LB_OWN_CHRF] = measured.chrf2;
    }
    found->own[LB_OWN_TEXTS] = (double)all;
    lb_text_comparison_free(t);
    return status;
}
