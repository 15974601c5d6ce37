/* Optimisers: one flat loop over the parameters' slab. They set the gradients to zero when they have used them. */
#ifndef LB_OPTIMIZER_H
#define LB_OPTIMIZER_H

#include "nn/params.h"

typedef struct lb_adam lb_adam;

/** Zero means the default in brackets, which is PyTorch's; a negative number stands for a true zero. */
typedef struct lb_adam_config {
    lb_real lr;           /* [1e-3] */
    lb_real beta1, beta2; /* [0.9, 0.999] */
    lb_real epsilon;      /* [1e-8] */
    lb_real weight_decay; /* [0] */
    bool decoupled;       /* true: AdamW, decay beside the gradient; false: decay as part of the gradient */
    lb_real clip_norm;    /* [0: no clipping] bound of the gradient's norm over all parameters */
} lb_adam_config;

/** Adam with bias correction, or AdamW.
 *  Memory:  twice the size of the parameters; NULL if there is none, which every function takes. Later additions to
 *           `params` are not trained: lb_adam_step refuses.
 *  Source:  Kingma, Ba 2015, arXiv:1412.6980; Loshchilov, Hutter 2019, arXiv:1711.05101.
 *  Differs: PyTorch adds epsilon to the root of the corrected second moment, as is done here; the first paper's last
 *           variant adds it before the correction. */
lb_adam *lb_adam_new(lb_params *params, lb_adam_config config);
void lb_adam_free(lb_adam *adam);

/** One step along the gradients, which are zero afterwards.
 *  Errors: LB_ERROR_DIVERGED if the gradient's norm is not finite, whatever `params` holds, LB_ERROR_ARGUMENT if parameters
 *          were added since lb_adam_new: neither parameters nor moments change, but gradients are zeroed. LB_ERROR_MEMORY if
 *          `adam` is NULL. */
LB_MUST_USE lb_status lb_adam_step(lb_adam *adam, lb_error *error);

void lb_adam_set_lr(lb_adam *adam, lb_real lr);

/** The norm of all gradients at the last step, before clipping. */
double lb_adam_grad_norm(const lb_adam *adam);

/** The state, for checkpoints: two slabs in the layout of the parameters' and the number of steps so far. */
lb_real *lb_adam_first_moments(lb_adam *adam);
lb_real *lb_adam_second_moments(lb_adam *adam);
int64_t lb_adam_steps(const lb_adam *adam);
void lb_adam_set_steps(lb_adam *adam, int64_t steps);

typedef struct lb_sgd lb_sgd;

typedef struct lb_sgd_config {
    lb_real lr;           /* [1e-3] */
    lb_real momentum;     /* [0] */
    lb_real weight_decay; /* [0] as part of the gradient */
    lb_real clip_norm;    /* [0: no clipping] */
} lb_sgd_config;

/** Stochastic gradient descent with momentum, velocity = momentum velocity + gradient, as torch.optim.SGD.
 *  Memory: the size of the parameters; NULL if there is none. Differs: others scale the gradient by lr first. */
lb_sgd *lb_sgd_new(lb_params *params, lb_sgd_config config);
void lb_sgd_free(lb_sgd *sgd);

/** As lb_adam_step. */
LB_MUST_USE lb_status lb_sgd_step(lb_sgd *sgd, lb_error *error);
void lb_sgd_set_lr(lb_sgd *sgd, lb_real lr);

/** The norm of all gradients, in double and summed in one order whatever the number of threads. */
double lb_params_grad_norm(const lb_params *params);

#endif
