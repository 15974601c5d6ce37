/* Dot-product attention without its products: what fits together, where the numbers of a head are, which keys a query
 * reaches, and rows of scores as weights. ops/dot_attention.c has the op. */
#ifndef LB_DOT_ATTENTION_H
#define LB_DOT_ATTENTION_H

#include "autograd/op.h"

enum { LB_DOT_QUERY, LB_DOT_KEYS, LB_DOT_VALUES, LB_DOT_MASK, LB_DOT_BIAS };
enum { LB_DOT_CONTEXT, LB_DOT_WEIGHTS };

/** Attributes of attention whose query, keys and values may be columns of one tensor. */
typedef struct lb_dot_attributes {
    lb_dot_options options;
    int64_t width; /* of a head, if some are; 0: there are three tensors */
} lb_dot_attributes;

/** The options of the op, with the numbers of heads that its operands have. */
static inline const lb_dot_options *lb_dot_options_of(const lb_node *node)
{
    return &((const lb_dot_attributes *)node->attributes)->options;
}

/** The operand with the query, the keys or the values: those that were left out are in the one before them. */
static inline int lb_dot_holder(const lb_node *node, int which)
{
    while (!node->in[which]) which--;
    return which;
}

/** The rule for shapes: of context and weights. */
lb_status lb_dot_shapes(const lb_node *node, lb_shape *out);

/** The matrix [length, width] of one head in an operand or a result. */
typedef struct lb_dot_part {
    int64_t length, width;
    int64_t at, row;      /* where it starts in the tensor, and how far apart its rows are */
    lb_real *data, *grad; /* from there on; no gradient: NULL */
} lb_dot_part;

/** One head of one row of the batch. */
typedef struct lb_dot_head {
    lb_dot_part query, keys, values, context;
    int64_t weights_at;
} lb_dot_head;

/** Head `index` of batch times heads. Several of them read the same keys and values if there are fewer heads of
 *  those. */
lb_dot_head lb_dot_head_of(const lb_node *node, int64_t index);

/** Batch times heads, and how many of them, one after the other, share keys and values. */
int64_t lb_dot_head_count(const lb_node *node);
int64_t lb_dot_group(const lb_node *node);

/** The part of a mask or bias that covers a head: key `k` of query `i` has the number data[at + i * row + k * step],
 *  where `row` is 0 if one row covers all queries, and `step` if one number covers all keys. */
typedef struct lb_dot_cover {
    const lb_real *data; /* NULL: there is none */
    int64_t at, row, step;
} lb_dot_cover;

lb_dot_cover lb_dot_cover_of(const lb_node *node, int which, int64_t index);

/* ---- Rows of scores: to weights, and back. ---- */

/** Some rows of the scores of a head. A row has room for `stride` numbers; those behind the keys become zeros, so that
 *  kernels work on whole vectors. */
typedef struct lb_dot_rows {
    int64_t first, count, keys, stride;
    lb_real *probabilities; /* before dropout */
    lb_real *weights;       /* after it; the same numbers without it */
    lb_real *slopes;        /* of the softcap; NULL: nobody needs them */
} lb_dot_rows;

/** Turns products of queries and keys in `probabilities`, in place, into probabilities, and sets `slopes`. A row with
 *  nothing to attend to becomes zeros. */
void lb_dot_weigh(const lb_node *node, int64_t index, const lb_dot_rows *rows);

/** Turns the gradient `d` of the weights, in place, into that of the products. `dbias` [count, keys] receives that of
 *  the bias, unless it is NULL. */
void lb_dot_weigh_backward(const lb_node *node, const lb_dot_rows *rows, lb_real *d, lb_real *dbias);

#endif
