/* Measures what a model makes of the sources of pairs. */
#include "common/decoding.h"
#include "common/evaluate.h"
#include "common/model_path.h"
#include "common/report.h"
#include "common/text_model.h"
#include "data/pair_line.h"
#include "data/pairs.h"
#include "train/translator.h"

/* A model at work on a file. */
typedef struct session {
    const app_evaluate *asked;
    app_text_model model;
    lb_pairs *pairs;
    app_text *text; /* [batch] */
    int32_t *ids;   /* [batch * longest] theirs */
    app_score *score;
    int64_t symbols, unknown; /* of the sources; not in the model's vocabulary */
} session;

static lb_status open_model(session *s, const char *model, lb_error *error)
{
    char path[APP_PATH];
    lb_safetensors *file;
    lb_status status = app_model_open(model, path, &file, error);
    if (!status) status = app_text_model_load(&s->model, path, file, error);
    lb_safetensors_free(file);
    if (status) return status;
    s->model.search.beam = s->asked->beam;
    s->model.search.length_penalty = s->asked->length_penalty > 0 ? s->asked->length_penalty : -1;
    return app_check_decoding(s->model.translator.model, path, s->asked->beam, NULL, error);
}

static int32_t longest_source(const lb_pairs *pairs)
{
    int32_t longest = 0;
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++) {
        int32_t length = lb_pairs_source_length(pairs, i);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static lb_status open_all(session *s, const char *model, lb_error *error)
{
    size_t batch = (size_t)s->asked->batch;
    lb_status status = open_model(s, model, error);
    if (status) return status;
    const lb_translator *t = &s->model.translator;
    lb_pair_format format = s->asked->format;
    format.source = t->source_rule;
    format.target = t->target_rule;
    format.longest = s->model.longest > t->longest_target ? s->model.longest : t->longest_target;
    s->pairs = lb_pairs_open(s->asked->pairs, &format, error);
    if (!s->pairs) return error->status;
    s->text = lb_alloc(batch * sizeof *s->text);
    s->ids = lb_alloc(batch * (size_t)longest_source(s->pairs) * sizeof *s->ids);
    if (!s->text || !s->ids) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return app_score_open(s->score, t->target, error);
}

/* Reads the sources of `count` pairs. */
static lb_status read_sources(session *s, int64_t first, int64_t count, lb_error *error)
{
    int32_t *id = s->ids;
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(s->pairs, first + i, &line, error);
        if (status) return status;
        int32_t length = (int32_t)line->source.count;
        lb_vocabulary_encode(s->model.translator.source, line->source.symbol, line->source.count, id, length);
        s->text[i] = (app_text){id, length};
        id += length;
    }
    return LB_OK;
}

static void count_unknown(session *s, const app_text *text)
{
    s->symbols += text->length;
    for (int32_t i = 0; i < text->length; i++) s->unknown += text->id[i] == LB_UNK;
}

/* Decodes `count` pairs, which have been read, side by side. */
static lb_status decode(session *s, int64_t first, const app_text *text, int64_t count, lb_error *error)
{
    lb_beam found;
    lb_status status = app_text_decode(&s->model, text, count, &found, error);
    for (int64_t i = 0; i < count && !status; i++) {
        const lb_hypothesis *best = &found.hypothesis[i * found.beam];
        const lb_pair_line *line;
        count_unknown(s, &text[i]);
        status = lb_pairs_read(s->pairs, first + i, &line, error);
        if (!status)
            status = app_score_add(s->score, (lb_sequence){best->id, best->length}, &line->target, error);
    }
    return status;
}

static lb_status evaluate(session *s, lb_error *error)
{
    int64_t all = lb_pairs_count(s->pairs);
    const lb_pairs_facts *facts = lb_pairs_facts_of(s->pairs);
    lb_status status = LB_OK;
    s->score->skipped = facts->lines - all;
    for (int64_t first = 0, count; first < all && !status; first += count) {
        count = all - first < s->asked->batch ? all - first : s->asked->batch;
        status = read_sources(s, first, count, error);
        for (int64_t at = 0, some; at < count && !status; at += some) {
            some = app_text_affordable(&s->model, s->text + at, count - at);
            status = decode(s, first + at, s->text + at, some, error);
        }
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
    lb_release(s.text);
    lb_release(s.ids);
    lb_pairs_close(s.pairs);
    app_text_model_close(&s.model);
    return status;
}
