/* Answers of the lexicon: what it knows comes before what the model writes. */
#include "base/alloc.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <string.h>

/* Whether an answer begins as the output of its source must. */
static bool has_prefix(const lb_source *source)
{
    const lb_target *target = &source->target;
    return target->length >= source->prefix_length &&
           (source->prefix_length == 0 ||
            memcmp(target->id, source->prefix, (size_t)source->prefix_length * sizeof *target->id) == 0);
}

/* Whether the model can be given a source and its answer. */
static bool is_readable(const lb_translator *t, const lb_source *source)
{
    const lb_target *target = &source->target;
    bool readable = source->length <= t->most && (size_t)target->length <= lb_target_most(t);
    for (int32_t i = 0; i < target->length; i++) readable = readable && target->id[i] != LB_UNK;
    return readable;
}

/* Stores an answer of the lexicon as an output of its text, without numbers of the model. */
static lb_status keep_answer(lb_translate_job *j, const char *answer, size_t length, lb_source *source)
{
    lb_target *target = &source->target;
    lb_output *output = target->output = &source->text->output[source->text->count];
    lb_status status =
        lb_symbols_split(&j->translator->model.target_rule, answer, length, &j->symbols, j->error);
    if (!status) status = lb_keep_target(j, target);
    char *text = lb_keep_room(j, length + 1, 1);
    double *none = lb_keep_room(j, j->symbols.count + 1, sizeof *none);
    if (status || !text || !none) return lb_keep_failed(j);
    memcpy(text, answer, length);
    text[length] = '\0';
    for (size_t i = 0; i <= j->symbols.count; i++) none[i] = NAN;
    *output = (lb_output){.text = text,
                          .symbol = target->symbol,
                          .length = target->length,
                          .finished = true,
                          .steps = target->length + 1,
                          .from_lexicon = true,
                          .score = NAN,
                          .probability = NAN,
                          .symbol_probability = none};
    return LB_OK;
}

/* Adds an answer, unless it does not begin as it must, or that of another spelling is the same. */
static lb_status keep_one(lb_translate_job *j, const char *answer, size_t length)
{
    const lb_source *source = &j->source[j->count - 1];
    lb_translation *text = source->text;
    if (!lb_alloc_more(&j->known, j->known_count, &j->known_room, sizeof *j->known)) return lb_keep_failed(j);
    lb_source *known = &j->known[j->known_count];
    *known = *source;
    lb_status status = keep_answer(j, answer, length, known);
    if (status || !has_prefix(known)) return status;
    for (int64_t i = 0; i < text->count; i++)
        if (strcmp(text->output[i].text, text->output[text->count].text) == 0) return LB_OK;
    text->count++;
    j->known_count += is_readable(j->translator, known);
    return LB_OK;
}

lb_status lb_known_keep(lb_translate_job *j)
{
    const lb_source *source = &j->source[j->count - 1];
    const lb_lexicon_answers *of = &j->answers;
    lb_translation *text = source->text;
    lb_status status = LB_OK;
    size_t length;
    if (!of->first) return LB_OK;
    text->output = lb_keep_room(j, (size_t)j->config.n_best, sizeof *text->output);
    if (!text->output) return lb_keep_failed(j);
    for (int others = 0; others < 2; others++)
        for (const char *next = of->first, *at; (at = next) && text->count < j->config.n_best && !status;) {
            const char *answer = lb_lexicon_next_answer(&next, &length);
            bool alike = of->like && lb_lexicon_are_alike(at, of->like);
            if (alike != others) status = keep_one(j, answer, length);
        }
    /* A text that only the lexicon can read is not decoded. */
    if (text->count == j->config.n_best || source->length > j->translator->most) j->count--;
    return status;
}

lb_status lb_known_score(const lb_translate_job *j)
{
    lb_translate_job each = *j;
    each.source = j->known;
    each.count = j->known_count;
    each.config.beam = 1;
    each.config.n_best = 1;
    each.config.length_penalty = -1;
    lb_status status = lb_score_targets(&each);
    for (size_t i = 0; i < each.count && !status; i++) {
        lb_output *output = j->known[i].target.output;
        output->from_lexicon = true;
        output->score /= lb_score_divisor(&j->config, output->steps);
    }
    return status;
}
