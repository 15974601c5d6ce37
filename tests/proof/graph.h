/* Random programs of ops. A graph takes its decisions from its seed only, never from values, so that it can be built
 * again and again for differences. This file is compiled in both precisions, which share a program. */
#ifndef PROOF_GRAPH_H
#define PROOF_GRAPH_H

#include "proof/campaign.h"

#include <lookback/autograd.h>
#include <lookback/op.h>

#ifdef LB_REAL_IS_DOUBLE
#    define proof_graph_init    proof_graph_init_f64
#    define proof_graph_free    proof_graph_free_f64
#    define proof_graph_build   proof_graph_build_f64
#    define proof_length        proof_length_f64
#    define proof_operand       proof_operand_f64
#    define proof_positive      proof_positive_f64
#    define proof_mask          proof_mask_f64
#    define proof_tokens        proof_tokens_f64
#    define proof_spoils        proof_spoils_f64
#    define proof_constant      proof_constant_f64
#    define proof_random_shape  proof_random_shape_f64
#    define proof_broadcasting  proof_broadcasting_f64
#    define proof_random_axis   proof_random_axis_f64
#    define proof_chance        proof_chance_f64
#    define proof_some_tokens   proof_some_tokens_f64
#    define proof_elements      proof_elements_f64
#    define proof_rows          proof_rows_f64
#    define proof_products      proof_products_f64
#    define proof_losses        proof_losses_f64
#    define proof_attention     proof_attention_f64
#    define proof_recurrent     proof_recurrent_f64
#    define proof_in_one_row    proof_in_one_row_f64
#    define proof_check_results proof_check_results_f64
#    define proof_try_values    proof_try_values_f64
#    define proof_try_gradients proof_try_gradients_f64
#    define proof_begin_graphs  proof_begin_graphs_f64
#endif

enum { PROOF_LEAVES = 24, PROOF_RESULTS = 64, PROOF_WHY = 400 };

typedef enum proof_sort {
    PROOF_SMOOTH,   /* small shapes and values where differences are precise */
    PROOF_ORDINARY, /* any shapes; some operands do not match */
    PROOF_EXTREME   /* the same with infinities, NaN, and the largest and smallest numbers */
} proof_sort;

typedef struct proof_graph {
    proof_sort sort;
    uint64_t seed;
    proof_dice dice;
    lb_tape *tape;
    lb_tensor *leaf[PROOF_LEAVES]; /* made by the first build; later ones use them again, in the same order */
    int leaves, used;
    lb_tensor *pool[2 * PROOF_RESULTS]; /* operands of later ops */
    int pooled;
    lb_tensor *result[PROOF_RESULTS]; /* first outputs of the ops */
    bool random[PROOF_RESULTS];       /* whether it drops something, which its reference may not */
    int results;
    bool spoilt;         /* the op that is being made has an operand that may not match */
    bool drops;          /* it drops something */
    char why[PROOF_WHY]; /* the first fault; "" if there is none */
} proof_graph;

/** Makes an op with random operands. `grows`: its values may be much larger than those of its operands. */
typedef struct proof_maker {
    const char *name; /* in messages */
    lb_tensor *(*make)(proof_graph *g);
    bool grows;
} proof_maker;

/** The makers of one file, graph_<family>.c. */
typedef struct proof_family {
    const proof_maker *maker; /* [count] */
    int count;
} proof_family;

extern const proof_family proof_elements, proof_rows, proof_products, proof_losses, proof_attention,
    proof_recurrent;

void proof_graph_init(proof_graph *g, proof_sort sort, uint64_t seed);
void proof_graph_free(proof_graph *g);

/** Builds the graph on the tape; all of its results are sound. `g->why` says if something went wrong. */
void proof_graph_build(proof_graph *g, lb_tape *tape);

/** The length of an axis: also 0 and 1. */
int64_t proof_length(proof_graph *g);

/** True half of the time. */
bool proof_chance(proof_graph *g);

/** `least` to `most` axes; often the shape of an earlier result, so that ops follow on each other. */
lb_shape proof_random_shape(proof_graph *g, int least, int most);

/** A shape that broadcasts to this one. */
lb_shape proof_broadcasting(proof_graph *g, lb_shape whole);

/** An axis of a tensor with `ndim` axes, also counted from the end. It may be spoilt: beyond them. */
int proof_random_axis(proof_graph *g, int ndim);

/** An operand of this shape: an earlier result, perhaps one that is used already, or a leaf. It may be spoilt: of
 *  another shape, or NULL. */
lb_tensor *proof_operand(proof_graph *g, lb_shape shape);

/** A leaf; of a smooth graph, its values are far from zero and positive. */
lb_tensor *proof_positive(proof_graph *g, lb_shape shape);

/** A mask of zeros and ones; or NULL. */
lb_tensor *proof_mask(proof_graph *g, lb_shape shape);

/** Numbers from 0 to 1 without a gradient: an operand that gets none, such as the weights of classes. */
lb_tensor *proof_constant(proof_graph *g, lb_shape shape);

/** Random ids below `count`, with random lengths. */
lb_tokens proof_tokens(proof_graph *g, int64_t batch, int64_t length, int64_t count);

/** The same, of random sizes. */
lb_tokens proof_some_tokens(proof_graph *g, int64_t count);

/** True rarely, and never in smooth graphs: then the caller makes its op wrong in some way. */
bool proof_spoils(proof_graph *g);

/** All results in one row. */
lb_tensor *proof_in_one_row(const proof_graph *g);

/** Compares the results with their references. */
void proof_check_results(const proof_graph *g, char why[PROOF_WHY]);

/** One trial each. False, with the reason in `why`, if something is wrong. */
bool proof_try_values(uint64_t seed, char why[PROOF_WHY]);
bool proof_try_gradients(uint64_t seed, char why[PROOF_WHY]);
/** Before the first trial of a process. */
void proof_begin_graphs(void);

#endif
