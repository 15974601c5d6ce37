/* Answers of the lexicon: what it knows comes before what the model writes. */
#include "base/alloc.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <string.h>

/* A text with answers. */
typedef struct lb_known {
    lb_translation *text;
    lb_source source;
    lb_output *output; /* [count] */
    lb_target *target; /* [count] the same for the model; a length of 0: it cannot be given to it */
    int64_t count;
} known;

/* Keeps an answer of the lexicon. Whether the model can be given it is in target->length. */
static lb_status keep_answer(lb_translate_job *j, const lb_strings *symbols, lb_target *target,
                             lb_output *output)
{
    const lb_text_model *m = &j->translator->model;
    const size_t count = symbols->count;
    char *text = lb_symbols_join(&m->target_rule, (const char *const *)symbols->text, count, j->error);
    if (!text) return LB_ERROR_MEMORY;
    double *none = lb_keep_room(j, count + 1, sizeof *none);
    *target = (lb_target){.symbol = lb_keep_symbols(j, (const char *const *)symbols->text, count),
                          .id = lb_keep_room(j, count, sizeof *target->id),
                          .output = output};
    *output = (lb_output){.text = lb_keep_string(j, text),
                          .symbol = target->symbol,
                          .length = (int64_t)count,
                          .finished = true,
                          .steps = (int64_t)count + 1,
                          .from_lexicon = true,
                          .score = NAN,
                          .probability = NAN,
                          .symbol_probability = none};
    lb_release(text);
    if (!output->text || !none || !target->symbol || !target->id) return lb_keep_failed(j);
    for (size_t i = 0; i <= count; i++) none[i] = NAN;
    if (count > lb_target_most(j->translator)) return LB_OK;
    target->length =
        lb_vocabulary_encode(m->target, target->symbol, (int64_t)count, target->id, (int32_t)count);
    for (size_t i = 0; i < count; i++)
        if (target->id[i] == LB_UNK) target->length = 0;
    return LB_OK;
}

/* Whether an answer begins as the output of its source must. */
static bool has_prefix(const lb_target *target, const lb_output *output, const lb_source *source)
{
    return output->length >= source->prefix_length &&
           (source->prefix_length == 0 ||
            memcmp(target->id, source->prefix, (size_t)source->prefix_length * sizeof *target->id) == 0);
}

lb_status lb_known_keep(lb_translate_job *j)
{
    if (!j->answers.at) return LB_OK;
    if (!lb_alloc_more(&j->known, j->known_count, &j->known_room, sizeof *j->known)) return lb_keep_failed(j);
    const lb_text_model *m = &j->translator->model;
    size_t room = (size_t)j->config.n_best;
    const lb_source *source = &j->source[j->good_count - 1];
    known *k = &j->known[j->known_count];
    *k = (known){.text = j->good[j->good_count - 1],
                 .source = *source,
                 .output = lb_keep_room(j, room, sizeof *k->output),
                 .target = lb_keep_room(j, room, sizeof *k->target)};
    if (!k->output || !k->target) return lb_keep_failed(j);
    bool readable = source->length <= j->translator->most;
    lb_strings symbols = {0};
    lb_status status = LB_OK;
    while (!status && (size_t)k->count < room) {
        lb_target *target = &k->target[k->count];
        status = lb_lexicon_next_answer(&j->answers, m->target, &symbols, j->error);
        if (status || symbols.count == 0) break;
        status = keep_answer(j, &symbols, target, &k->output[k->count]);
        if (!readable) target->length = 0;
        k->count += has_prefix(target, &k->output[k->count], source);
    }
    lb_strings_free(&symbols);
    if (status) return status;
    j->known_count += k->count > 0;
    /* A text that only the lexicon can read is not decoded. */
    if ((size_t)k->count == room || !readable) j->good_count--;
    return LB_OK;
}

/* One source for each answer that the model can be given. */
static lb_status score(const lb_translate_job *j, size_t count)
{
    lb_translate_job each = *j;
    lb_target *targets = lb_alloc((count + 1) * sizeof *targets);
    each.good = lb_alloc((count + 1) * sizeof(lb_translation *));
    each.source = lb_alloc((count + 1) * sizeof *each.source);
    each.good_count = 0;
    each.config.beam = 1;
    each.config.n_best = 1;
    each.config.length_penalty = -1;
    lb_status status = targets && each.good && each.source ? LB_OK : LB_ERROR_MEMORY;
    if (status) (void)lb_keep_failed(j);
    for (size_t i = 0; i < j->known_count && !status; i++)
        for (const lb_target *t = j->known[i].target; t < j->known[i].target + j->known[i].count; t++) {
            if (t->length == 0) continue;
            each.good[each.good_count] = j->known[i].text;
            each.source[each.good_count] = j->known[i].source;
            targets[each.good_count++] = *t;
        }
    if (!status) status = lb_score_targets(&each, targets);
    for (size_t i = 0; i < each.good_count && !status; i++) {
        lb_output *output = targets[i].output;
        output->from_lexicon = true;
        output->score /= lb_score_divisor(&j->config, output->steps);
    }
    lb_release(each.source);
    lb_release((void *)each.good);
    lb_release(targets);
    return status;
}

/* Adds the outputs of the model that no answer equals. */
static lb_status merge(const lb_translate_job *j, const known *k)
{
    lb_translation *t = k->text;
    const lb_output *written = t->output;
    int64_t count = k->count, most = j->config.n_best;
    lb_output *all = lb_keep_room(j, (size_t)most, sizeof *all);
    if (!all) return lb_keep_failed(j);
    memcpy(all, k->output, (size_t)count * sizeof *all);
    for (int64_t i = 0; i < t->count && count < most; i++) {
        bool again = false;
        for (int64_t a = 0; a < k->count && !again; a++) again = strcmp(all[a].text, written[i].text) == 0;
        if (!again) all[count++] = written[i];
    }
    t->output = all;
    t->count = count;
    return LB_OK;
}

lb_status lb_known_add(lb_translate_job *j)
{
    size_t answers = 0;
    lb_status status = LB_OK;
    for (size_t i = 0; i < j->known_count; i++) answers += (size_t)j->known[i].count;
    if (answers > 0) status = score(j, answers);
    for (size_t i = 0; i < j->known_count && !status; i++) status = merge(j, &j->known[i]);
    return status;
}
