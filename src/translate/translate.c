/* Texts in, texts out: reads them as a model does, decodes as many side by side as memory allows, and keeps what is
 * found. */
#include "base/alloc.h"
#include "base/arena.h"
#include "translate/list.h"
#include "translate/translator.h"

#include <math.h>
#include <string.h>

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* A call at work. */
typedef struct job {
    lb_translator *translator;
    lb_translate_config config;
    lb_translations *all;
    lb_translation **good; /* [good_count] those that can be read */
    lb_source *source;     /* [good_count] theirs */
    size_t good_count;
    lb_symbols symbols; /* of the text that is being read */
    lb_error *error;
} job;

static lb_status out_of_memory(const job *j)
{
    return lb_error_set(j->error, LB_ERROR_MEMORY, "out of memory for %zu texts", j->all->count);
}

/* At least one byte, so that NULL says that there is no memory. */
static void *grab(const job *j, size_t count, size_t size)
{
    return lb_arena_alloc(j->all->memory, count * size + 1);
}

static char *keep_text(const job *j, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = grab(j, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* A copy of symbols, pointers and letters in one piece; NULL if there is no memory. */
static const char **keep_symbols(const job *j, const char *const *symbols, size_t count)
{
    size_t bytes = count * sizeof *symbols;
    for (size_t i = 0; i < count; i++) bytes += strlen(symbols[i]) + 1;
    const char **copy = grab(j, bytes, 1);
    if (!copy) return NULL;
    char *letters = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = letters;
        letters = stpcpy(letters, symbols[i]) + 1;
    }
    return copy;
}

/* Takes a text apart as the model does. */
static lb_status split(job *j, const char *text, lb_error *error)
{
    const lb_text_model *m = &j->translator->model;
    size_t length = strlen(text);
    lb_status status = m->sorts ? lb_list_split(&m->task, text, length, &j->symbols, error)
                                : lb_symbols_split(&m->source_rule, text, length, &j->symbols, error);
    if (status) return status;
    size_t count = j->symbols.count, most = (size_t)j->translator->most;
    if (count == 0) return lb_error_set(error, LB_ERROR_FORMAT, "found no text, expected some");
    if (count <= most) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "found a %s of %zu %s, expected at most %zu",
                        m->sorts ? "list" : "text", count, m->sorts ? "numbers" : "symbols", most);
}

/* Those of the symbols that the model does not know. */
static lb_status keep_unknown(const job *j, lb_translation *t, const int32_t *id)
{
    for (int64_t i = 0; i < t->length; i++) t->unknown_count += id[i] == LB_UNK;
    if (t->unknown_count == 0) return LB_OK;
    t->unknown = grab(j, (size_t)t->unknown_count, sizeof *t->unknown);
    if (!t->unknown) return out_of_memory(j);
    for (int64_t i = 0, n = 0; i < t->length; i++)
        if (id[i] == LB_UNK) t->unknown[n++] = t->symbol[i];
    return LB_OK;
}

static lb_status keep_source(job *j, lb_translation *t)
{
    size_t count = j->symbols.count;
    int32_t *id = grab(j, count, sizeof *id);
    t->symbol = keep_symbols(j, j->symbols.symbol, count);
    if (!id || !t->symbol) return out_of_memory(j);
    t->length = lb_vocabulary_encode(j->translator->model.source, t->symbol, count, id, (int32_t)count);
    j->source[j->good_count] = (lb_source){id, (int32_t)count};
    j->good[j->good_count++] = t;
    return keep_unknown(j, t, id);
}

static lb_status read_text(job *j, size_t number, const char *text)
{
    lb_error found = {0};
    lb_translation *t = &j->all->text[number];
    lb_status status = split(j, text, &found);
    if (!status) return keep_source(j, t);
    if (status != LB_ERROR_FORMAT) return lb_error_set(j->error, status, "%s", found.message);
    if (!j->config.skip_bad_texts)
        return lb_error_set(j->error, status, "text %zu: %s", number + 1, found.message);
    t->error = keep_text(j, found.message);
    return t->error ? LB_OK : out_of_memory(j);
}

static const char *spelling(const job *j, int32_t id)
{
    return id < LB_FIRST_TOKEN ? NO_SYMBOL : lb_vocabulary_symbol(j->translator->model.target, id);
}

/* The weights without those of padding, which stands behind the source in rows of `width`. */
static lb_real *keep_weights(const job *j, const lb_hypothesis *found, int64_t length, int64_t width)
{
    int64_t rows = j->all->layers * j->all->heads * found->steps;
    lb_real *weights = grab(j, (size_t)(rows * length), sizeof *weights);
    for (int64_t row = 0; weights && row < rows; row++)
        memcpy(weights + row * length, found->weights + row * width, (size_t)length * sizeof *weights);
    return weights;
}

static double probability(const job *j, const lb_hypothesis *found)
{
    double penalty = j->config.length_penalty == 0 ? 1 : fmax(j->config.length_penalty, 0);
    return exp(found->score * pow((double)found->steps, penalty));
}

static lb_status keep_output(const job *j, const lb_translation *t, const lb_hypothesis *found, int64_t width,
                             lb_output *output)
{
    size_t count = (size_t)found->length;
    const char **symbol = grab(j, count, sizeof *symbol);
    if (!symbol) return out_of_memory(j);
    for (size_t i = 0; i < count; i++) symbol[i] = spelling(j, found->id[i]);
    char *text = lb_symbols_join(&j->translator->model.target_rule, symbol, count, j->error);
    if (!text) return LB_ERROR_MEMORY;
    *output = (lb_output){.text = keep_text(j, text),
                          .symbol = keep_symbols(j, symbol, count),
                          .length = found->length,
                          .finished = found->finished,
                          .steps = found->steps,
                          .score = found->score,
                          .probability = probability(j, found)};
    lb_release(text);
    bool attends = j->config.attention && found->weights;
    if (attends) output->weights = keep_weights(j, found, t->length, width);
    return output->text && output->symbol && (output->weights || !attends) ? LB_OK : out_of_memory(j);
}

static lb_status keep_outputs(const job *j, lb_translation *t, const lb_hypothesis *found, int64_t width)
{
    size_t count = (size_t)j->config.n_best;
    lb_status status = LB_OK;
    t->output = grab(j, count, sizeof *t->output);
    if (!t->output) return out_of_memory(j);
    for (; (size_t)t->count < count && !status; t->count++)
        status = keep_output(j, t, &found[t->count], width, &t->output[t->count]);
    return status;
}

/* Decodes those from `first` on that can be decoded side by side; `*count` says how many these were. */
static lb_status decode_some(const job *j, size_t first, size_t *count)
{
    lb_beam found;
    int64_t width = 0;
    const lb_source *source = j->source + first;
    *count = lb_translate_affordable(j->translator, source, j->good_count - first, &j->config);
    lb_status status = lb_translate_decode(j->translator, source, *count, &j->config, &found, j->error);
    for (size_t i = 0; i < *count; i++) width = source[i].length > width ? source[i].length : width;
    for (size_t i = 0; i < *count && !status; i++)
        status = keep_outputs(j, j->good[first + i], &found.hypothesis[(int64_t)i * found.n_best], width);
    return status;
}

static lb_status translate(job *j, const char *const *texts)
{
    size_t count = j->all->count;
    lb_status status = lb_translate_settle(j->translator, &j->config, j->error);
    if (status) return status;
    j->good = lb_alloc((count + 1) * sizeof(lb_translation *));
    j->source = lb_alloc((count + 1) * sizeof *j->source);
    j->all->text = grab(j, count, sizeof *j->all->text);
    if (!j->good || !j->source || !j->all->text) return out_of_memory(j);
    memset(j->all->text, 0, count * sizeof *j->all->text);
    for (size_t i = 0; i < count && !status; i++) status = read_text(j, i, texts[i]);
    for (size_t first = 0, some; first < j->good_count && !status; first += some)
        status = decode_some(j, first, &some);
    return status;
}

lb_translations *lb_translate_all(lb_translator *translator, const char *const *texts, size_t count,
                                  lb_translate_config config, lb_error *error)
{
    lb_error found = {0};
    const lb_model *model = translator->model.model;
    job j = {.translator = translator, .config = config, .all = lb_alloc(sizeof *j.all), .error = &found};
    if (j.all)
        *j.all = (lb_translations){
            .count = count, .layers = model->layers, .heads = model->heads, .memory = lb_arena_new()};
    lb_status status = j.all && j.all->memory
                           ? translate(&j, texts)
                           : lb_error_set(&found, LB_ERROR_MEMORY, "out of memory for %zu texts", count);
    lb_symbols_free(&j.symbols);
    lb_release((void *)j.good);
    lb_release(j.source);
    if (!status) return j.all;
    lb_error_set(error, status, "%s", found.message);
    lb_translations_free(j.all);
    return NULL;
}

void lb_translations_free(lb_translations *translations)
{
    if (!translations) return;
    lb_arena_free(translations->memory);
    lb_release(translations);
}
