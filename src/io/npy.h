/* NumPy's .npy: one array in a file.
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef LB_NPY_H
#define LB_NPY_H

#include "io/dtype.h"
#include "tensor/shape.h"
#include "tensor/status.h"

/** Reads an array as doubles, the last dimension fastest, whichever order the file has.
 *  Reads:   versions 1, 2 and 3; little-endian f2, f4, f8, i4, i8, and u1, b1. I64 beyond 2^53 is rounded.
 *  Memory:  `*values` is the caller's, for lb_release; NULL after an error.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT (also for other dtypes, more than LB_MAX_DIMS dimensions, and bytes
 *           missing or left over), LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_npy_read(const char *path, lb_shape *shape, double **values, lb_error *error);

/** Writes an array as LB_DTYPE_F32 (each value rounded to nearest) or LB_DTYPE_F64 (exact), version 1, in C order; old
 *  or new, never torn.
 *  Errors:  LB_ERROR_ARGUMENT for another dtype or an impossible shape, LB_ERROR_MEMORY, LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_npy_write(const char *path, lb_dtype dtype, lb_shape shape, const double *values,
                                   lb_error *error);

#endif
