/* Shared by the passes of lb_attention_gru_sequence (ops/attention_gru.c): a run of the op with named operands, and the
 * traces that forward saves for backward, one per row of the batch and step, at row * steps + t:
 *
 *     0      H      2H     3H     4H         5H        5H + width          H = hidden
 *     +------+------+------+------+----------+---------+
 *     |  r   |  z   |  n   | h_n  | previous |  query  |                   after forward
 *     +------+------+------+------+----------+---------+
 *     | dx_r | dx_z | dx_n | dh_n | previous |  query  |                   after backward
 *     +------+------+------+------+----------+---------+
 *     '-------- tensor/cell_kernel.h --------'
 *
 * where previous = h_(t-1) and query = W_query previous. If possible, backward writes dx directly to the gradient of x
 * (lb_gru_gradient). */
#ifndef LB_ATTENTION_GRU_H
#define LB_ATTENTION_GRU_H

#include "autograd/fused/recurrence.h"
#include "tensor/attention_kernel.h"
#include "tensor/cell_kernel.h"

/* ---- e^2k of the keys of an op (tensor/attention_kernel.h), for each number k of a key. It is computed row by row of
 * the batch, when the thread of the row first needs it. A row with a key outside its range has none. ---- */

typedef struct lb_key_exp2x lb_key_exp2x;

/** Memory for the exponentials of keys [batch, keys, width], until lb_tape_reset. If there is none, records the error
 *  and returns NULL. */
lb_key_exp2x *lb_key_exp2x_new(const lb_node *node, const lb_tensor *keys);

/** The same, kept by the tape for all ops with these keys. NULL for the first op, because a single op would not recover
 *  their cost, and unless the tape is in LB_MODE_EVALUATE. */
lb_key_exp2x *lb_key_exp2x_kept(const lb_node *node, const lb_tensor *keys);

/** The exponentials of one row of the batch, [keys, width]; NULL if it has none, or if `exp2k` is NULL. Two threads
 *  must not ask for the same row at once. */
const lb_real *lb_key_exp2x_of_row(lb_key_exp2x *exp2k, int64_t row);

/* ---- The op. ---- */

/** Indices of the operands and outputs in a node. */
enum {
    LB_AGRU_X,
    LB_AGRU_INITIAL,
    LB_AGRU_KEYS,
    LB_AGRU_VALUES,
    LB_AGRU_MASK,
    LB_AGRU_WEIGHT_QUERY,
    LB_AGRU_V,
    LB_AGRU_WEIGHT_CONTEXT,
    LB_AGRU_WEIGHT_HH,
    LB_AGRU_BIAS_HH,
};
enum { LB_AGRU_OUTPUTS, LB_AGRU_CONTEXTS, LB_AGRU_WEIGHTS, LB_AGRU_FINAL };

typedef struct lb_attention_gru_attributes {
    lb_gru_attributes gru; /* comes first */
    lb_normalizer normalizer;
} lb_attention_gru_attributes;

/** A run of the op, and its sizes. */
typedef struct lb_attention_gru_run {
    const lb_node *node;
    lb_attention_gru_operands in; /* the tensors; tokens and lengths are in `x` */
    lb_tensor *outputs, *contexts, *weights, *final;
    lb_gru_input x;
    int64_t batch, steps, hidden, keys, width, depth;
    int64_t context_column; /* the first column of weight_context that multiplies a context */
    lb_key_exp2x *exp2k;    /* NULL: it is not used */
} lb_attention_gru_run;

/** The run of a node: without outputs before they are allocated, and without exp2k, which the passes add. */
lb_attention_gru_run lb_attention_gru_run_of(const lb_node *node);

/** What row `row` of the batch attends to. `exp2q` [width] is working memory; NULL if the run has no exp2k. */
lb_attended lb_attention_gru_attended(const lb_attention_gru_run *run, int64_t row, lb_real *exp2q);

/** The team of both passes. */
lb_grid lb_attention_gru_grid(const lb_attention_gru_run *run);

static inline int64_t lb_attention_gru_trace_size(const lb_attention_gru_run *run)
{
    return LB_GRU_SAVED * run->hidden + run->width;
}

/** The parts of a trace, and the distance to those of the next one. */
typedef struct lb_attention_gru_traces {
    lb_real *gates;    /* r, z, n, h_n, previous: what lb_gru_gates saves */
    lb_real *previous; /* the last of these */
    lb_real *query;
    int64_t stride;
} lb_attention_gru_traces;

/** Every `step`-th trace, starting at `first`. */
static inline lb_attention_gru_traces lb_attention_gru_traces_from(const lb_attention_gru_run *run,
                                                                   lb_real *first, int64_t step)
{
    return (lb_attention_gru_traces){.gates = first,
                                     .previous = first + LB_GRU_SAVED_PREVIOUS * run->hidden,
                                     .query = first + LB_GRU_SAVED * run->hidden,
                                     .stride = step * lb_attention_gru_trace_size(run)};
}

/** node->saved: the data that forward keeps for backward. */
typedef struct lb_attention_gru_saved {
    lb_real *traces;     /* [batch, steps, trace_size] */
    lb_key_exp2x *exp2k; /* NULL: it is not used */
} lb_attention_gru_saved;

/** The passes, for the descriptor of the op. */
lb_status lb_attention_gru_forward(lb_node *node);
int64_t lb_attention_gru_backward_work(const lb_node *node);
void lb_attention_gru_backward(lb_node *node);

/** The operands of a run of the op, by their names. */
static inline lb_attention_gru_operands lb_attention_gru_operands_of(lb_tensor *const *in)
{
    return (lb_attention_gru_operands){.x = in[LB_AGRU_X],
                                       .initial = in[LB_AGRU_INITIAL],
                                       .keys = in[LB_AGRU_KEYS],
                                       .values = in[LB_AGRU_VALUES],
                                       .mask = in[LB_AGRU_MASK],
                                       .weight_query = in[LB_AGRU_WEIGHT_QUERY],
                                       .v = in[LB_AGRU_V],
                                       .weight_context = in[LB_AGRU_WEIGHT_CONTEXT],
                                       .weight_hh = in[LB_AGRU_WEIGHT_HH],
                                       .bias_hh = in[LB_AGRU_BIAS_HH]};
}

#endif
