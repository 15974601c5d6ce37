/* Answers of the lexicon: what it knows comes before what the model writes. */
#include "base/alloc.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <string.h>

/* An answer that the model can be given. */
typedef struct lb_known {
    lb_translation *text;
    lb_source source;
    lb_target target;
} known;

/* Whether an answer begins as the output of its source must. */
static bool has_prefix(const lb_target *target, const lb_source *source)
{
    return target->length >= source->prefix_length &&
           (source->prefix_length == 0 ||
            memcmp(target->id, source->prefix, (size_t)source->prefix_length * sizeof *target->id) == 0);
}

/* Whether the model can be given a target of a source. */
static bool is_readable(const lb_translator *t, const lb_target *target, const lb_source *source)
{
    bool readable = source->length <= t->most && (size_t)target->length <= lb_target_most(t);
    for (int32_t i = 0; i < target->length; i++) readable = readable && target->id[i] != LB_UNK;
    return readable;
}

/* Stores an answer of the lexicon as an output of its text, without numbers of the model. */
static lb_status keep_answer(lb_translate_job *j, const char *answer, size_t length, known *k)
{
    lb_error found = {0};
    lb_output *output = k->target.output = &k->text->output[k->text->count];
    lb_status status =
        lb_symbols_split(&j->translator->model.target_rule, answer, length, &j->symbols, &found);
    if (status == LB_ERROR_FORMAT) return lb_lexicon_damaged(j->error);
    if (!status) status = lb_keep_target(j, &k->target);
    char *text = lb_keep_room(j, length + 1, 1);
    double *none = lb_keep_room(j, j->symbols.count + 1, sizeof *none);
    if (status || !text || !none) return lb_keep_failed(j);
    memcpy(text, answer, length);
    text[length] = '\0';
    for (size_t i = 0; i <= j->symbols.count; i++) none[i] = NAN;
    *output = (lb_output){.text = text,
                          .symbol = k->target.symbol,
                          .length = k->target.length,
                          .finished = true,
                          .steps = k->target.length + 1,
                          .from_lexicon = true,
                          .score = NAN,
                          .probability = NAN,
                          .symbol_probability = none};
    return LB_OK;
}

lb_status lb_known_keep(lb_translate_job *j)
{
    const lb_source *source = &j->source[j->good_count - 1];
    lb_translation *text = j->good[j->good_count - 1];
    const char *answer;
    size_t length;
    if (!j->answers) return LB_OK;
    text->output = lb_keep_room(j, (size_t)j->config.n_best, sizeof *text->output);
    if (!text->output) return lb_keep_failed(j);
    while (text->count < j->config.n_best && (answer = lb_lexicon_next_answer(&j->answers, &length))) {
        if (!lb_alloc_more(&j->known, j->known_count, &j->known_room, sizeof *j->known))
            return lb_keep_failed(j);
        known *k = &j->known[j->known_count];
        *k = (known){.text = text, .source = *source};
        lb_status status = keep_answer(j, answer, length, k);
        if (status) return status;
        if (!has_prefix(&k->target, source)) continue;
        text->count++;
        j->known_count += is_readable(j->translator, &k->target, source);
    }
    /* A text that only the lexicon can read is not decoded. */
    if (text->count == j->config.n_best || source->length > j->translator->most) j->good_count--;
    return LB_OK;
}

lb_status lb_known_score(const lb_translate_job *j)
{
    lb_translate_job each = *j;
    const size_t count = j->known_count;
    if (count == 0) return LB_OK;
    lb_target *targets = lb_keep_room(j, count, sizeof *targets);
    each.good = lb_keep_room(j, count, sizeof(lb_translation *));
    each.source = lb_keep_room(j, count, sizeof *each.source);
    each.good_count = count;
    each.config.beam = 1;
    each.config.n_best = 1;
    each.config.length_penalty = -1;
    if (!targets || !each.good || !each.source) return lb_keep_failed(j);
    for (size_t i = 0; i < count; i++) {
        each.good[i] = j->known[i].text;
        each.source[i] = j->known[i].source;
        targets[i] = j->known[i].target;
    }
    lb_status status = lb_score_targets(&each, targets);
    for (size_t i = 0; i < count && !status; i++) {
        lb_output *output = targets[i].output;
        output->from_lexicon = true;
        output->score /= lb_score_divisor(&j->config, output->steps);
    }
    return status;
}
