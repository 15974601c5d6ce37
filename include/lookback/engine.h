/* The engine: tensors, modules, models and their training, without texts, measures and figures. It is a part of
 * lookback.h, and a library of its own, lookback_engine. docs/engine.md has each of its functions on one page.
 *
 *      your model             lb_params                         lb_tape
 *      modules by value       all weights, by name              all tensors of one step
 *     +--------------+       +------------------------+        +-----------------------------------------+
 *     | lb_embedding |------>| values  [12, 24]       |------->| x      [64, 6, 24]  forward of tokens    |
 *     | lb_gru       |------>| values  [144, 24] ...  |------->| h      [64, 48]     forward of x         |
 *     | lb_linear    |------>| values  [12, 48]       |------->| logits [64, 12]     forward of h         |
 *     +--------------+       |                        |        | loss   []           of logits, targets   |
 *      lb_gru_init and the   |                        |        |    |                                     |
 *      like: once, adds      |                        |        |    | lb_backward: from the last op to    |
 *      values with names     |                        |        |    v the first                           |
 *                            | grads   [12, 48]    += |<-------| gradient of logits                      |
 *                            | grads   [144, 24]   += |<-------| gradient of h                           |
 *                            | grads   [12, 24]    += |<-------| gradient of x                           |
 *                            +------------------------+        +-----------------------------------------+
 *                               |                  ^            lb_tape_reset: they are gone together, and
 *                               v                  |            the next step takes their memory
 *                             lb_optimizer_step: values follow grads, and grads are 0
 *
 * Decoding, files and ensembles take any model whose first member is an lb_model: kinds.h. op.h, for writing ops, is
 * not part of this header. */
#ifndef LOOKBACK_ENGINE_H
#define LOOKBACK_ENGINE_H

#include "lookback/autograd.h"
#include "lookback/base.h"
#include "lookback/io.h"
#include "lookback/kinds.h"
#include "lookback/models.h"
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "lookback/tensor.h"
#include "lookback/train.h"

#endif
