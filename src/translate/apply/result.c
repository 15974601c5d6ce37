/* The results of lb_translate_all: outputs as symbols and texts, kept in memory that outlives the tape. */
#include "translate/apply/translator.h"

#include "base/alloc.h"
#include "base/transcendental.h"

#include <math.h>
#include <string.h>

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

lb_status lb_keep_failed(const lb_translate_job *j)
{
    return lb_error_set(j->error, LB_ERROR_MEMORY, "out of memory for %lld texts",
                        (long long)(j->all ? j->all->count : 0));
}

void *lb_keep_room(const lb_translate_job *j, size_t count, size_t size)
{
    return lb_arena_alloc(j->all->memory, count * size + 1);
}

lb_status lb_translate_job_begin(lb_translate_job *j, const lb_translator *translator, int64_t texts,
                                 lb_error *error)
{
    size_t count = (size_t)texts;
    const lb_model *model = translator->model.model;
    *j = (lb_translate_job){.translator = translator, .all = lb_alloc(sizeof *j->all), .error = error};
    if (!j->all) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu texts", count);
    *j->all = (lb_translations){
        .count = texts, .layers = model->layers, .heads = model->heads, .memory = lb_arena_new()};
    if (texts < 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found %lld texts, expected 0 or more",
                            (long long)texts);
    if (!j->all->memory) return lb_keep_failed(j);
    j->source = lb_alloc((count + 1) * sizeof *j->source);
    j->all->text = lb_keep_room(j, count, sizeof *j->all->text);
    if (!j->source || !j->all->text) return lb_keep_failed(j);
    memset(j->all->text, 0, count * sizeof *j->all->text);
    j->tape = lb_tapes_take(translator->tapes, error);
    return j->tape ? LB_OK : LB_ERROR_MEMORY;
}

lb_translations *lb_translate_job_end(lb_translate_job *j)
{
    lb_watch(j->tape, (lb_watcher){0});
    lb_tapes_put(j->translator->tapes, j->tape);
    lb_symbols_free(&j->symbols);
    lb_release(j->known);
    lb_release(j->source);
    if (!j->error->status) return j->all;
    lb_translations_free(j->all);
    return NULL;
}

void lb_translations_free(lb_translations *translations)
{
    if (!translations) return;
    lb_arena_free(translations->memory);
    lb_release(translations);
}

/* A copy of a string in memory of the result; NULL if memory runs out. */
static char *keep_string(const lb_translate_job *j, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = lb_keep_room(j, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Pointers and characters of the names are in one block. */
const char **lb_keep_symbols(const lb_translate_job *j, const char *const *symbols, size_t count)
{
    size_t bytes = count * sizeof *symbols;
    for (size_t i = 0; i < count; i++) bytes += strlen(lb_symbol_name(symbols[i])) + 1;
    const char **copy = lb_keep_room(j, bytes, 1);
    if (!copy) return NULL;
    char *letters = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = letters;
        const size_t room = strlen(lb_symbol_name(symbols[i])) + 1;
        letters = (char *)memcpy(letters, lb_symbol_name(symbols[i]), room) + room;
    }
    return copy;
}

lb_status lb_translate_split(lb_translate_job *j, const lb_symbol_rule *rule, const char *text,
                             lb_error *error)
{
    const lb_text_model *m = &j->translator->model;
    if (m->sorts) return lb_list_split(&m->task, text, strlen(text), &j->symbols, error);
    return lb_symbols_split(rule, text, strlen(text), &j->symbols, error);
}

/* Finds the answers of the lexicon to the symbols of a source, if the call asks it. */
static lb_status look_up(lb_translate_job *j, lb_error *error)
{
    const lb_text_model *m = &j->translator->model;
    const lb_translate_config *c = &j->config;
    j->answers = (lb_lexicon_answers){0};
    if (!m->lexicon.bytes || c->no_lexicon || c->sample || c->member > 0) return LB_OK;
    return lb_lexicon_ask(&m->lexicon, &m->source_rule, &j->symbols, &j->answers, error);
}

static lb_status split_source(lb_translate_job *j, const char *text, lb_error *error)
{
    const lb_text_model *m = &j->translator->model;
    lb_status status = lb_translate_split(j, &m->source_rule, text, error);
    if (status) return status;
    lb_text_model_trim(m->source, &j->symbols);
    size_t count = j->symbols.count, most = (size_t)j->translator->most;
    if (count == 0) return lb_error_set(error, LB_ERROR_FORMAT, "found an empty text");
    status = look_up(j, error);
    if (status || count <= most || j->answers.first) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "found a %s of %zu %s, expected at most %zu",
                        m->sorts ? "list" : "text", count, m->sorts ? "numbers" : "symbols", most);
}

/* Stores the symbols that the model does not know. */
static lb_status keep_unknown(const lb_translate_job *j, lb_translation *t, const int32_t *id)
{
    for (int64_t i = 0; i < t->length; i++) t->unknown_count += id[i] == LB_UNK;
    if (t->unknown_count == 0) return LB_OK;
    t->unknown = lb_keep_room(j, (size_t)t->unknown_count, sizeof *t->unknown);
    if (!t->unknown) return lb_keep_failed(j);
    for (int64_t i = 0, n = 0; i < t->length; i++)
        if (id[i] == LB_UNK) t->unknown[n++] = t->symbol[i];
    return LB_OK;
}

static lb_status keep_source(lb_translate_job *j, size_t number)
{
    lb_translation *t = &j->all->text[number];
    size_t count = j->symbols.count;
    int32_t *id = lb_keep_room(j, count, sizeof *id);
    t->symbol = lb_keep_symbols(j, j->symbols.symbol, count);
    if (!id || !t->symbol) return lb_keep_failed(j);
    t->length = lb_vocabulary_encode(j->translator->model.source, j->symbols.symbol, (int64_t)count, id,
                                     (int32_t)count);
    j->source[j->count++] =
        (lb_source){.text = t, .id = id, .length = (int32_t)count, .number = j->config.first_text + number};
    const lb_text_model *m = &j->translator->model;
    double likeness = m->familiar.least;
    lb_status status = keep_unknown(j, t, id);
    if (status || !m->familiar.grams || j->answers.first) return status; /* the lexicon has it */
    char *text = lb_symbols_join(&m->source_rule, j->symbols.symbol, count, j->error);
    status = text ? lb_familiar_look(&m->familiar, text, &likeness, j->error) : LB_ERROR_MEMORY;
    t->unlike = likeness < m->familiar.least;
    lb_release(text);
    return status;
}

lb_status lb_keep_error(const lb_translate_job *j, size_t number, const lb_error *found)
{
    lb_translation *t = &j->all->text[number];
    if (found->status != LB_ERROR_FORMAT) return lb_error_set(j->error, found->status, "%s", found->message);
    if (!j->config.skip_bad_texts)
        return lb_error_set(j->error, found->status, "text %zu: %s", number, found->message);
    t->error = keep_string(j, found->message);
    return t->error ? LB_OK : lb_keep_failed(j);
}

lb_status lb_keep_text(lb_translate_job *j, size_t number, const char *text)
{
    lb_error found = {0};
    lb_status status = split_source(j, text, &found);
    return status ? lb_keep_error(j, number, &found) : keep_source(j, number);
}

/* The weight of one position of the source at step `step`, summed over the heads of the last layer. */
static double weight_of(const lb_translate_job *j, const lb_hypothesis *found, int64_t step, int64_t position,
                        int64_t width)
{
    int64_t heads = j->all->heads;
    const lb_real *weights = found->weights + ((j->all->layers - 1) * heads * found->steps + step) * width;
    double sum = 0;
    for (int64_t head = 0; head < heads; head++)
        sum += (double)weights[head * found->steps * width + position];
    return sum;
}

/* Whether a symbol of the source, one that is there, becomes LB_UNK where it is copied: by the model, or by the first
 * member of an ensemble that copies. */
static bool is_copied_as_unknown(const lb_model *model, int32_t source)
{
    const lb_ensemble *all = lb_is_ensemble(model) ? (const lb_ensemble *)model : NULL;
    for (int64_t i = 0; all && i < all->count; i++)
        if (all->member[i]->copies) return is_copied_as_unknown(all->member[i], source);
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    const lb_transformer *transformer = lb_transformer_of(model);
    const lb_copying *copying = seq2seq ? &seq2seq->copying : transformer ? &transformer->copying : NULL;
    return copying && copying->symbols && copying->symbols->data[source] == LB_UNK;
}

/* The position with the largest attention weight; ties go to the first one. Unknown: of the source symbols that a model
 * that copies writes as LB_UNK, the one with the largest weight over all of its positions: the first of these, -1 if
 * there is none. */
static int64_t looked_at(const lb_translate_job *j, const lb_source *source, const lb_hypothesis *found,
                         int64_t step, int64_t width, bool unknown)
{
    const lb_translation *t = source->text;
    const int32_t *id = source->id;
    int64_t best = unknown ? -1 : 0;
    double most = -1;
    for (int64_t k = 0; k < t->length; k++) {
        if (unknown && !is_copied_as_unknown(j->translator->model.model, id[k])) continue;
        double weight = unknown ? 0 : weight_of(j, found, step, k, width);
        for (int64_t i = 0; i < t->length && unknown; i++)
            if (id[i] == id[k] && strcmp(t->symbol[i], t->symbol[k]) == 0)
                weight += weight_of(j, found, step, i, width);
        if (weight > most) best = k;
        most = weight > most ? weight : most;
    }
    return best;
}

/* Copies the weights without those of padding, which follows the source in rows of `width`. */
static lb_real *keep_weights(const lb_translate_job *j, const lb_hypothesis *found, int64_t length,
                             int64_t width)
{
    int64_t rows = j->all->layers * j->all->heads * found->steps;
    lb_real *weights = lb_keep_room(j, (size_t)(rows * length), sizeof *weights);
    for (int64_t row = 0; weights && row < rows; row++)
        memcpy(weights + row * length, found->weights + row * width, (size_t)length * sizeof *weights);
    return weights;
}

static double *keep_probabilities(const lb_translate_job *j, const lb_hypothesis *found)
{
    double *each = lb_keep_room(j, (size_t)found->steps, sizeof *each);
    for (int64_t t = 0; each && t < found->steps; t++) each[t] = lb_exp64(found->log_probability[t]);
    return each;
}

double lb_score_divisor(const lb_translate_config *config, int64_t steps)
{
    double penalty = config->length_penalty == 0 ? 1 : fmax(config->length_penalty, 0);
    return lb_pow64((double)steps, penalty);
}

/* The position of the source that stands for a step; -1: none. */
static int64_t copied_from(const lb_translate_job *j, const lb_source *source, const lb_hypothesis *found,
                           int64_t step, int64_t width)
{
    int64_t position = -1;
    if (found->id[step] != LB_UNK || !found->weights) return -1;
    if (lb_translate_model(j->translator, &j->config)->copies)
        position = looked_at(j, source, found, step, width, true);
    if (position < 0 && j->config.copy_unknown) position = looked_at(j, source, found, step, width, false);
    return position;
}

/* The symbols of the hypothesis's ids, in memory of the result; NULL if memory runs out. `*copied` receives NULL if
 * none is of the source. */
static const char **spell(const lb_translate_job *j, const lb_source *source, const lb_hypothesis *found,
                          int64_t width, int64_t **copied)
{
    const char **symbol = lb_keep_room(j, (size_t)found->length, sizeof *symbol);
    int64_t *from = lb_keep_room(j, (size_t)found->length, sizeof *from);
    if (!symbol || !from) return NULL;
    for (int64_t i = 0; i < found->length; i++) {
        from[i] = copied_from(j, source, found, i, width);
        symbol[i] = from[i] >= 0 ? source->text->symbol[from[i]]
                    : found->id[i] < LB_FIRST_TOKEN
                        ? NO_SYMBOL
                        : lb_vocabulary_symbol(j->translator->model.target, found->id[i]);
        if (from[i] >= 0) *copied = from;
    }
    return symbol;
}

lb_status lb_keep_output(const lb_translate_job *j, const lb_source *source, const lb_hypothesis *found,
                         int64_t width, const char *const *symbol, lb_output *output)
{
    size_t count = (size_t)found->length;
    bool impossible = found->score == (double)-INFINITY && j->translator->model.model->output != LB_SOFTMAX;
    if (!isfinite(found->score) && !impossible)
        return lb_error_set(j->error, LB_ERROR_FORMAT,
                            "the score of an output is not finite: the weights of the model are too large");
    int64_t *copied = NULL;
    if (!symbol) symbol = spell(j, source, found, width, &copied);
    if (!symbol) return lb_keep_failed(j);
    char *text = lb_symbols_join(&j->translator->model.target_rule, symbol, count, j->error);
    if (!text) return LB_ERROR_MEMORY;
    *output = (lb_output){.text = keep_string(j, text),
                          .symbol = lb_keep_symbols(j, symbol, count),
                          .copied = copied,
                          .length = found->length,
                          .finished = found->finished,
                          .steps = found->steps,
                          .score = found->score,
                          .probability = lb_exp64(found->score * lb_score_divisor(&j->config, found->steps)),
                          .symbol_probability = keep_probabilities(j, found)};
    lb_release(text);
    bool attends = j->config.attention && found->weights;
    if (attends) output->weights = keep_weights(j, found, source->text->length, width);
    return output->text && output->symbol && output->symbol_probability && (output->weights || !attends)
               ? LB_OK
               : lb_keep_failed(j);
}
