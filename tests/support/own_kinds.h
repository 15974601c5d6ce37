/* A custom kind of model and a custom attention. */
#ifndef SUPPORT_OWN_KINDS_H
#define SUPPORT_OWN_KINDS_H

#include "lookback/models.h"

enum { SUPPORT_RELAY_VOCABULARY = 8, SUPPORT_PAIRED_HEADS = 2 };

/** A model without attention: one GRU reads, and another one continues from its state. */
extern const lb_model_kind support_relay;

/** Adds one to the store, without a prefix; NULL after an error. */
lb_model *support_add_relay(lb_params *params, int64_t width);

/** Two heads of dot products with keys multiplied by a matrix: NAME.weight. */
extern const lb_attention_type support_paired;

/** Both. */
extern const lb_extensions support_own;

#endif
