/* Shared by the tape, lb_op_apply and lb_backward only. */
#ifndef LB_TAPE_INTERNAL_H
#define LB_TAPE_INTERNAL_H

#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/op.h"
#include "tensor/gemm.h"

struct lb_tape {
    lb_arena *arena;
    lb_arena *work[2]; /* of this step and the last one; NULL until they are needed */
    int steps;         /* since the last reset; 0: memory comes from `arena` */
    bool shares;       /* see lb_tape_begin_step */
    lb_node *last;     /* of the recorded ops */
    lb_tensor *loss;   /* from which backward has run; NULL before it */
    lb_tensor poison;
    lb_error error;
    const char *scope;
    lb_model_place place;
    lb_watcher watcher;
    lb_mode mode;
    lb_precision precision;
    lb_pairs pairs;       /* for its products in bfloat16 */
    struct lb_kept *kept; /* until the next reset or change of mode: weights may change then */
    bool backward_ran;
    bool spends; /* see lb_tape_spend */
    uint64_t seed;
    uint32_t step;
    uint32_t random_ops;            /* since the last reset */
    lb_tape *scratch;               /* NULL until it is needed */
    struct lb_sinusoids *sinusoids; /* the tables so far, see sinusoids.c */
};

/** Whether backward has come, or will come, to this op. */
static inline bool lb_node_is_reached(const lb_node *node)
{
    for (int i = 0; i < LB_MAX_OUTPUTS; i++)
        if (node->out[i] && node->out[i]->grad) return true;
    return false;
}

/** Frees the tables of a tape. */
void lb_sinusoids_free(struct lb_sinusoids *table);

#endif
