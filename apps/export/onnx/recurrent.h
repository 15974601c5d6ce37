/* A recurrent model as graphs of ONNX. */
#ifndef APP_ONNX_RECURRENT_H
#define APP_ONNX_RECURRENT_H

#include "export/onnx/hindrance.h"
#include "export/onnx/layers.h"

/** What of the model cannot become a graph. */
app_hindrance onnx_recurrent_hindrance(const lb_model *model);

/** Adds the nodes of the model. */
void onnx_recurrent_add(const lb_model *base, onnx_graphs *graphs);

#endif
