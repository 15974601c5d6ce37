/* A model as two files of ONNX. */
#ifndef APP_ONNX_H
#define APP_ONNX_H

#include "export/onnx/layers.h"
#include "translate/file/text_model.h"

/* ---- Recurrent models: recurrent.c. ---- */

/** Whether the attention of the model can become a graph. */
bool onnx_recurrent_knows(const lb_model *model);

/** Adds the nodes of the model. */
void onnx_recurrent_add(const lb_model *base, onnx_graphs *graphs);

/* ---- Transformers: transformer.c. ---- */

/** Whether the positions of the model can become a graph. */
bool onnx_transformer_knows(const lb_model *model);

/** Adds the nodes of the model. Its decoder keeps the keys and values of the steps before. */
void onnx_transformer_add(const lb_model *model, onnx_graphs *graphs);

/* ---- The files: onnx.c. ---- */

/** Adds the nodes of a model. */
typedef void app_onnx_add(const lb_model *model, onnx_graphs *graphs);

/** Whether the name of a file asks for ONNX. */
bool app_onnx_is_name(const char *path);

/** Writes NAME.encoder.onnx and NAME.decoder.onnx for the path NAME.onnx. Their metadata are those of `file`, from
 *  which the model was loaded. Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_onnx_write(const lb_text_model *model, app_onnx_add *add,
                                     const lb_safetensors *file, const char *path, lb_error *error);

#endif
