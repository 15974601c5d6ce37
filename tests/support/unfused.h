/* The fused ops, composed of primitive ones, for learning and for tests to compare with. They have the same operands
 * and the same results up to rounding, and are several times slower. */
#ifndef SUPPORT_UNFUSED_H
#define SUPPORT_UNFUSED_H

#include "lookback/ops.h"

/** The outputs of an op that has several; missing ones are NULL. */
typedef struct lb_unfused_result {
    lb_tensor *output[4];
} lb_unfused_result;

/** lb_gru_sequence: outputs, final state. */
lb_unfused_result lb_unfused_gru_sequence(lb_tensor *x, lb_tensor *initial, lb_tensor *weight_hh,
                                          lb_tensor *bias_hh, const int32_t *lengths, bool reverse);

/** lb_lstm_sequence: outputs, final state. */
lb_unfused_result lb_unfused_lstm_sequence(lb_tensor *x, lb_tensor *initial, lb_tensor *weight_hh,
                                           lb_tensor *bias_hh, const int32_t *lengths, bool reverse);

/** lb_attend_additive_by: context, weights. */
lb_unfused_result lb_unfused_attend_additive(lb_tensor *query, lb_tensor *keys, lb_tensor *values,
                                             lb_tensor *v, lb_tensor *mask, lb_normalizer normalizer);

/** lb_attend_dot_by without dropout, with the heads as an axis: context, weights. */
lb_unfused_result lb_unfused_attend_dot(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                                        lb_tensor *bias, lb_real scale, lb_normalizer normalizer);

/** lb_attention_gru_sequence without a table: outputs, contexts, weights, final state. */
lb_unfused_result lb_unfused_attention_gru_sequence(const lb_attention_gru_operands *in);

/** lb_standardize. */
lb_tensor *lb_unfused_normalize(lb_tensor *x, lb_tensor *weight, lb_tensor *bias, lb_real epsilon);

/** lb_cross_entropy_smoothed. */
lb_tensor *lb_unfused_cross_entropy(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing);

#endif
