/* Translates texts: splits them into symbols, decodes as many side by side as memory allows, and stores the results. */
#include "translate/apply/merge.h"

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

static lb_status translate(lb_translate_job *j, const char *const *texts)
{
    lb_status status = lb_translate_settle(j->translator, &j->config, j->error);
    if (!status) {
        const lb_model *model = lb_translate_model(j->translator, &j->config);
        j->all->layers = model->layers;
        j->all->heads = model->heads;
    }
    for (size_t i = 0; i < j->all->count && !status; i++) status = lb_keep_text(j, i, texts[i]);
    for (size_t first = 0, some; first < j->good_count && !status; first += some)
        status = decode_some(j, first, &some);
    return status;
}

lb_translations *lb_translate_all(const lb_translator *translator, const char *const *texts, size_t count,
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
