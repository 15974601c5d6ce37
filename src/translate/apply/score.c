/* Scores given pairs: the probability that a model assigns to a target. */
#include "translate/apply/translator.h"

#include <string.h>

/* The log-probabilities of all tokens at each step of the targets, by teacher forcing. */
static lb_status force_targets(const lb_translate_job *j, const lb_source *source, size_t count,
                               lb_forced *forced)
{
    lb_tape *tape = j->tape;
    lb_tape_reset(tape);
    lb_tokens tokens = lb_translate_tokens(tape, source, count, false);
    lb_tokens out = lb_translate_tokens(tape, source, count, true);
    *forced = lb_forced_decode(j->translator->model.model, tokens, out);
    lb_status status = lb_tape_status(tape);
    return status ? lb_error_set(j->error, status, "%s", lb_tape_error(tape)) : LB_OK;
}

size_t lb_target_most(const lb_translator *translator)
{
    const lb_text_model *m = &translator->model;
    size_t most = (size_t)translator->most, positions = (size_t)m->model->positions;
    if (most < (size_t)m->longest_target) most = (size_t)m->longest_target;
    return positions && most >= positions ? positions - 1 : most; /* the model reads LB_BOS before them */
}

lb_status lb_keep_target(const lb_translate_job *j, lb_target *to)
{
    size_t count = j->symbols.count;
    to->symbol = lb_keep_symbols(j, j->symbols.symbol, count);
    to->id = lb_keep_room(j, count, sizeof *to->id);
    if (!to->symbol || !to->id) return lb_keep_failed(j);
    to->length =
        lb_vocabulary_encode(j->translator->model.target, to->symbol, (int64_t)count, to->id, (int32_t)count);
    return LB_OK;
}

/* Splits a target into the symbols of the model. */
static lb_status read_target(lb_translate_job *j, size_t number, const char *text, lb_target *to)
{
    lb_error found = {0};
    lb_status status = lb_translate_split(j, &j->translator->model.target_rule, text, &found);
    size_t count = j->symbols.count, most = lb_target_most(j->translator);
    if (!status && count > most)
        status = lb_error_set(&found, LB_ERROR_FORMAT, "found a target of %zu symbols, expected at most %zu",
                              count, most);
    return status ? lb_keep_error(j, number, &found) : lb_keep_target(j, to);
}

/* Stores a target as an output of its source. */
static lb_status keep_target(const lb_translate_job *j, const lb_source *source,
                             const lb_real *log_probabilities, lb_real *weights, int64_t width)
{
    const lb_target *given = &source->target;
    int64_t vocabulary = j->translator->model.model->target_vocab;
    lb_hypothesis h = {.length = given->length,
                       .id = given->id,
                       .finished = true,
                       .steps = given->length + 1,
                       .weights = weights};
    h.log_probability = lb_keep_room(j, (size_t)h.steps, sizeof *h.log_probability);
    lb_output *output = given->output ? given->output : lb_keep_room(j, 1, sizeof *output);
    if (!h.log_probability || !output) return lb_keep_failed(j);
    for (int64_t step = 0; step < h.steps; step++) {
        int32_t token = step < h.length ? given->id[step] : LB_EOS;
        h.log_probability[step] = (double)log_probabilities[step * vocabulary + token];
        h.score += h.log_probability[step];
    }
    lb_status status = lb_keep_output(j, source, &h, width, given->symbol, output);
    if (status || given->output) return status;
    source->text->output = output;
    source->text->count = 1;
    return LB_OK;
}

/* The weights of a row, [maps, T, S], with only its own steps in each map. */
static lb_real *pack_weights(lb_tensor *all, int64_t row, int64_t steps)
{
    int64_t maps = lb_dim(all, 1), length = lb_dim(all, 2), width = lb_dim(all, 3);
    lb_real *weights = all->data + row * maps * length * width;
    for (int64_t map = 1; map < maps; map++)
        memmove(weights + map * steps * width, weights + map * length * width,
                (size_t)(steps * width) * sizeof *weights);
    return weights;
}

static lb_status score_some(lb_translate_job *j, size_t first, size_t *count)
{
    lb_forced found;
    int64_t longest = 0;
    const lb_source *source = j->source + first;
    for (size_t i = 0; i < j->count - first; i++)
        longest = source[i].target.length > longest ? source[i].target.length : longest;
    j->config.limit = longest + 1;
    *count = lb_translate_affordable(j, first, true);
    lb_status status = force_targets(j, source, *count, &found);
    if (status) return status;
    const lb_tensor *each = found.log_probabilities;
    int64_t length = lb_dim(each, 1), row = length * lb_dim(each, 2);
    for (size_t i = 0; i < *count && !status; i++) {
        lb_real *weights = NULL;
        if (j->config.attention && found.weights)
            weights = pack_weights(found.weights, (int64_t)i, source[i].target.length + 1);
        status = keep_target(j, &source[i], each->data + (int64_t)i * row, weights,
                             found.weights ? lb_dim(found.weights, 3) : 0);
    }
    return status;
}

lb_status lb_score_targets(lb_translate_job *j)
{
    lb_status status = LB_OK;
    for (size_t first = 0, some; first < j->count && !status; first += some)
        status = score_some(j, first, &some);
    return status;
}

static lb_status score(lb_translate_job *j, const char *const *sources, const char *const *texts)
{
    lb_status status = lb_translate_fill_in(j->translator, &j->config, j->error);
    lb_watch(j->tape, j->config.watch);
    for (int64_t i = 0; i < j->all->count && !status; i++) {
        size_t before = j->count;
        status = lb_keep_text(j, (size_t)i, sources[i]);
        if (status || j->count == before) continue;
        status = read_target(j, (size_t)i, texts[i], &j->source[before].target);
        if (j->all->text[i].error) j->count = before;
    }
    return status ? status : lb_score_targets(j);
}

lb_translations *lb_translator_score(const lb_translator *translator, const char *const *sources,
                                     const char *const *targets, int64_t count, lb_score_config config,
                                     lb_error *error)
{
    lb_error found = {0};
    lb_translate_job j;
    lb_status status = lb_translate_job_begin(&j, translator, count, &found);
    j.config = (lb_translate_config){.beam = 1,
                                     .length_penalty = -1,
                                     .attention = config.attention,
                                     .watch = config.watch,
                                     .skip_bad_texts = true,
                                     .no_lexicon = true};
    if (!status) status = score(&j, sources, targets);
    if (status) lb_error_set(error, status, "%s", found.message);
    return lb_translate_job_end(&j);
}
