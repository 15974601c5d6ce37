/* Copying from the source: the pointer of a pointer-generator (docs/adr/0030-copying.md). */
#ifndef LB_MODELS_COPYING_H
#define LB_MODELS_COPYING_H

#include "lookback/models.h"

/** Adds the parameters NAME.gate and NAME.symbols to the model `base`, which has its vocabularies. No symbol is copied
 *  until lb_model_set_copies. `inputs` is the width of what the gate reads. Errors: as lb_params_add. */
lb_status lb_copying_init(lb_copying *copying, lb_params *params, const char *name, lb_model *base,
                          int64_t inputs);

/** The pointer of a model, or of the first member of an ensemble that has one; NULL if none has. */
const lb_copying *lb_copying_of(const lb_model *model);

/** Checks that the symbols as which others are copied are in the vocabulary of the targets. Errors: LB_ERROR_FORMAT. */
LB_MUST_USE lb_status lb_copying_check(const lb_model *model, lb_error *error);

/** The target symbol as which a source symbol is copied; LB_PAD if there is no such source symbol. */
int32_t lb_copying_symbol(const lb_copying *copying, int32_t source);

/** The symbols as which those of a source are copied. Without a pointer, no tokens. */
lb_tokens lb_copying_read(const lb_copying *copying, lb_tokens source);

/** Mixes what the model would write by itself with what it points at: log-probabilities as logits.
 *  Shapes: logits [batch, T, target_vocab]; weights [batch, heads, T, S], of which the mean over the heads counts; the
 *          operands of the gate [batch, T, .], NULL for those that it does not have; symbols [batch, S] from
 *          lb_copying_read -> [batch, T, target_vocab]. */
lb_tensor *lb_copying_mix(const lb_copying *copying, lb_tensor *logits, lb_tensor *weights,
                          lb_tensor *const gate[LB_COPYING_OPERANDS], lb_tokens symbols);

#endif
