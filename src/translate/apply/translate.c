/* Translates texts: splits them into symbols, decodes as many side by side as memory allows, and stores the results. */
#include "models/decode/model.h"
#include "translate/apply/merge.h"
#include "translate/file/list.h"

#include <string.h>

static lb_status keep_outputs(const lb_translate_job *j, size_t number, const lb_hypothesis *found,
                              int64_t width)
{
    lb_translation *t = j->good[number];
    size_t count = (size_t)j->config.n_best;
    lb_status status = LB_OK;
    t->output = lb_keep_room(j, count, sizeof *t->output);
    if (!t->output) return lb_keep_failed(j);
    while (count > 0 && found[count - 1].steps == 0) count--; /* the others are impossible */
    for (; (size_t)t->count < count && !status; t->count++)
        status = lb_keep_output(j, number, &found[t->count], width, NULL, &t->output[t->count]);
    return status ? status : lb_merge_outputs(j, t, found);
}

/* Decodes as many as possible side by side, starting at `first`; `*count` receives their number. */
static lb_status decode_some(const lb_translate_job *j, size_t first, size_t *count)
{
    lb_beam found;
    int64_t width = 0;
    const lb_source *source = j->source + first;
    *count = lb_translate_affordable(j->translator, source, j->good_count - first, &j->config, false);
    lb_status status =
        lb_translate_decode(j->translator, j->tape, source, *count, &j->config, &found, j->error);
    for (size_t i = 0; i < *count; i++) width = source[i].length > width ? source[i].length : width;
    for (size_t i = 0; i < *count && !status; i++)
        status = keep_outputs(j, first + i, &found.hypothesis[(int64_t)i * found.n_best], width);
    return status;
}

/* The first symbol that the model cannot write; NULL: there is none. */
static const char *find_unwritable(const lb_translate_job *j, const int32_t *id)
{
    for (size_t i = 0; i < j->symbols.count; i++)
        if (id[i] == LB_UNK) return j->symbols.symbol[i];
    return NULL;
}

/* Splits the beginning of an output into symbols of the targets. */
static lb_status read_prefix(lb_translate_job *j, size_t number, const char *text)
{
    const lb_text_model *m = &j->translator->model;
    lb_source *source = &j->source[j->good_count - 1];
    lb_error found = {0};
    if (!text || !*text) return LB_OK;
    lb_status status = m->sorts ? lb_list_split(&m->task, text, strlen(text), &j->symbols, &found)
                                : lb_symbols_split(&m->target_rule, text, strlen(text), &j->symbols, &found);
    int32_t count = (int32_t)j->symbols.count, *id = lb_keep_room(j, j->symbols.count, sizeof *id);
    if (!id) return lb_keep_failed(j);
    if (!status) lb_vocabulary_encode(m->target, j->symbols.symbol, (int64_t)j->symbols.count, id, count);
    const char *unwritable = status ? NULL : find_unwritable(j, id);
    int64_t limit = j->config.limit ? j->config.limit : lb_text_model_limit(m, source->length);
    limit = lb_model_limit(m->model, limit);
    if (unwritable)
        lb_error_set(&found, LB_ERROR_FORMAT,
                     "the beginning of the output has \"%.40s\", which the model does not write", unwritable);
    else if (!status && count >= limit)
        lb_error_set(&found, LB_ERROR_FORMAT,
                     "the beginning of the output has %d symbols, expected fewer than %lld", (int)count,
                     (long long)limit);
    source->prefix = id;
    source->prefix_length = count;
    if (!found.status) return LB_OK;
    if (found.status == LB_ERROR_FORMAT && j->config.skip_bad_texts)
        return lb_keep_error(j, &j->all->text[number], found.message);
    return lb_error_set(j->error, found.status, "text %zu: %s", number + 1, found.message);
}

static lb_status translate(lb_translate_job *j, const char *const *texts)
{
    lb_status status = lb_translate_settle(j->translator, &j->config, j->error);
    if (!status) {
        const lb_model *model = lb_translate_model(j->translator, &j->config);
        j->all->layers = model->layers;
        j->all->heads = model->heads;
    }
    for (int64_t i = 0; i < j->all->count && !status; i++) {
        size_t before = j->good_count;
        status = lb_keep_text(j, (size_t)i, texts[i]);
        if (!status && j->config.prefixes && j->good_count > before)
            status = read_prefix(j, (size_t)i, j->config.prefixes[i]);
        if (j->all->text[i].error) j->good_count = before;
    }
    for (size_t first = 0, some; first < j->good_count && !status; first += some)
        status = decode_some(j, first, &some);
    return status;
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
