/* BLEU and chrF2 of what a model writes, for a training that chooses its best model by one of them. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "data/text/text_kind.h"
#include "lookback/metrics.h"
#include "translate/plan/recipe.h"

#include <math.h>

enum { TEXTS = 500 };

/* Sources, each with one or more references. */
typedef struct texts {
    lb_strings sources, references;
    int64_t first[TEXTS + 1]; /* reference of each source; behind the last: their number */
} texts;

/* The texts of `same` pairs of one source. */
static lb_status read_source(texts *t, const lb_training_data *data, const int64_t *pair, int64_t same,
                             lb_error *error)
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
static lb_status read_texts(texts *t, const lb_training_data *data, lb_error *error)
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

static lb_status compare(const texts *t, const lb_translations *written, lb_evaluation *found,
                         lb_error *error)
{
    lb_statistics sum = {0};
    lb_text_facts facts = {0};
    lb_status status = LB_OK;
    for (size_t i = 0; i < t->references.count && !status; i++)
        status = lb_text_facts_add(&facts, t->references.text[i], error);
    for (size_t i = 0; i < t->references.count && !status; i++)
        lb_text_join_pieces(&facts, t->references.text[i]);
    for (int64_t i = 0; i < written->count && !status; i++) {
        lb_statistics one = {.outputs = 1};
        const lb_translation *text = &written->text[i];
        char *output = lb_alloc_string(text->count > 0 ? text->output->text : "");
        if (output) lb_text_join_pieces(&facts, output);
        status = output
                     ? lb_statistics_count_text(output, (const char *const *)t->references.text + t->first[i],
                                                t->first[i + 1] - t->first[i], false, &one, error)
                     : lb_no_memory(error, "a text");
        if (!status) lb_statistics_add(&sum, &one);
        lb_release(output);
    }
    lb_text_facts_free(&facts);
    const lb_measures all = lb_measure(&sum, (lb_bleu_config){0});
    found->own[LB_OWN_BLEU] = fmax(all.bleu_13a, 0); /* NaN: no output has four words */
    found->own[LB_OWN_CHRF] = all.chrf2;
    return status;
}

lb_status lb_training_compare_texts(const lb_training_data *data, const lb_translator *translator,
                                    lb_evaluation *found, lb_error *error)
{
    texts t = {.first = {0}};
    lb_translate_config config = {.beam = 1, .no_lexicon = true, .skip_bad_texts = true};
    lb_status status = read_texts(&t, data, error);
    lb_translations *written = status ? NULL
                                      : lb_translate_all(translator, (const char *const *)t.sources.text,
                                                         (int64_t)t.sources.count, config, error);
    if (written)
        status = compare(&t, written, found, error);
    else if (!status && error->status != LB_ERROR_FORMAT)
        status = error->status;
    found->own[LB_OWN_TEXTS] =
        (double)t.sources.count; /* also if scores are not finite: nothing is right then */
    lb_translations_free(written);
    lb_strings_free(&t.sources);
    lb_strings_free(&t.references);
    return status;
}
