/* Additive attention before each step of a recurrent layer, in small steps: for cells and kinds of attention without a
 * fused op. */
#ifndef LB_STEPWISE_H
#define LB_STEPWISE_H

#include "models/recall.h"

/** A layer of a decoder that attends with its state before each step and reads the context with the token. */
typedef struct lb_stepwise {
    const lb_additive_attention *attention;
    const lb_recall *recall; /* what the attention knows of the steps before; NULL: nothing */
    const lb_recurrent_cell *cell;
    const lb_attended_memory *memory;
} lb_stepwise;

/** What it leaves behind. */
typedef struct lb_stepwise_result {
    lb_tensor *outputs;      /* [batch, T, hidden] */
    lb_tensor *final;        /* the state at the end of each row, as that of the cell */
    lb_tensor *past;         /* as lb_attended_memory.past */
    lb_attended_result seen; /* contexts [batch, T, depth], weights [batch, 1, T, S] */
} lb_stepwise_result;

/** Runs a layer. With a GRU and without `recall`, it computes what lb_attention_gru_sequence does.
 *  Shapes: gates [batch, T, gates hidden], the part of the tokens; lengths [batch] or NULL; state as that of the cell.
 *  Errors: as the ops; all results are then poison. */
lb_stepwise_result lb_stepwise_attend(const lb_stepwise *layer, lb_tensor *gates, const int32_t *lengths,
                                      lb_tensor *state);

#endif
