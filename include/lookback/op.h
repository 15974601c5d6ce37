/* For authors of custom ops, modules and models. It is not part of lookback.h, because using models does not need
 * it. */
#ifndef LOOKBACK_OP_H
#define LOOKBACK_OP_H

#include "lookback/autograd.h"

LB_BEGIN_DECLS

/** Records an error, prefixed with the names of the running modules. Returns the poison tensor of the tape, so that an
 *  op can `return lb_tape_fail(...)`. */
lb_tensor *lb_tape_fail(lb_tape *tape, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Memory that lives until lb_tape_reset, aligned to 64 bytes. If there is none, records the error and returns NULL. */
void *lb_tape_alloc(lb_tape *tape, size_t bytes);

/** Tells the watcher of the tape that a model has come to a point, and returns the value to go on with. For
 *  custom kinds of models and attention.
 *  Name:   it follows that of the part of the model, as in docs/points.md. Head: -1 if the point has none.
 *  Errors: LB_ERROR_SHAPE if the watcher replaces the value by one of another shape. */
lb_tensor *lb_announce(lb_tensor *value, const char *name, int64_t head);

/* ---- Ops. The descriptor of an op, in one file of ops/, holds everything that the engine and the reference page know
 * about it. CONTRIBUTING.md shows how to add one. ---- */

enum { LB_MAX_INPUTS = 10, LB_MAX_OUTPUTS = 4 };

typedef struct lb_node lb_node;
typedef struct lb_op lb_op;

/** One run of an op. */
struct lb_node {
    const lb_op *op;
    lb_tape *tape;
    lb_tensor *in[LB_MAX_INPUTS]; /* NULL: an optional operand that was omitted */
    lb_tensor *out[LB_MAX_OUTPUTS];
    int inputs;
    const void *attributes; /* a copy of the struct passed to lb_op_apply */
    void *saved;            /* anything that forward keeps for backward */
    lb_real *work;          /* during backward: the memory that the op requested with `work` */
    unsigned sets;          /* see lb_op_sets; valid when `work` is called */
    unsigned clears;        /* gradients to be cleared before `backward`, of operands, then of outputs */
    bool records;           /* whether backward can reach this node */
    const char *scope;      /* the module that ran it, for messages; NULL: none */
    lb_node *previous;
};

/** The descriptor of an op. It must be static and constant: nodes point to it. */
struct lb_op {
    const char *name;       /* without "lb_" */
    const char *operands;   /* their names in order; ? marks an optional one: x weight bias? */
    const char *formula;    /* y = ... */
    const char *derivative; /* dx += ... */
    int outputs;            /* 0 means 1 */
    /** Sets out[...]. If shapes do not match, calls lb_op_fail and returns its value. */
    lb_status (*shape)(const lb_node *node, lb_shape *out);
    /** Computes the values of all outputs. Returns LB_OK or the status of the error. */
    lb_status (*forward)(lb_node *node);
    /** The amount of working memory for backward, in numbers; NULL: none. It is allocated, with any content, before the
     *  first gradient is written, so that a backward pass that has started cannot run out of memory. */
    int64_t (*work)(const lb_node *node);
    /** The operands, as bits 1 << i, whose gradient backward can set instead of adding to it. */
    unsigned can_set;
    /** Whether `saved` is an array for the gradient of operand 0 up to a factor. Backward must then be able to set the
     *  gradient in place: it may be that array, so that it has no memory of its own. */
    bool saves_slope;
    /** Adds to in[i]->grad for each operand with lb_wants_grad, or sets it if lb_op_sets is true. The gradients of all
     *  outputs are complete. NULL: lb_backward refuses where one is wanted. */
    void (*backward)(lb_node *node);
};

/** Runs an op: checks the operands, allocates the outputs on their tape, computes, and records the op. `attributes`
 *  (`size` bytes, copied) are private to the op. Returns the first output; poison if an operand is missing or poison,
 *  if no operand is on a tape, if the descriptor lacks something, or after any other error. */
lb_tensor *lb_op_apply(const lb_op *op, lb_tensor *const *in, int inputs, const void *attributes,
                       size_t size);

/** lb_op_apply(&op, LB_INPUTS(a, b), NULL, 0) */
#ifdef __cplusplus
#    define LB_INPUTS(...)                                                                                   \
        std::initializer_list<lb_tensor *>{__VA_ARGS__}.begin(),                                             \
            static_cast<int>(sizeof(lb_inputs_counted({__VA_ARGS__})))
#else
#    define LB_INPUTS(...)                                                                                   \
        (lb_tensor *const[]){__VA_ARGS__},                                                                   \
            (int)(sizeof((lb_tensor *const[]){__VA_ARGS__}) / sizeof(lb_tensor *))
#endif

/** The number of elements of a static array. */
#define LB_LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/** Whether backward must add to the gradient of this operand. False for an operand that was omitted. */
bool lb_wants_grad(const lb_tensor *operand);

/** Whether backward must set the gradient of operand `i` instead of adding to it. This is the case if it is the first
 *  contribution to the gradient, which has then not been zeroed. Only for operands in the `can_set` of the op. */
static inline bool lb_op_sets(const lb_node *node, int i)
{
    return node->sets >> i & 1;
}

/** `count` numbers of the gradient of operand `i`, starting at `first`, ready for adding: all zero if lb_op_sets is
 *  true. With it, an op that goes through a gradient once, part by part, can set it. */
lb_real *lb_op_begin_grad(const lb_node *node, int i, int64_t first, int64_t count);

/** Adds `grad` to the gradient of the operand, if lb_wants_grad. */
void lb_op_add_grad(lb_tensor *operand, const lb_real *grad);

/** lb_op_add_grad for an operand in the `can_set` of the op: sets the gradient if lb_op_sets is true. */
void lb_op_give_grad(const lb_node *node, int i, const lb_real *grad);

/** Records `lb_<op>: <message>` as an error of shape or argument, and returns the status. */
lb_status lb_op_fail(const lb_node *node, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Memory for node->saved or for one call of forward. It lives until lb_tape_reset. */
lb_real *lb_op_reals(const lb_node *node, int64_t count);

/** Zeroed lb_op_reals. */
lb_real *lb_op_zeros(const lb_node *node, int64_t count);

/** The random numbers of this run of an op. Two runs in a step get different ones. Noise belongs to LB_MODE_TRAIN
 *  alone. */
lb_rng lb_op_rng(const lb_node *node);

LB_END_DECLS

#ifdef __cplusplus
#    include <initializer_list>

/* Never called: sizeof its result is the number of inputs, without evaluating them twice. */
template <size_t count> char (&lb_inputs_counted(lb_tensor *const (&inputs)[count]))[count];
#endif

#endif
