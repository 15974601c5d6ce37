#include "translate/apply/translator.h"

#include "base/alloc.h"
#include "io/path.h"

lb_tapes *lb_tapes_new(void)
{
    return lb_alloc_zero(sizeof(lb_tapes));
}

void lb_tapes_free(lb_tapes *tapes)
{
    for (int i = 0; tapes && i < LB_TAPES_KEPT; i++) lb_tape_free(atomic_load(&tapes->idle[i]));
    lb_release(tapes);
}

lb_tape *lb_tapes_take(lb_tapes *tapes, lb_error *error)
{
    lb_tape *tape = NULL;
    for (int i = 0; i < LB_TAPES_KEPT && !tape; i++) tape = atomic_exchange(&tapes->idle[i], NULL);
    if (!tape) tape = lb_tape_new();
    if (tape)
        lb_tape_reset(tape);
    else
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a text");
    return tape;
}

/* What takes the place of another tape gives it to the next place. */
void lb_tapes_put(lb_tapes *tapes, lb_tape *tape)
{
    for (int i = 0; i < LB_TAPES_KEPT && tape && !lb_tape_status(tape); i++)
        tape = atomic_exchange(&tapes->idle[i], tape);
    lb_tape_free(tape);
}

/* Texts longer than those of the training are allowed, although outputs get worse, but one text must not exhaust the
 * memory. */
enum { LONG = 1000, LONGER_LISTS = 10 };

int32_t lb_translator_most(const lb_text_model *model)
{
    int64_t longest = model->longest_source, most = LONG;
    if (model->sorts && LONGER_LISTS * longest < most) most = LONGER_LISTS * longest;
    return (int32_t)lb_text_model_most(model, longest > most ? longest : most);
}

static lb_status load(lb_translator *t, const lb_safetensors *file, const lb_extensions *own, lb_error *error)
{
    lb_error found = {0};
    t->tapes = lb_tapes_new();
    if (!t->tapes) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", t->path);
    if (lb_text_model_load(file, own, &t->model, &found)) return lb_name_file(t->path, &found, error);
    t->most = lb_translator_most(&t->model);
    return LB_OK;
}

lb_translator *lb_translator_open_with(const char *path, const lb_extensions *own, lb_error *error)
{
    lb_translator *t = lb_alloc_zero(sizeof *t);
    if (!t) return lb_null(lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path));
    lb_safetensors *file = lb_model_file_open(path, &t->path, error);
    bool loaded = file && load(t, file, own, error) == LB_OK;
    lb_safetensors_close(file);
    if (loaded) return t;
    lb_translator_close(t);
    return NULL;
}

lb_translator *lb_translator_open(const char *path, lb_error *error)
{
    return lb_translator_open_with(path, NULL, error);
}

void lb_translator_close(lb_translator *t)
{
    if (!t) return;
    lb_tapes_free(t->tapes);
    lb_text_model_free(&t->model);
    lb_release(t->path);
    lb_release(t);
}

lb_translator_facts lb_translator_about(const lb_translator *t)
{
    const lb_text_model *m = &t->model;
    return (lb_translator_facts){.path = t->path,
                                 .model = m->model,
                                 .source = m->source,
                                 .target = m->target,
                                 .source_rule = m->source_rule,
                                 .target_rule = m->target_rule,
                                 .shortest_source = m->shortest_source,
                                 .longest_source = m->longest_source,
                                 .longest_target = m->longest_target,
                                 .most = t->most,
                                 .sorts = m->sorts,
                                 .lexicon = m->lexicon.entries,
                                 .training = m->training,
                                 .columns = m->columns,
                                 .likeness = m->familiar.grams};
}
