/* What the tape, lb_op_apply and lb_backward share, and nobody else sees. */
#ifndef LB_TAPE_INTERNAL_H
#define LB_TAPE_INTERNAL_H

#include "autograd/op.h"
#include "tensor/arena.h"

/* A weight that ops have asked for transposed while the tape evaluates. A decoder asks for the same ones at every step. */
typedef struct lb_laid_out {
    const lb_real *columns;
    int64_t inputs, rows; /* rows that have met it so far */
    lb_real *moved;       /* NULL until that pays */
    struct lb_laid_out *next;
} lb_laid_out;

struct lb_tape {
    lb_arena *arena;
    lb_node *last; /* of the recorded ops */
    lb_tensor poison;
    lb_error error;
    const char *scope;
    lb_mode mode;
    lb_laid_out *laid_out; /* until the next reset or change of mode: weights may change then */
    bool backward_ran;
    uint64_t seed;
    uint32_t step;
    uint32_t random_ops; /* since the last reset */
};

/** A tensor on the tape whose values are arbitrary; poison on failure. */
lb_tensor *lb_tensor_uninitialised(lb_tape *tape, lb_shape shape);

#endif
