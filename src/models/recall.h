/* Additive attention that knows where the steps before have looked: coverage and location-sensitive attention
 * (docs/adr/0029-attention-that-knows-where-it-looked.md). */
#ifndef LB_MODELS_RECALL_H
#define LB_MODELS_RECALL_H

#include "models/seq2seq.h"

/** Filters of location-sensitive attention. */
enum { LB_LOCATION_FILTERS = 8 };

/** score_j = v' tanh(W_q q + W_k k_j + U f_j + b), where f_j are features of the weights of the steps before.
 *  Coverage: f_j is the sum of all earlier weights of position j, and b = 0.
 *  Location: f_j are filters over the weights of the last step, around position j; all 0 before the first step.
 *  Source: See, Liu, Manning 2017, arXiv:1704.04368, equation 11; Chorowski et al. 2015, arXiv:1506.07503, equations 8
 *          and 9. */
typedef struct lb_recall {
    lb_additive_attention additive; /* comes first */
    lb_tensor *filters;             /* F [LB_LOCATION_FILTERS, 1, 2 window + 1]; NULL: coverage */
    lb_linear features;             /* location: U; coverage: W_c, without bias */
} lb_recall;

/** The attention of a model; NULL if it is of another kind. */
const lb_recall *lb_recall_of(const lb_seq2seq *model);

/** lb_attention_type.init of coverage: W_q, W_k, v as in additive attention, and W_c. Errors: as lb_params_add. */
lb_status lb_coverage_init(lb_decoder_attention *attention, lb_params *params);

/** lb_attention_type.init of location-sensitive attention: W_q, W_k, v, F as nn.Conv1d and U as nn.Linear. Errors: as
 *  lb_params_add. */
lb_status lb_location_init(lb_decoder_attention *attention, lb_params *params);

/** What the first step reads as `past`: zeros. Shapes: mask [batch, S] -> the same; NULL if the model has another kind. */
lb_tensor *lb_recall_begin(const lb_seq2seq *model, lb_tensor *mask);

/** The keys of a step: W_k k_j + U f_j + b. Shapes: keys [batch, S, width], past [batch, S] -> that of the keys. */
lb_tensor *lb_recall_keys(const lb_recall *recall, lb_tensor *keys, lb_tensor *past);

/** What the next step reads as `past`, which stays as it is for a row that has ended.
 *  Shapes: past [batch, S], weights [batch, 1, S], there [batch, 1] 1 or 0, NULL: all 1 -> [batch, S]. */
lb_tensor *lb_recall_next(const lb_recall *recall, lb_tensor *past, lb_tensor *weights, lb_tensor *there);

#endif
