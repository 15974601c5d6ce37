/* Exercise 5: several heads. Read docs/lessons/05_multi_head.md first, then work here. `./run check 5` checks both
 * parts, and `git checkout exercises/05_multi_head.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

enum { MOST_HEADS = 8 };

/* Yours to write: attention with several heads, from attention with one.
 *
 *   query [batch, queries, embed], key and value [batch, keys, embed] -> output [batch, queries, embed]
 *
 * A head is a range of columns: of 8 columns and two heads, the first head has columns 0 to 3 of query, key and value,
 * and the second has columns 4 to 7. Each head attends on its own, with the scale of its own width. The outputs of the
 * heads are joined in order, next to each other. There are at most MOST_HEADS heads. You may use
 *
 *   lb_slice(x, 2, first, count)                           columns first, first + 1, ... of x
 *   lb_attend_dot(q, k, v, NULL, NULL, 1, scale, 0)        one head
 *   lb_concat(tensors, count, 2)                           tensors joined column by column
 */
lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads)
{
    return NULL;
}

/* To mend: the same vectors, cut into heads.
 *
 *   x [batch, length, embed] -> [batch, heads, length, embed / heads], where head h has columns h * (embed / heads) and
 *   following of every vector */
lb_tensor *split_heads(lb_tensor *x, int heads)
{
    int64_t batch = lb_dim(x, 0), length = lb_dim(x, 1), width = lb_dim(x, 2) / heads;
    return lb_reshape(x, LB_SHAPE(batch, heads, length, width));
}
