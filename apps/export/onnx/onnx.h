/* A model as two files of ONNX. */
#ifndef APP_ONNX_H
#define APP_ONNX_H

#include "export/onnx/hindrance.h"
#include "translate/file/text_model.h"

/** What of a single model of texts, without features and copying, cannot be exported. */
app_hindrance app_onnx_hindrance(const lb_model *model);

/** Whether the name of a file asks for ONNX. */
bool app_onnx_is_name(const char *path);

/** Writes NAME.encoder.onnx and NAME.decoder.onnx for the path NAME.onnx. Their metadata are those of `file`, from
 *  which the model was loaded. Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_onnx_write(const lb_text_model *model, const lb_safetensors *file, const char *path,
                                     lb_error *error);

#endif
