/* Translates texts: splits them into symbols, decodes as many side by side as memory allows, and stores the results. */
#include "base/alloc.h"
#include "base/transcendental.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An output with its ids, for sorting. */
typedef struct entry {
    lb_output *output;
    const lb_hypothesis *found;
} entry;

static int compare_texts(const entry *x, const entry *y)
{
    if (x->output->finished != y->output->finished) return x->output->finished ? -1 : 1;
    return strcmp(x->output->text, y->output->text);
}

static int compare_ids(const entry *x, const entry *y)
{
    const lb_hypothesis *a = x->found, *b = y->found;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->id, b->id, (size_t)a->length * sizeof *a->id);
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = compare_texts(x, y);
    if (order == 0) order = compare_ids(x, y);
    return order ? order : (x->output > y->output) - (x->output < y->output);
}

/* log(exp(a) + exp(b)) */
static double add_logs(double a, double b)
{
    double most = fmax(a, b);
    return isfinite(most) ? most + lb_log1p64(lb_exp64(fmin(a, b) - most)) : most;
}

static double log_probability(const lb_translate_job *j, const lb_output *output)
{
    return output->score * lb_score_divisor(&j->config, output->steps);
}

/* Rounding must not make a probability of more than 1. */
static void set_log_probability(const lb_translate_job *j, lb_output *output, double sum)
{
    output->probability = lb_exp64(fmin(sum, 0));
    output->score = fmin(sum, 0) / lb_score_divisor(&j->config, output->steps);
}

/* Merges outputs with the same text; those that are dropped lose it. */
static void merge_equal(const lb_translate_job *j, const entry *equal, size_t count)
{
    double sum = log_probability(j, equal->output);
    lb_output *best = equal->output;
    bool differ = false;
    for (size_t i = 1; i < count; i++) {
        if (equal[i].output < best) best = equal[i].output;
        if (compare_ids(&equal[i - 1], &equal[i]) == 0) continue;
        sum = add_logs(sum, log_probability(j, equal[i].output));
        differ = true;
    }
    for (size_t i = 0; i < count && differ; i++) {
        lb_output *output = equal[i].output;
        if (output == best || j->config.sample)
            set_log_probability(j, output, sum);
        else
            output->text = NULL;
    }
}

static bool is_better(const lb_output *a, const lb_output *b)
{
    return a->finished != b->finished ? a->finished : a->score > b->score;
}

/* Drops outputs without a text, and puts the best of the others first. */
static void put_in_order(lb_translation *t)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < t->count; i++) {
        lb_output output = t->output[i];
        if (!output.text) continue;
        int64_t at = kept++;
        for (; at > 0 && is_better(&output, &t->output[at - 1]); at--) t->output[at] = t->output[at - 1];
        t->output[at] = output;
    }
    t->count = kept;
}

/* Merges outputs that are equal as text: two orders of combining marks compose to the same letter, and a copied symbol
 * can be one that the model knows, too. `found` has their hypotheses, in their order. Finished outputs and those that
 * were cut off stay apart. The log-probability of the result is the log of the sum over different ids. Of a search, the
 * best of equal ones is kept, and the list is in order again. A sample is a draw and stays in its place; equal ones get
 * the same probability. */
static lb_status merge_outputs(const lb_translate_job *j, lb_translation *text, const lb_hypothesis *found)
{
    size_t count = (size_t)text->count;
    if (count < 2) return LB_OK;
    entry *all = lb_alloc(count * sizeof *all);
    if (!all) return lb_keep_failed(j);
    for (size_t i = 0; i < count; i++) all[i] = (entry){&text->output[i], &found[i]};
    qsort(all, count, sizeof *all, compare);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_texts(&all[first], &all[end]) == 0;) end++;
        merge_equal(j, &all[first], end - first);
    }
    lb_release(all);
    if (!j->config.sample) put_in_order(text);
    return LB_OK;
}

/* Outputs of the model follow the answers of the lexicon that a text has, but for those that equal one. */
static void add_outputs(const lb_translate_job *j, const lb_translation *written, lb_translation *text)
{
    const int64_t answers = text->count;
    if (!text->output) text->output = written->output;
    for (int64_t i = 0; i < written->count && text->count < j->config.n_best; i++) {
        bool again = false;
        for (int64_t a = 0; a < answers && !again; a++)
            again = strcmp(text->output[a].text, written->output[i].text) == 0;
        if (!again) text->output[text->count++] = written->output[i];
    }
}

static lb_status keep_outputs(const lb_translate_job *j, const lb_source *source, const lb_hypothesis *found,
                              int64_t width)
{
    size_t count = (size_t)j->config.n_best;
    lb_status status = LB_OK;
    lb_translation written = {.output = lb_keep_room(j, count, sizeof *written.output)};
    if (!written.output) return lb_keep_failed(j);
    while (count > 0 && found[count - 1].steps == 0) count--; /* the others are impossible */
    for (; (size_t)written.count < count && !status; written.count++)
        status =
            lb_keep_output(j, source, &found[written.count], width, NULL, &written.output[written.count]);
    if (!status) status = merge_outputs(j, &written, found);
    add_outputs(j, &written, source->text);
    return status;
}

/* Decodes as many as possible side by side, starting at `first`; `*count` receives their number. */
static lb_status decode_some(const lb_translate_job *j, size_t first, size_t *count)
{
    lb_beam found;
    int64_t width = 0;
    const lb_source *source = j->source + first;
    *count = lb_translate_affordable(j, first, false);
    lb_status status = lb_translate_decode(j, first, *count, &found);
    for (size_t i = 0; i < *count; i++) width = source[i].length > width ? source[i].length : width;
    for (size_t i = 0; i < *count && !status; i++)
        status = keep_outputs(j, &source[i], &found.hypothesis[(int64_t)i * found.n_best], width);
    return status;
}

/* Splits the beginning of an output into symbols of the targets. */
static lb_status read_prefix(lb_translate_job *j, size_t number, const char *text)
{
    const lb_text_model *m = &j->translator->model;
    lb_source *source = &j->source[j->count - 1];
    lb_error found = {0};
    if (!text || !*text) return LB_OK;
    lb_status status = lb_translate_split(j, &m->target_rule, text, &found);
    int32_t count = (int32_t)j->symbols.count, *id = lb_keep_room(j, j->symbols.count, sizeof *id);
    if (!id) return lb_keep_failed(j);
    if (!status) lb_vocabulary_encode(m->target, j->symbols.symbol, (int64_t)j->symbols.count, id, count);
    const char *unwritable = NULL; /* the first symbol that is */
    for (int32_t i = count; i > 0 && !status; i--)
        if (id[i - 1] == LB_UNK) unwritable = j->symbols.symbol[i - 1];
    int64_t limit = j->config.limit ? j->config.limit : lb_text_model_limit(m, source->length);
    limit = lb_text_model_most(m, limit);
    if (unwritable)
        lb_error_set(&found, LB_ERROR_FORMAT,
                     "the beginning of the output has \"%.40s\", which the model does not write", unwritable);
    else if (!status && count >= limit)
        lb_error_set(&found, LB_ERROR_FORMAT,
                     "the beginning of the output has %d symbols, expected fewer than %lld", (int)count,
                     (long long)limit);
    source->prefix = id;
    source->prefix_length = count;
    return found.status ? lb_keep_error(j, number, &found) : LB_OK;
}

static lb_status translate(lb_translate_job *j, const char *const *texts)
{
    lb_status status = lb_translate_fill_in(j->translator, &j->config, j->error);
    lb_watch(j->tape, j->config.watch);
    if (!status) {
        const lb_model *model = lb_translate_model(j->translator, &j->config);
        j->all->layers = model->layers;
        j->all->heads = model->heads;
    }
    for (int64_t i = 0; i < j->all->count && !status; i++) {
        size_t before = j->count;
        status = lb_keep_text(j, (size_t)i, texts[i]);
        if (!status && j->config.prefixes && j->count > before)
            status = read_prefix(j, (size_t)i, j->config.prefixes[i]);
        if (j->all->text[i].error) j->count = before;
        if (!status && j->count > before) status = lb_known_keep(j);
    }
    for (size_t first = 0, some; first < j->count && !status; first += some)
        status = decode_some(j, first, &some);
    if (!status) status = lb_known_score(j);
    return status ? status : lb_why_add(j);
}

lb_translations *lb_translate_all(const lb_translator *translator, const char *const *texts, int64_t count,
                                  lb_translate_config config, lb_error *error)
{
    lb_error found = {0};
    lb_translate_job j;
    lb_status status = lb_translate_job_begin(&j, translator, count, &found);
    j.config = config;
    if (!status) status = translate(&j, texts);
    if (status) lb_error_set(error, status, "%s", found.message);
    return lb_translate_job_end(&j);
}

char *lb_translate(const lb_translator *translator, const char *text, lb_error *error)
{
    lb_translate_config config = {.skip_bad_texts = true};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, error);
    const char *wrong = all ? all->text->error : NULL;
    char *best = all && !wrong ? lb_alloc_string(all->text->output->text) : NULL;
    if (wrong) lb_error_set(error, LB_ERROR_FORMAT, "%s", wrong);
    if (all && !wrong && !best) lb_no_memory(error, "an output");
    lb_translations_free(all);
    return best;
}
