/* A recurrent model as constants in C. */
#ifndef APP_RECURRENT_MODEL_H
#define APP_RECURRENT_MODEL_H

#include "export/assemble.h"
#include "export/numbers.h"

#include <lookback/models.h>

/** Whether the code knows this attention. */
bool app_recurrent_model_can_attend(const lb_decoder_attention *attention);

/** Adds weights, flags and sizes. The name of its attention is that of a flag. */
void app_recurrent_model_add(const lb_seq2seq *model, app_numbers *numbers, app_kernel *kernel);

#endif
