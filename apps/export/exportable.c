#include "export/exportable.h"

#include "base/plural.h"
#include "export/onnx/onnx.h"
#include "export/recurrent_model.h"
#include "models/seq2seq.h"
#include "models/transformer.h"

/* What of the model cannot be exported in any form. */
static app_hindrance hindrance(const lb_text_model *text)
{
    const lb_model *model = text->model;
    if (lb_is_ensemble(model)) return (app_hindrance){NULL, "an ensemble"};
    if (text->sorts) return (app_hindrance){NULL, "a model that sorts lists"};
    if (lb_symbol_rule_has_features(&text->source_rule))
        return (app_hindrance){NULL, "a model with features"};
    if (model->copies) return (app_hindrance){NULL, "a model that copies"};
    if (model->kind == &lb_transformer_kind) return (app_hindrance){0};
    if (model->kind != &lb_seq2seq_kind)
        return (app_hindrance){model->kind->name, "as the kind of the model"};
    lb_cell_kind cell = ((const lb_seq2seq *)model)->config.cell;
    if (cell == LB_CELL_GRU || cell == LB_CELL_LSTM) return (app_hindrance){0};
    return (app_hindrance){lb_choice_name(lb_cell_names, (int)cell), "cells"};
}

static app_hindrance hindrance_of_positions(lb_positional_kind kind)
{
    static const lb_positional_kind known[] = {LB_POSITIONAL_SINUSOIDAL, LB_POSITIONAL_LEARNED,
                                               LB_POSITIONAL_RELATIVE,   LB_POSITIONAL_ALIBI,
                                               LB_POSITIONAL_ROTARY,     LB_POSITIONAL_NONE};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == kind) return (app_hindrance){0};
    return (app_hindrance){lb_choice_name(lb_positional_names, (int)kind), "positions"};
}

/* Kinds of which the code of a C file has none. */
static app_hindrance hindrance_of_kind(const lb_model *model)
{
    const lb_transformer *transformer = (const lb_transformer *)model;
    const lb_seq2seq *seq2seq = (const lb_seq2seq *)model;
    bool transforms = model->kind == &lb_transformer_kind;
    lb_normalizer weights =
        transforms ? transformer->config.attention_weights : seq2seq->config.attention_weights;
    if (weights != LB_SOFTMAX && weights != LB_SPARSEMAX && weights != LB_ENTMAX)
        return (app_hindrance){lb_choice_name(lb_normalizer_names, (int)weights), "attention weights"};
    if (transforms) return hindrance_of_positions(transformer->config.positions);
    if (app_recurrent_model_can_attend(&seq2seq->attention)) return (app_hindrance){0};
    return (app_hindrance){seq2seq->attention.type->name, "attention"};
}

/* What else a C file cannot do. */
static app_hindrance hindrance_in_c(const lb_text_model *text)
{
    if (text->source_rule.normalize != text->target_rule.normalize)
        return (app_hindrance){NULL, "a model whose sources and targets have different normal forms"};
    if (text->source_rule.graphemes) return (app_hindrance){NULL, "a model that reads graphemes"};
    return hindrance_of_kind(text->model);
}

static lb_status refuse(const char *path, app_hindrance found, const char *expected, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %s%s%s, expected a single model of texts%s", path,
                        found.kind ? found.kind : "", found.kind ? " " : "", found.what, expected);
}

lb_status app_exportable(const char *path, const lb_text_model *text, int beam, lb_error *error)
{
    app_hindrance found = hindrance(text);
    const lb_model *model = text->model;
    if (!found.what) found = hindrance_in_c(text);
    if (found.what)
        return refuse(
            path, found,
            " with soft attention or none, without features and copying: that is what can be exported",
            error);
    if (beam <= 1 || model->output == LB_SOFTMAX) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found --beam %d, expected 1 for a model trained with --set loss=%s", path, beam,
                        lb_loss_names[model->output]);
}

lb_status app_exportable_as_onnx(const char *path, const lb_text_model *text, lb_error *error)
{
    app_hindrance found = hindrance(text);
    if (!found.what) found = app_onnx_hindrance(text->model);
    if (!found.what) return LB_OK;
    return refuse(
        path, found,
        ", without features and copying, whose attention is additive, dot, general, scaled-dot, "
        "multi-head or none, or a transformer with sinusoidal, learned or no positions: that is what "
        "can be exported to ONNX",
        error);
}
