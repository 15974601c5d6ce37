/* A translator in a file, for a loop of a program's own; and what the record of a training has of tests. */
#include "base/buffer.h"
#include "data/text/symbols.h"
#include "lookback/translate.h"
#include "translate/file/text_model.h"

#include <string.h>

void lb_tests_print(lb_buffer *json, const lb_test *tests, const lb_evaluation *found)
{
    enum { DIGITS = 9 };
    if (!tests || !*tests->name) return;
    lb_json_open(json, "test", "{");
    for (int i = 0; i < LB_MOST_TESTS && *tests[i].name; i++)
        lb_json_number(json, tests[i].name, found[i].exact_match, DIGITS);
    lb_buffer_print(json, "}");
}

static lb_status has_other_names(const char *missing, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "found no parameter '%s', expected a model whose name in lb_..._init was \"\"",
                        missing);
}

/* Builds a custom model again as lb_model_load will. What else fails there is a custom part, which needs its table. */
static lb_status check_custom_names(const lb_model *model, const lb_params *params, lb_error *error)
{
    if (!model->kind->config_json || !model->kind->restore) return LB_OK; /* as lb_model_save will say */
    lb_error found = {0};
    char *config = model->kind->config_json(model);
    lb_params *again = lb_params_new(0);
    lb_status status = config && again ? LB_OK : LB_ERROR_MEMORY;
    const bool made = !status && model->kind->restore(again, "", config, NULL, &found);
    if (status || found.status == LB_ERROR_MEMORY)
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory while saving");
    for (int i = 0; made && i < lb_params_count(again) && !status; i++)
        if (!lb_params_find(params, lb_params_name(again, i)))
            status = has_other_names(lb_params_name(again, i), error);
    lb_params_free(again);
    lb_release(config);
    return status;
}

/* Whether lb_model_load will find all parameters of the model in its file: not if its name is another one than "". */
static lb_status check_names(const lb_model *model, const lb_params *params, lb_error *error)
{
    static const char first[] = "source_embedding.weight";
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    const lb_transformer *transformer = lb_transformer_of(model);
    if (lb_is_ensemble(model)) return LB_OK; /* lb_ensemble_gather and lb_model_load name their members */
    if (!seq2seq && !transformer) return check_custom_names(model, params, error);
    const bool named = *(seq2seq ? seq2seq->name : transformer->name);
    return named || !lb_params_find(params, first) ? has_other_names(first, error) : LB_OK;
}

/* Whether lb_text_model_load would read these symbols again. */
static lb_status check_symbols(const char *name, const lb_vocabulary *vocabulary, lb_error *error)
{
    lb_error found = {0};
    if (!vocabulary)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found no %s vocabulary, expected one", name);
    char *text = lb_vocabulary_print(vocabulary);
    if (!text) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a vocabulary");
    lb_vocabulary_free(lb_vocabulary_parse(text, lb_vocabulary_size(vocabulary), &found));
    lb_release(text);
    if (!found.status) return LB_OK;
    lb_status status = found.status == LB_ERROR_FORMAT ? LB_ERROR_ARGUMENT : found.status;
    return lb_error_set(error, status, "the %s vocabulary: %s", name, found.message);
}

/* Nothing changes what the text model points to: it is only for saving. */
static void *unchanged(const void *object)
{
    void *same;
    memcpy(&same, &object, sizeof same);
    return same;
}

lb_status lb_translator_save(const lb_model *model, const lb_params *params, const char *path,
                             lb_translator_texts texts, lb_error *error)
{
    lb_text_model made = {.params = unchanged(params), .model = unchanged(model)};
    lb_status status = check_names(model, params, error);
    if (status) return status;
    if (texts.sort) {
        status = lb_list_model(&made, texts.sort, error);
        if (!status) status = lb_text_model_save(path, &made, error);
        lb_vocabulary_free(made.source);
        return status;
    }
    status = check_symbols("source", texts.source, error);
    if (!status) status = check_symbols("target", texts.target, error);
    if (status) return status;
    made.source = unchanged(texts.source);
    made.target = unchanged(texts.target);
    made.source_rule = texts.source_rule;
    made.target_rule = texts.target_rule;
    made.shortest_source = texts.shortest_source;
    made.longest_source = texts.longest_source;
    made.longest_target = texts.longest_target;
    return lb_text_model_save(path, &made, error);
}
