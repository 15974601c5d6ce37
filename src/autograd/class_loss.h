/* What losses that compare logits over classes with one target for each position have in common. */
#ifndef LB_CLASS_LOSS_H
#define LB_CLASS_LOSS_H

#include "autograd/op.h"
#include "lookback/ops.h"

#include <math.h>

/** The attributes of such a loss: the mean over the targets that are not `ignored`, of what each row counts. */
typedef struct lb_class_loss {
    lb_tokens targets;
    int32_t ignored;
    lb_real smoothing;
    lb_normalizer normalizer; /* of the probabilities */
    const lb_real *weights;   /* [batch] what the loss of each row counts; NULL: 1 */
    int64_t counted;          /* targets that are not ignored: set by lb_class_loss_apply */
} lb_class_loss;

/** The loss of one row of logits. `slope` receives its derivative by each of them. */
typedef lb_real lb_class_loss_row(const lb_class_loss *loss, int64_t classes, const lb_real *x,
                                  int32_t target, lb_real *slope);

/** Applies an op whose other functions are those below. */
lb_tensor *lb_class_loss_apply(const lb_op *op, lb_tensor *logits, lb_class_loss loss);

/** The loss of logits with these attributes: a cross-entropy for LB_SOFTMAX (cross_entropy.c, entmax_loss.c). */
lb_tensor *lb_cross_entropy_of(lb_tensor *logits, lb_class_loss loss);
lb_tensor *lb_entmax_loss_of(lb_tensor *logits, lb_class_loss loss);

/** Whether there are logits for each target: [batch, length, classes], or [batch length, classes] in the same order. */
static inline bool lb_has_logits_for(lb_shape logits, const lb_tokens *targets)
{
    if (logits.ndim == 2) return logits.dim[0] == targets->batch * targets->length;
    return logits.ndim == 3 && logits.dim[0] == targets->batch && logits.dim[1] == targets->length;
}

/** The shape function of the op. Shapes: logits as above, targets [batch, length] -> scalar. */
lb_status lb_class_loss_shape(const lb_node *node, lb_shape *out);

/** The forward function, by rows, and backward. */
lb_status lb_class_loss_forward(lb_node *node, lb_class_loss_row *row);
void lb_class_loss_backward(lb_node *node);

/** A class at -inf has probability 0 whatever the others are: it is out of the choice. */
static inline bool lb_is_hidden_class(lb_real logit)
{
    return logit == -(lb_real)INFINITY;
}

#endif
