/* The GRU: a cell, and whole sequences of any number of layers and one or two directions. */
#ifndef LB_GRU_H
#define LB_GRU_H

#include "nn/embedding.h"

/** Weights of one layer in one direction, gates in the order r, z, n. */
typedef struct lb_gru_cell {
    const char *name;
    lb_tensor *weight_ih; /* [3 hidden, input] */
    lb_tensor *weight_hh; /* [3 hidden, hidden] */
    lb_tensor *bias_ih;   /* [3 hidden] */
    lb_tensor *bias_hh;   /* [3 hidden] */
} lb_gru_cell;

/** Adds NAME.weight_ih, weight_hh, bias_ih and bias_hh, each with `suffix` ("" or "_l0"), uniform within
 *  1 / sqrt(hidden) as nn.GRU starts them. Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_gru_cell_init(lb_gru_cell *cell, lb_params *params, const char *name, const char *suffix,
                           int64_t input, int64_t hidden);

/** One step. Shapes: x [batch, input], state [batch, hidden] -> the next state. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_gru_cell_forward(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state);

typedef struct lb_gru_config {
    int64_t input, hidden;
    int layers; /* 0 means 1 */
    bool bidirectional;
    lb_real dropout; /* on what passes from one layer to the next */
} lb_gru_config;

typedef struct lb_gru {
    const char *name;
    lb_gru_config config;
    int directions;    /* 1 or 2 */
    lb_gru_cell *cell; /* [layers * directions]: layer 0 forward, layer 0 backward, layer 1 forward, ... */
} lb_gru;

/** Adds the weights under PyTorch's names, NAME.weight_ih_l0, NAME.weight_ih_l0_reverse and so on.
 *  Errors: LB_ERROR_ARGUMENT for a negative number of layers; those of lb_params_add. Recorded in `params`. */
lb_status lb_gru_init(lb_gru *gru, lb_params *params, const char *name, lb_gru_config config);

typedef struct lb_gru_result {
    lb_tensor *outputs; /* [batch, time, directions * hidden], zero behind a row's end */
    lb_tensor **final;  /* [layers * directions] of [batch, hidden]: PyTorch's h_n */
} lb_gru_result;

/** Runs over a padded batch.
 *  Shapes:  x [batch, time, input]; initial: layers * directions tensors [batch, hidden], or NULL for zeros.
 *  Lengths: [batch], alive until lb_tape_reset; NULL if all rows are full.
 *  Errors:  LB_ERROR_SHAPE, LB_ERROR_ARGUMENT; then the outputs are poison and so is every final state. If x is on no
 *           tape, or memory is out, `final` is NULL. */
lb_gru_result lb_gru_forward(const lb_gru *gru, lb_tensor *x, lb_tensor *const *initial,
                             const int32_t *lengths);

/** The same on tokens: lb_gru_forward on their embedding, but the first layer reads its input from a table where that
 *  costs less. Errors: also LB_ERROR_INDEX. */
lb_gru_result lb_gru_forward_tokens(const lb_gru *gru, const lb_embedding *embedding, lb_tokens tokens,
                                    lb_tensor *const *initial);

#endif
