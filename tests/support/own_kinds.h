/* A kind of model and an attention that the library does not have. */
#ifndef SUPPORT_OWN_KINDS_H
#define SUPPORT_OWN_KINDS_H

#include "lookback/models.h"

enum { SUPPORT_RELAY_VOCABULARY = 8, SUPPORT_PAIRED_HEADS = 2 };

/** A model without attention: what one GRU has read, another one goes on from. */
extern const lb_model_kind support_relay;

/** Adds one to the store, without a prefix; NULL after an error. */
lb_model *support_add_relay(lb_params *params, int64_t width);

/** Two heads of dot products with what a matrix of its own makes of the keys: NAME.weight. */
extern const lb_attention_type support_paired;

/** Both. */
extern const lb_extensions support_own;

#endif
