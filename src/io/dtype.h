/* Number formats that files use, and the way from them to the numbers that the library computes with.
 * Both file formats here are little-endian, and so must the machine be: src/io/dtype.c refuses to compile elsewhere. */
#ifndef LB_DTYPE_H
#define LB_DTYPE_H

#include "lookback/io.h"
#include "lookback/tensor.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "F32", "BF16": the name in a safetensors header. */
const char *lb_dtype_name(lb_dtype dtype);

/** "f4", "i8": the name in a .npy header, without the byte order; "" where NumPy has no such type. */
const char *lb_dtype_numpy_name(lb_dtype dtype);

/** Bytes of one number. */
size_t lb_dtype_size(lb_dtype dtype);

/** True for whole numbers and truth values. */
bool lb_dtype_is_whole(lb_dtype dtype);

/** The numbers at `bytes` (of any alignment) as doubles. I64 beyond 2^53 is rounded, all else is exact. */
void lb_dtype_to_double(lb_dtype dtype, const void *bytes, size_t count, double *out);

/** The numbers at `bytes` (of any alignment) as lb_real, rounded to nearest; the same bits if they are
 *  LB_DTYPE_REAL. */
void lb_dtype_to_real(lb_dtype dtype, const void *bytes, size_t count, lb_real *out);

/** The numbers at `bytes` (of any alignment) as int64_t; lb_dtype_is_whole must hold. A truth value is 0 or 1. */
void lb_dtype_to_int64(lb_dtype dtype, const void *bytes, size_t count, int64_t *out);

#endif
