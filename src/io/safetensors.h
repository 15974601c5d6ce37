/* Arrays in files: the formats of their numbers, the order of bytes, which is little-endian on every machine, and what
 * the reader and the writer of safetensors share. */
#ifndef LB_SAFETENSORS_H
#define LB_SAFETENSORS_H

#include "lookback/io.h"
#include "lookback/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) ||                                                                              \
    (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#    error "the order of bytes on this machine is unknown"
#endif

/** True if numbers in memory have another order than in files. */
static const bool lb_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/** Changes `count` numbers of `width` bytes from the order of the machine to that of files, or back, in place. They may
 *  be unaligned. A little-endian machine has nothing to change. */
void lb_file_order(void *numbers, size_t count, size_t width);

/** The unsigned integer in the first `width` bytes (at most 8) of a file's text. */
uint64_t lb_file_integer(const unsigned char *bytes, size_t width);

/** Whether there is such a format: a caller may pass any number. The other functions take only these. */
bool lb_dtype_exists(lb_dtype dtype);

/** "F32", "BF16": the name in a safetensors header. */
const char *lb_dtype_name(lb_dtype dtype);

/** "f4", "i8": the name in a .npy header, without the byte order; "" if NumPy has no such type. */
const char *lb_dtype_numpy_name(lb_dtype dtype);

/** Bytes of one number. */
size_t lb_dtype_size(lb_dtype dtype);

/** Finds the format whose name, by lb_dtype_name or lb_dtype_numpy_name, is `name`. False if there is none. */
bool lb_dtype_find(const char *name, const char *(*name_of)(lb_dtype), lb_dtype *dtype);

/** The numbers at `bytes` (of any alignment) as doubles, a Boolean as 0 or 1. I64 beyond 2^53 is rounded; everything
 *  else is exact. */
void lb_dtype_to_double(lb_dtype dtype, const void *bytes, size_t count, double *out);

/** The numbers at `bytes` (of any alignment) as lb_real, rounded to nearest; the same bits if they are
 *  LB_DTYPE_REAL. */
void lb_dtype_to_real(lb_dtype dtype, const void *bytes, size_t count, lb_real *out);

/* ---- safetensors_reader.c ---- */

#define LB_SAFETENSORS_METADATA     "__metadata__"
#define LB_SAFETENSORS_CHECKSUM_KEY "lookback.crc32"
/* A second key, so that a flipped bit in the name of the first one cannot hide the checksum. */
#define LB_SAFETENSORS_FORMAT_KEY "lookback.format"

/* The start of our headers. It keeps the digits of the checksum at a fixed position. */
#define LB_SAFETENSORS_PREFIX "{\"" LB_SAFETENSORS_METADATA "\":{\"" LB_SAFETENSORS_CHECKSUM_KEY "\":\""
#define LB_SAFETENSORS_DIGITS "00000000"

enum {
    LB_SAFETENSORS_LENGTH_BYTES = 8,
    LB_SAFETENSORS_DIGITS_AT = LB_SAFETENSORS_LENGTH_BYTES + sizeof LB_SAFETENSORS_PREFIX - 1,
    LB_SAFETENSORS_DIGIT_COUNT = sizeof LB_SAFETENSORS_DIGITS - 1,
    LB_SAFETENSORS_MAX_HEADER = 100000000 /* the limit of the reference implementation */
};

/** Finds the array with this name, which must have this shape. `tensor` may be NULL.
 *  Errors: LB_ERROR_FORMAT if there is none; LB_ERROR_SHAPE. */
LB_MUST_USE lb_status lb_safetensors_expect(const lb_safetensors *file, const char *name, lb_shape shape,
                                            const lb_safetensors_tensor **tensor, lb_error *error);

/** Bytes of the data of an array. */
size_t lb_safetensors_bytes(const lb_safetensors_tensor *tensor);

/* ---- safetensors_reader.c ---- */

/** The array with this name, or NULL. */
const lb_safetensors_tensor *lb_safetensors_find(const lb_safetensors *file, const char *name);

/** Copies an array with this shape to `out`, converted to lb_real.
 *  Exact:   bit for bit if the file holds lb_real, else rounded to nearest.
 *  Errors:  LB_ERROR_FORMAT if there is no such array, LB_ERROR_SHAPE, with both shapes, if it has another shape; `out`
 *           is then unchanged. */
LB_MUST_USE lb_status lb_safetensors_read(const lb_safetensors *file, const char *name, lb_shape shape,
                                          lb_real *out, lb_error *error);

#endif
