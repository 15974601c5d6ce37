/* What a call of lb_translate_all decodes: its configuration with defaults, tokens of texts, and the search. */
#include "lookback/op.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <string.h>

enum {
    BEAM = 5,          /* default number of hypotheses */
    MOST = 1 << 23,    /* approximate limit on the numbers in memory for sources decoded side by side */
    STEPS_AT_ONCE = 2, /* see lb_tape_begin_step */
    BACK_POINTER = 32  /* numbers that a hypothesis keeps of a step */
};

const lb_model *lb_translate_model(const lb_translator *t, const lb_translate_config *c)
{
    return c->member > 0 ? ((const lb_ensemble *)t->model.model)->member[c->member - 1] : t->model.model;
}

/* Beyond these ranges, a search does not return, or its scores are not numbers. */
static lb_status check_ranges(const lb_translator *t, const lb_translate_config *c, lb_error *error)
{
    int64_t members = lb_is_ensemble(t->model.model) ? ((const lb_ensemble *)t->model.model)->count : 0;
    const struct {
        const char *name;
        int64_t found, most;
    } whole[] = {{"beam", c->beam, LB_MOST_BEAM},
                 {"n_best", c->n_best, LB_MOST_BEAM},
                 {"measured", c->measured, LB_MOST_BEAM},
                 {"limit", c->limit, LB_MOST_LIMIT},
                 {"member", c->member, members}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (whole[i].found < 0 || whole[i].found > whole[i].most)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %lld, expected 0 to %lld", whole[i].name,
                                (long long)whole[i].found, (long long)whole[i].most);
    if (!(c->temperature >= 0 && isfinite(c->temperature)))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "temperature: found %g, expected a number, 0 or more",
                            c->temperature);
    if (!isfinite(c->length_penalty) || c->length_penalty > LB_MOST_PENALTY)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "length_penalty: found %g, expected at most %d",
                            c->length_penalty, LB_MOST_PENALTY);
    return LB_OK;
}

lb_status lb_translate_fill_in(const lb_translator *t, lb_translate_config *c, lb_error *error)
{
    lb_status status = check_ranges(t, c, error);
    if (status) return status;
#ifdef LB_PREDICT
    if (c->watch.watch || c->erasure || c->gradient || c->patch)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "watch, erasure, gradient, patch: found one of them, which the library for "
                            "prediction does not have");
#endif
    if (c->beam == 0) c->beam = t->model.sorts ? 1 : BEAM;
    if (c->n_best == 0) c->n_best = 1;
    if (c->beam < c->n_best || c->sample) c->beam = c->n_best;
    const lb_model *model = lb_translate_model(t, c);
    if (c->copy_unknown && model->heads == 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "copy_unknown: the model has no attention, expected one with attention");
    if (c->prefixes && (c->sample || model->kind->search || model->from_end))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "prefixes: found %s, expected a search with a model that writes forwards",
                            c->sample             ? "samples"
                            : model->kind->search ? "an ensemble"
                                                  : "a model that writes backwards");
    return LB_OK;
}

static int64_t limit_of(const lb_translator *t, const lb_source *source, const lb_translate_config *config)
{
    return config->limit ? config->limit : lb_text_model_limit(&t->model, source->length);
}

/* Whether nobody looks at the attention of the outputs. */
static bool is_blind(const lb_translator *t, const lb_translate_config *config)
{
    return !config->attention && !config->copy_unknown && !lb_translate_model(t, config)->copies;
}

/* The numbers that each step leaves behind for each hypothesis until its output ends. */
static int64_t reals_kept(const lb_translator *t, const lb_translate_config *config, int64_t longest,
                          bool given)
{
    const lb_model *model = lb_translate_model(t, config);
    int64_t maps = model->layers * model->heads;
    if (given) return maps * longest + model->target_vocab + model->step_reals;
    return BACK_POINTER + (is_blind(t, config) ? 0 : maps * longest);
}

/* The approximate count of numbers in memory for each source; `longest` is the length of the longest one. Outputs are
 * seldom longer than twice the source. */
static int64_t reals_of_each(const lb_translator *t, const lb_translate_config *config, int64_t longest,
                             int64_t limit, bool given)
{
    const lb_model *model = lb_translate_model(t, config);
    int64_t maps = model->layers * model->heads, usual = 2 * longest + 10;
    int64_t steps = limit < usual ? limit : usual;
    int64_t state = longest * (model->state_reals + maps);
    int64_t step = model->step_reals + model->target_vocab + state;
    return longest * maps * longest + state +
           config->beam * (STEPS_AT_ONCE * step + steps * reals_kept(t, config, longest, given));
}

size_t lb_translate_affordable(const lb_translate_job *j, size_t first, bool given)
{
    const lb_source *sources = j->source + first;
    int64_t limit = limit_of(j->translator, sources, &j->config), longest = 0;
    size_t fit = 0, count = j->count - first;
    while (fit < count && limit_of(j->translator, &sources[fit], &j->config) == limit) {
        longest = sources[fit].length > longest ? sources[fit].length : longest;
        int64_t each = reals_of_each(j->translator, &j->config, longest, limit, given);
        if (fit > 0 && ((int64_t)fit + 1) * each > MOST) break;
        fit++;
    }
    return fit;
}

lb_tokens lb_translate_tokens(lb_tape *tape, const lb_source *sources, size_t count, bool targets)
{
    int32_t longest = 0, *id, *lengths;
    for (size_t row = 0; row < count; row++) {
        const int32_t length = targets ? sources[row].target.length + 1 : sources[row].length;
        longest = length > longest ? length : longest;
    }
    lb_tokens tokens = lb_tokens_new(tape, (int64_t)count, longest, &id, &lengths);
    for (int64_t row = 0; row < tokens.batch; row++, id += longest) {
        const lb_source *s = &sources[row];
        const int32_t length = targets ? s->target.length : s->length;
        lengths[row] = length + targets;
        memcpy(id, targets ? s->target.id : s->id, (size_t)length * sizeof *id);
        if (targets) id[length] = LB_EOS;
    }
    return tokens;
}

static lb_beam search(const lb_translate_job *j, lb_tokens tokens, const lb_source *sources, size_t count)
{
    const lb_translate_config *config = &j->config;
    const int32_t **prefix = lb_tape_alloc(j->tape, count * sizeof *prefix);
    int32_t *length = lb_tape_alloc(j->tape, count * sizeof *length);
    lb_beam_config search = {.beam = config->beam,
                             .n_best = config->n_best,
                             .limit = limit_of(j->translator, sources, config),
                             .length_penalty = config->length_penalty,
                             .without_weights = is_blind(j->translator, config),
                             .near_horizon = j->translator->model.source_rule.subwords != NULL,
                             .stop = config->stop,
                             .context = config->context,
                             .prefix = config->prefixes ? prefix : NULL,
                             .prefix_length = length};
    if (!prefix || !length) return (lb_beam){0};
    for (size_t i = 0; i < count; i++) {
        prefix[i] = sources[i].prefix;
        length[i] = sources[i].prefix_length;
    }
    return lb_beam_search(lb_translate_model(j->translator, config), tokens, search);
}

static lb_beam draw(const lb_translate_job *j, lb_tokens tokens, const lb_source *sources, size_t count)
{
    const lb_translate_config *config = &j->config;
    uint64_t *text = lb_tape_alloc(j->tape, count * sizeof *text);
    lb_sample_config sample = {.count = config->n_best,
                               .limit = limit_of(j->translator, sources, config),
                               .temperature = config->temperature,
                               .length_penalty = config->length_penalty,
                               .without_weights = is_blind(j->translator, config),
                               .stop = config->stop,
                               .context = config->context,
                               .seed = config->seed,
                               .text = text};
    if (!text) return (lb_beam){0};
    for (size_t i = 0; i < count; i++) text[i] = sources[i].number;
    return lb_sample(lb_translate_model(j->translator, config), tokens, sample);
}

lb_status lb_translate_decode(const lb_translate_job *j, size_t first, size_t count, lb_beam *found)
{
    const lb_source *sources = j->source + first;
    lb_tape_reset(j->tape);
    lb_tokens tokens = lb_translate_tokens(j->tape, sources, count, false);
    *found = j->config.sample ? draw(j, tokens, sources, count) : search(j, tokens, sources, count);
    if (found->batch == (int64_t)count) return LB_OK;
    lb_status status = lb_tape_status(j->tape);
    if (status) return lb_error_set(j->error, status, "%s", lb_tape_error(j->tape));
    return lb_error_set(j->error, LB_ERROR_MEMORY, "out of memory for %zu texts", count);
}
