/* What a model gives to the tokens that it can write, by the definition. */
#ifndef SUPPORT_WRITTEN_H
#define SUPPORT_WRITTEN_H

#include "lookback/autograd.h"

/* log p of each token by its logits [..., classes]: the softmax over all but LB_PAD and LB_BOS, which get -inf. */
lb_tensor *support_log_probabilities(const lb_tensor *logits);

#endif
