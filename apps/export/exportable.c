#include "export/exportable.h"

#include "export/onnx/onnx.h"
#include "export/recurrent_model.h"
#include "models/seq2seq.h"
#include "models/transformer.h"

/* What of the model cannot be exported in any form, as the subject of a sentence; NULL: nothing. */
static const char *hindrance(const lb_text_model *text)
{
    const lb_model *model = text->model;
    if (lb_is_ensemble(model)) return "an ensemble";
    if (text->sorts) return "a model that sorts lists";
    if (lb_symbol_rule_has_features(&text->source_rule)) return "a model with features";
    if (model->copies) return "a model that copies";
    return NULL;
}

/* What else a C file cannot do. */
static const char *hindrance_in_c(const lb_text_model *text)
{
    const lb_model *model = text->model;
    if (text->source_rule.normalize != text->target_rule.normalize)
        return "a model whose sources and targets have different normal forms";
    if (text->source_rule.graphemes) return "a model that reads graphemes";
    if (model->kind == &lb_transformer_kind) return NULL;
    lb_attention_kind attention = ((const lb_seq2seq *)model)->config.attention;
    return app_recurrent_model_can_attend(attention) ? NULL : "hard attention";
}

lb_status app_exportable(const char *path, const lb_text_model *text, int beam, lb_error *error)
{
    const char *what = hindrance(text);
    const lb_model *model = text->model;
    if (!what) what = hindrance_in_c(text);
    if (!what && beam > 1 && model->output != LB_SOFTMAX)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found --beam %d, expected 1 for a model trained with --loss %s", path, beam,
                            lb_loss_names[model->output]);
    if (!what) return LB_OK;
    return lb_error_set(
        error, LB_ERROR_FORMAT,
        "%s: found %s, expected a single model of texts with soft attention or none, without features "
        "and copying: that is what can be exported",
        path, what);
}

lb_status app_exportable_as_onnx(const char *path, const lb_text_model *text, lb_error *error)
{
    const char *what = hindrance(text);
    if (!what) what = app_onnx_hindrance(text->model);
    if (!what) return LB_OK;
    return lb_error_set(
        error, LB_ERROR_FORMAT,
        "%s: found %s, expected a single model of texts, without features and copying, whose attention is "
        "additive, dot, general, scaled-dot, multi-head or none, or a transformer with sinusoidal, learned "
        "or no positions: that is what can be exported to ONNX",
        path, what);
}
