/* A transformer as graphs of ONNX. */
#ifndef APP_ONNX_TRANSFORMER_H
#define APP_ONNX_TRANSFORMER_H

#include "export/onnx/hindrance.h"
#include "export/onnx/layers.h"

/** What of the model cannot become a graph. */
app_hindrance onnx_transformer_hindrance(const lb_model *model);

/** Adds the nodes of the model. Its decoder keeps the keys and values of the steps before. */
void onnx_transformer_add(const lb_model *model, onnx_graphs *graphs);

#endif
