/* Evaluates a model on the sources of pairs. */
#include "apply/decoding.h"
#include "apply/model_operand.h"
#include "apply/pair_input.h"
#include "apply/unknown.h"
#include "data/symbols.h"
#include "evaluate/evaluate.h"

#include <string.h>

/* A model applied to a file. */
typedef struct session {
    const app_evaluate *asked;
    lb_translator *translator;
    lb_translator_facts model;
    app_pair_input pairs;
    app_pair_texts texts; /* the next pairs */
    lb_symbols target;
    app_score *score;
    app_unknown unknown;
} session;

static lb_status open_model(session *s, const char *model, lb_error *error)
{
    s->translator = app_open_model(model, s->asked->pairs, error);
    if (!s->translator) return error->status;
    s->model = lb_translator_about(s->translator);
    lb_status status = app_check_beam(&s->model, s->asked->beam, 1, error);
    return status || !s->asked->copy_unknown ? status : app_check_copy(&s->model, error);
}

static lb_status open_pairs(session *s, lb_error *error)
{
    const lb_pair_format format = app_pair_format(s->asked->format, &s->model);
    lb_status status = app_pair_input_open(&s->pairs, s->asked->pairs, &format, error);
    if (!status) status = app_pair_input_check(&s->pairs, error);
    if (!status) status = app_pair_texts_new(&s->texts, (size_t)s->asked->batch, error);
    return status ? status : app_score_open(s->score, s->model.target_rule.separator, error);
}

static lb_status add_row(session *s, size_t row, const lb_translation *text, lb_error *error)
{
    if (text->error)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", s->pairs.name,
                            (long long)s->texts.number[row], text->error);
    const char *reference = s->texts.target[row];
    lb_symbols output = {.count = (size_t)text->output->length, .symbol = text->output->symbol};
    lb_status status = app_unknown_count(&s->unknown, text, error);
    if (!status)
        status = lb_symbols_split(&s->model.target_rule, reference, strlen(reference), &s->target, error);
    return status ? status : app_score_add(s->score, &output, &s->target, error);
}

static lb_status translate(session *s, lb_error *error)
{
    lb_translate_config config = {.beam = s->asked->beam,
                                  .length_penalty = app_length_penalty(s->asked->length_penalty),
                                  .copy_unknown = s->asked->copy_unknown,
                                  .skip_bad_texts = true};
    lb_translations *found =
        lb_translate_all(s->translator, (const char *const *)s->texts.source, s->texts.count, config, error);
    if (!found) return error->status;
    lb_status status = LB_OK;
    for (size_t i = 0; i < found->count && !status; i++) status = add_row(s, i, &found->text[i], error);
    lb_translations_free(found);
    return status;
}

static lb_status evaluate(session *s, lb_error *error)
{
    lb_status status = open_pairs(s, error);
    if (status) return status;
    do {
        status = app_pair_texts_read(&s->texts, &s->pairs, error);
        if (!status && s->texts.count > 0) status = translate(s, error);
    } while (!status && s->texts.count > 0);
    s->score->skipped = s->pairs.skipped;
    if (status) return status;
    app_unknown_say(&s->unknown, s->pairs.name);
    if (s->score->count > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", s->pairs.name);
}

lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score, lb_error *error)
{
    session s = {.asked = asked, .score = score, .pairs.descriptor = -1};
    *score = (app_score){0};
    lb_status status = open_model(&s, model, error);
    if (!status) status = evaluate(&s, error);
    app_unknown_close(&s.unknown);
    lb_symbols_free(&s.target);
    app_pair_texts_free(&s.texts);
    app_pair_input_close(&s.pairs);
    lb_translator_close(s.translator);
    return status;
}
