/* Several arrays in one block of memory. The same code computes the size of the block and divides it, so that sizes and
 * order are in one place. */
#ifndef LB_PARTS_H
#define LB_PARTS_H

#include "tensor/real.h"

#include <stddef.h>
#include <stdint.h>

typedef struct lb_parts {
    lb_real *block; /* NULL: parts are only counted */
    int64_t count;  /* numbers in the parts so far */
} lb_parts;

/** The next part, of `count` numbers; NULL without a block. */
static inline lb_real *lb_parts_next(lb_parts *parts, int64_t count)
{
    lb_real *part = parts->block ? parts->block + parts->count : NULL;
    parts->count += count;
    return part;
}

/** The next part, of `count` numbers of double precision. The block starts at a multiple of their size. */
static inline double *lb_parts_next_doubles(lb_parts *parts, int64_t count)
{
    while ((size_t)parts->count * sizeof(lb_real) % sizeof(double)) parts->count++;
    return (double *)(void *)lb_parts_next(parts,
                                           (int64_t)((size_t)count * sizeof(double) / sizeof(lb_real)));
}

#endif
