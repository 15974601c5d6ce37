/* The model that a training starts from: what it decides, and its weights where symbols are the same. */
#include "translate/input/data.h"

#include "base/bytes.h"
#include "base/format.h"
#include "data/pairs/pair_line.h"
#include "data/text/symbols.h"
#include "io/path.h"
#include "io/run_differences.h"
#include "io/safetensors.h"
#include "settings/settings.h"
#include "translate/file/text_model.h"

#include <stdio.h>
#include <string.h>

static uint64_t hash_symbols(uint64_t hash, const lb_vocabulary *symbols)
{
    for (int32_t id = 0; id < lb_vocabulary_size(symbols); id++) {
        const char *symbol = lb_vocabulary_symbol(symbols, id);
        hash = lb_hash(hash, symbol, strlen(symbol) + 1);
    }
    return hash;
}

/* The same on machines of both byte orders, where a checkpoint may be resumed. */
static uint64_t hash_model(const lb_text_model *m)
{
    uint64_t hash = hash_symbols(hash_symbols(LB_HASH, m->source), m->target);
    for (int i = 0; i < lb_params_count(m->params); i++) {
        const lb_tensor *tensor = lb_params_tensor(m->params, i);
        const char *name = lb_params_name(m->params, i);
        hash = lb_hash(hash, name, strlen(name) + 1);
        for (int64_t k = 0; k < lb_count(tensor); k++) {
            lb_real number = tensor->data[k];
            lb_file_order(&number, 1, sizeof number);
            hash = lb_hash(hash, &number, sizeof number);
        }
    }
    return hash;
}

static lb_status contradicts(const lb_training_config *c, const char *name, const char *found,
                             const char *ours, lb_error *error)
{
    char has[2 * LB_RUN_WORD], wants[2 * LB_RUN_WORD];
    const lb_run_words words = {c->setting, c->context};
    return lb_error_set(error, LB_ERROR_ARGUMENT, "cannot start from %s: it has %s, this run has %s", c->from,
                        lb_run_setting(&words, name, found, has), lb_run_setting(&words, name, ours, wants));
}

static lb_status contradicts_number(const lb_training_config *c, const char *name, int found, int ours,
                                    lb_error *error)
{
    char has[LB_RUN_WORD], wants[LB_RUN_WORD];
    snprintf(has, sizeof has, "%d", found);
    snprintf(wants, sizeof wants, "%d", ours);
    return contradicts(c, name, has, wants, error);
}

/* Uses the text of the model for one that is not set. */
static lb_status take_text(const lb_training_config *c, const char *name, const char *found,
                           const char **ours, lb_error *error)
{
    char has[LB_RUN_WORD], wants[LB_RUN_WORD];
    if (!*ours) *ours = found;
    if (strcmp(*ours, found) == 0) return LB_OK;
    return contradicts(c, name, lb_run_word(found, has), lb_run_word(*ours, wants), error);
}

/* The merges are the model's: a run can only want as many. */
static lb_status take_subwords(const lb_text_model *m, lb_training_config *c, lb_error *error)
{
    const lb_subwords *source = m->source_rule.subwords, *target = m->target_rule.subwords;
    int found = source ? (int)source->count : 0;
    if (!c->subwords) c->subwords = found;
    if (c->subwords < 0) c->subwords = 0;
    c->separate_subwords = source && strcmp(source->text, target->text) != 0;
    return c->subwords == found ? LB_OK : contradicts_number(c, "subwords", found, c->subwords, error);
}

static lb_status take_rules(const lb_text_model *m, lb_training_config *c, lb_error *error)
{
    const char *form = lb_normal_form_names[m->source_rule.normalize];
    const char *source = m->source_rule.separator, *target = m->target_rule.separator;
    if (m->sorts) return LB_OK;
    lb_status status = take_text(c, "normalize", form, &c->normalize, error);
    if (!status)
        status = take_text(c, "symbols", lb_symbol_kind_names[m->source_rule.graphemes], &c->symbols, error);
    if (!status) status = take_text(c, "source_separator", source ? source : "", &c->source_separator, error);
    if (!status) status = take_text(c, "target_separator", target ? target : "", &c->target_separator, error);
    return status ? status : take_subwords(m, c, error);
}

static lb_status take_architecture(const lb_text_model *m, lb_training_config *c, lb_error *error)
{
    const lb_model *model = m->model;
    if (lb_is_ensemble(model))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "cannot start from %s: it is an ensemble, expected a single model, such as that in one of "
            "its folders seed-N",
            c->from);
    lb_status status = take_text(c, "model", model->kind->name, &c->model, error);
    if (!status)
        status = take_text(c, "direction", model->from_end ? "backward" : "forward", &c->direction, error);
    if (status) return status;
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    const lb_transformer *transformer = lb_transformer_of(model);
    const int window = c->window;
    if (seq2seq) lb_settings_from_model(c, lb_model_fields(LB_MODEL_SEQ2SEQ), &seq2seq->config);
    if (seq2seq && c->attention != seq2seq->config.attention) c->window = window; /* of another attention */
    if (transformer) lb_settings_from_model(c, lb_model_fields(LB_MODEL_TRANSFORMER), &transformer->config);
    return LB_OK;
}

static lb_status check_task(const lb_text_model *m, const lb_training_config *c, lb_error *error)
{
    if (m->sorts != (c->sort != NULL))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "cannot start from %s: it %s, this run %s", c->from,
                            m->sorts ? "sorts lists" : "was trained on pairs of texts",
                            m->sorts ? "has pairs of texts" : "sorts lists");
    if (m->sorts && m->task.what != c->sort->what)
        return contradicts(c, "task", lb_list_task_names[m->task.what],
                           lb_choice_name(lb_list_task_names, (int)c->sort->what), error);
    if (!m->sorts || c->sort->max_value >= m->task.max_value) return LB_OK;
    return contradicts_number(c, "max_number", m->task.max_value, c->sort->max_value, error);
}

static lb_status load_model(lb_warm_start *start, const char *path, const lb_safetensors *file,
                            lb_training_config *c, lb_error *error)
{
    lb_error found = {0};
    if (lb_text_model_load(file, NULL, &start->model, &found)) return lb_name_file(path, &found, error);
    start->hash = hash_model(&start->model);
    /* Without the model, the run could not be resumed; that there is no folder is reported elsewhere. */
    lb_status status =
        c->out ? lb_model_check_place(path, c->out, start->model.sorts, "start from", "this run", error)
               : LB_OK;
    if (!status) status = take_architecture(&start->model, c, error);
    if (!status) status = check_task(&start->model, c, error);
    if (!status) status = take_rules(&start->model, c, error);
    /* The columns themselves are found where the pairs are opened. */
    if (!status && !c->features_separator && (c->features_column || start->model.columns.features))
        c->features_separator = start->model.source_rule.features;
    return status;
}

lb_status lb_warm_start_open(lb_warm_start *start, lb_training_config *config, lb_error *error)
{
    char *path;
    *start = (lb_warm_start){0};
    if (!config->from) return LB_OK;
    lb_safetensors *file = lb_model_file_open(config->from, &path, error);
    if (!file) return error->status;
    lb_status status = load_model(start, path, file, config, error);
    lb_safetensors_close(file);
    lb_release(path);
    return status;
}

void lb_warm_start_free(lb_warm_start *start)
{
    lb_text_model_free(&start->model);
}

lb_status lb_warm_start_grow(const lb_warm_start *start, const lb_vocabulary *old, lb_vocabulary **symbols,
                             lb_error *error)
{
    if (!start->model.params) return LB_OK;
    lb_vocabulary *grown = lb_vocabulary_new_reserved(error);
    if (!grown) return LB_ERROR_MEMORY;
    const lb_vocabulary *const parts[] = {old, *symbols};
    lb_status status = LB_OK;
    for (int i = 0; i < 2; i++)
        for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(parts[i]) && !status; id++) {
            const char *symbol = lb_vocabulary_symbol(parts[i], id);
            status = lb_vocabulary_add(grown, &symbol, 1, error);
        }
    lb_vocabulary_free(*symbols);
    *symbols = grown;
    return status;
}

/* Everything must match except the number of symbols and settings that only training uses. */
static lb_status compare_models(const lb_warm_start *start, const lb_training_config *c,
                                const lb_model *model, lb_error *error)
{
    lb_run_differences d = {.count = 0};
    char *found = lb_model_settings(start->model.model), *ours = lb_model_settings(model);
    lb_status status = found && ours ? lb_run_compare(found, ours, &d, error)
                                     : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_release(found);
    lb_release(ours);
    lb_run_forget(&d, "source_vocab");
    lb_run_forget(&d, "target_vocab");
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->only_trains) lb_run_forget(&d, s->name);
    if (status || d.count == 0) return status;
    const lb_run_difference *first = &d.list[0];
    const char *name = lb_setting_field(first->name);
    if (!lb_setting_find(name))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "cannot start from %s: its %s is %s, and no setting makes such a model", c->from,
                            name, first->found);
    return contradicts(c, name, first->found, first->ours, error);
}

/* Each symbol is a row; the old ones come first. */
static bool copy_rows(const lb_tensor *from, lb_tensor *to)
{
    if (!from || from->shape.ndim != to->shape.ndim || from->shape.dim[0] > to->shape.dim[0]) return false;
    for (int i = 1; i < from->shape.ndim; i++)
        if (from->shape.dim[i] != to->shape.dim[i]) return false;
    memcpy(to->data, from->data, (size_t)lb_count(from) * sizeof *to->data);
    return true;
}

lb_status lb_warm_start_copy(const lb_warm_start *start, const lb_training_config *config,
                             const lb_model *model, lb_params *params, lb_error *error)
{
    if (!start->model.params) return LB_OK;
    lb_status status = compare_models(start, config, model, error);
    for (int i = 0; i < lb_params_count(params) && !status; i++) {
        const char *name = lb_params_name(params, i);
        if (!copy_rows(lb_params_find(start->model.params, name), lb_params_tensor(params, i)))
            status = lb_error_set(error, LB_ERROR_ARGUMENT,
                                  "cannot start from %s: its %s has a different shape", config->from, name);
    }
    return status;
}
