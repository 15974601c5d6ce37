/* Dot-product attention of one row: all heads of one query over keys and values that stay where they are. Products of
 * whole matrices, as in autograd/ops/dot_attention.c, would first have to bring the keys of a decoder together. */
#ifndef LB_ROW_ATTENTION_H
#define LB_ROW_ATTENTION_H

#include "tensor/kernel.h"

#include <stdint.h>

/** What one query attends to. */
typedef struct lb_attended_row {
    int64_t count;               /* keys */
    int64_t heads, kv_heads;     /* query head h reads head h / (heads / kv_heads) of the keys */
    int64_t width, depth;        /* of a key and a value in one head */
    const lb_real *const *entry; /* [count]: where the numbers [kv_heads * width] of each key are */
    int64_t values_at;           /* where those of its value [kv_heads * depth] begin after that */
    lb_real scale, softcap;      /* softcap 0: none */
    lb_normalizer normalizer;    /* of the weights */
    const lb_real *bias;         /* [heads] of [count], `bias_stride` apart; NULL: none */
    int64_t bias_stride;
} lb_attended_row;

/** The numbers of working memory for each head: the keys, in whole vectors. */
int64_t lb_attend_row_room(int64_t count);

/** Attends, in the order of lb_attend_dot_with: scale, softcap, bias, normaliser.
 *  Shapes: query [heads * width], work [heads, lb_attend_row_room(count)], which receives the weights of each head ->
 *          context [heads * depth]. Without keys, the context is 0. */
void lb_attend_row(const lb_attended_row *to, const lb_real *query, lb_real *work, lb_real *context);

#endif
