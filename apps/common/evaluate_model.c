/* Measures what a model makes of the sources of pairs. */
#include "common/decoding.h"
#include "common/evaluate.h"
#include "common/report.h"
#include "data/pairs.h"
#include "data/symbols.h"

/* A model at work on a file. */
typedef struct session {
    const app_evaluate *asked;
    lb_translator *translator;
    lb_translator_facts model;
    lb_pairs *pairs;
    char **text; /* [batch] sources */
    app_score *score;
    int64_t symbols, unknown; /* of the sources; not in the model's vocabulary */
} session;

static lb_status open_all(session *s, const char *model, lb_error *error)
{
    s->translator = lb_translator_open(model, error);
    if (!s->translator) return error->status;
    s->model = lb_translator_about(s->translator);
    lb_status status = app_check_beam(&s->model, s->asked->beam, error);
    if (status) return status;
    lb_pair_format format = s->asked->format;
    format.source = s->model.source_rule;
    format.target = s->model.target_rule;
    format.longest = s->model.most > s->model.longest_target ? s->model.most : s->model.longest_target;
    s->pairs = lb_pairs_open(s->asked->pairs, &format, error);
    if (!s->pairs) return error->status;
    s->text = lb_alloc((size_t)s->asked->batch * sizeof *s->text);
    if (!s->text) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return app_score_open(s->score, s->model.target_rule.separator, error);
}

static lb_status add_rows(session *s, int64_t first, const lb_translations *found, lb_error *error)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < found->count && !status; i++) {
        const lb_translation *text = &found->text[i];
        const lb_pair_line *line;
        if (text->error)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s: in pair %lld, %s", s->asked->pairs,
                                (long long)first + (long long)i + 1, text->error);
        lb_symbols output = {.count = (size_t)text->output->length, .symbol = text->output->symbol};
        s->symbols += text->length;
        s->unknown += text->unknown_count;
        status = lb_pairs_read(s->pairs, first + (int64_t)i, &line, error);
        if (!status) status = app_score_add(s->score, &output, &line->target, error);
    }
    return status;
}

static lb_status translate(session *s, int64_t first, int64_t count, lb_error *error)
{
    lb_translate_config config = {.beam = s->asked->beam,
                                  .length_penalty = app_length_penalty(s->asked->length_penalty),
                                  .skip_bad_texts = true};
    lb_translations *found =
        lb_translate_all(s->translator, (const char *const *)s->text, (size_t)count, config, error);
    if (!found) return error->status;
    lb_status status = add_rows(s, first, found, error);
    lb_translations_free(found);
    return status;
}

/* The next pairs, side by side. */
static lb_status take(session *s, int64_t first, int64_t count, lb_error *error)
{
    int64_t read = 0;
    lb_status status = LB_OK;
    while (read < count && !status) {
        const lb_pair_line *line;
        status = lb_pairs_read(s->pairs, first + read, &line, error);
        if (status) break;
        s->text[read] =
            lb_symbols_join(&s->model.source_rule, line->source.symbol, line->source.count, error);
        if (!s->text[read++]) status = LB_ERROR_MEMORY;
    }
    if (!status) status = translate(s, first, count, error);
    for (int64_t i = 0; i < read; i++) lb_release(s->text[i]);
    return status;
}

static lb_status evaluate(session *s, lb_error *error)
{
    int64_t all = lb_pairs_count(s->pairs);
    lb_status status = LB_OK;
    s->score->skipped = lb_pairs_facts_of(s->pairs)->lines - all;
    for (int64_t first = 0, count; first < all && !status; first += count) {
        count = all - first < s->asked->batch ? all - first : s->asked->batch;
        status = take(s, first, count, error);
    }
    if (!status && s->unknown > 0)
        app_note("%s: the model does not know %lld of the %lld symbols of the sources", s->asked->pairs,
                 (long long)s->unknown, (long long)s->symbols);
    return status;
}

lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score, lb_error *error)
{
    session s = {.asked = asked, .score = score};
    *score = (app_score){0};
    lb_status status = open_all(&s, model, error);
    if (!status) status = evaluate(&s, error);
    lb_release((void *)s.text);
    lb_pairs_close(s.pairs);
    lb_translator_free(s.translator);
    return status;
}
