/* Decides whether a model can become a C file or ONNX, and says what stands in the way. */
#include "export/export.h"

#include "base/format.h"

#include <string.h>

static const app_exportable_kind kinds[] = {
    {"seq2seq", app_recurrent_model_add, onnx_recurrent_add},
    {"transformer", app_transformer_model_add, onnx_transformer_add},
};

const app_exportable_kind *app_exportable_kind_of(const lb_model *model)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(model->kind->name, kinds[i].kind) == 0) return &kinds[i];
    return NULL;
}

/* Whether a form knows these positions. The bias of FIRE is one for each two positions, not for each distance. */
static bool knows_positions(lb_positional_kind kind, bool onnx)
{
    bool turns_or_biases =
        kind == LB_POSITIONAL_ROTARY || kind == LB_POSITIONAL_RELATIVE || kind == LB_POSITIONAL_ALIBI;
    return kind == LB_POSITIONAL_SINUSOIDAL || kind == LB_POSITIONAL_LEARNED ||
           kind == LB_POSITIONAL_RANDOM || kind == LB_POSITIONAL_NONE || (turns_or_biases && !onnx);
}

/* What of a model cannot be exported, as the subject of a sentence: "coverage" and "attention". `what` is NULL if
 * nothing is in the way, and `kind` if that has no name. */
typedef struct hindrance {
    const char *kind, *what;
} hindrance;

static hindrance hindrance_of_transformer(const lb_transformer *model)
{
    if (model->config.embedding_scale > 0) return (hindrance){NULL, "an embedding_scale"};
    if (model->config.no_self_attention) return (hindrance){NULL, "no_self_attention"};
    if (model->config.no_feed_forward) return (hindrance){NULL, "no_feed_forward"};
    return (hindrance){0};
}

/* What of the model no form can export. */
static hindrance find_hindrance(const lb_text_model *text)
{
    const lb_model *model = text->model;
    if (lb_is_ensemble(model)) return (hindrance){NULL, "an ensemble"};
    if (text->sorts) return (hindrance){NULL, "a model that sorts lists"};
    if (lb_symbol_rule_has_features(&text->source_rule)) return (hindrance){NULL, "a model with features"};
    if (model->copies) return (hindrance){NULL, "a model that copies"};
    if (!app_exportable_kind_of(model)) return (hindrance){model->kind->name, "as the kind of the model"};
    if (lb_transformer_of(model)) return hindrance_of_transformer(lb_transformer_of(model));
    lb_cell_kind cell = lb_seq2seq_of(model)->config.cell;
    if (cell == LB_CELL_GRU || cell == LB_CELL_LSTM) return (hindrance){0};
    return (hindrance){lb_choice_name(lb_cell_names, (int)cell), "cells"};
}

/* What of it cannot be exported as ONNX, or in C. */
static hindrance hindrance_in(const lb_text_model *text, bool onnx)
{
    const lb_seq2seq *recurrent = lb_seq2seq_of(text->model);
    const lb_transformer_config *c = recurrent ? NULL : &lb_transformer_of(text->model)->config;
    lb_normalizer weights = c                            ? c->attention_weights
                            : recurrent->attention.depth ? recurrent->config.attention_weights
                                                         : LB_SOFTMAX;
    if (!onnx && text->source_rule.normalize != text->target_rule.normalize)
        return (hindrance){NULL, "a model whose sources and targets have different normal forms"};
    if (!onnx && text->source_rule.graphemes) return (hindrance){NULL, "a model that reads graphemes"};
    if (onnx && weights != LB_SOFTMAX) return (hindrance){NULL, "attention weights other than softmax"};
    if (weights != LB_SOFTMAX && weights != LB_SPARSEMAX && weights != LB_ENTMAX)
        return (hindrance){lb_choice_name(lb_normalizer_names, (int)weights), "attention weights"};
    if (onnx && c && c->window > 0) return (hindrance){NULL, "a window of self-attention"};
    if (c && !knows_positions(c->positions, onnx))
        return (hindrance){lb_choice_name(lb_positional_names, (int)c->positions), "positions"};
    if (c) return (hindrance){0};
    const app_recurrent_attention *known = app_recurrent_attention_of(&recurrent->attention);
    if (known && (known->in_onnx || !onnx)) return (hindrance){0};
    return (hindrance){recurrent->attention.type->name, "attention"};
}

/* Whether a form can have the model; `expected` ends the sentence about what it can have. */
static lb_status refuse_hindrance(const char *path, const lb_text_model *text, bool onnx,
                                  const char *expected, lb_error *error)
{
    hindrance found = find_hindrance(text);
    if (!found.what) found = hindrance_in(text, onnx);
    if (!found.what) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %s%s%s, expected a single model of texts%s", path,
                        found.kind ? found.kind : "", found.kind ? " " : "", found.what, expected);
}

lb_status app_exportable(const char *path, const lb_text_model *text, int beam, lb_error *error)
{
    lb_normalizer output = text->model->output;
    lb_status status = refuse_hindrance(path, text, false,
                                        " with soft attention or none, without features and copying", error);
    if (status || beam <= 1 || output == LB_SOFTMAX) return status;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found --beam %d, expected 1 for a model trained with --set loss=%s", path, beam,
                        lb_loss_names[output]);
}

lb_status app_exportable_as_onnx(const char *path, const lb_text_model *text, lb_error *error)
{
    return refuse_hindrance(
        path, text, true,
        ", without features and copying, whose attention is additive, dot, general, scaled-dot, "
        "multi-head or none, or a transformer with sinusoidal, learned, random or no positions, for ONNX",
        error);
}
