/* Files that others can open: safetensors and NumPy. */
#ifndef LOOKBACK_IO_H
#define LOOKBACK_IO_H

#include "lookback/tensor.h"

LB_BEGIN_DECLS

/* ---- Number formats that files use, and the way from them to the numbers that the library computes with.
 * Both file formats here are little-endian, and so must the machine be: src/io/dtype.c refuses to compile elsewhere.
 * ---- */

/** Name in safetensors, name in NumPy (without byte order; NumPy has no bfloat16), bytes of one number */
#define LB_DTYPE_LIST(X)                                                                                     \
    X(F32, "f4", 4)                                                                                          \
    X(F64, "f8", 8)                                                                                          \
    X(F16, "f2", 2)                                                                                          \
    X(BF16, "", 2)                                                                                           \
    X(I64, "i8", 8)                                                                                          \
    X(I32, "i4", 4)                                                                                          \
    X(U8, "u1", 1)                                                                                           \
    X(BOOL, "b1", 1)

/** LB_DTYPE_F32 (which is 0, the default), LB_DTYPE_F64, ... LB_DTYPE_BOOL. */
typedef enum lb_dtype {
#define LB_DTYPE_NAME(name, numpy, bytes) LB_DTYPE_##name,
    LB_DTYPE_LIST(LB_DTYPE_NAME)
#undef LB_DTYPE_NAME
#ifdef LB_REAL_IS_DOUBLE
        LB_DTYPE_REAL = LB_DTYPE_F64 /* what lb_real is */
#else
        LB_DTYPE_REAL = LB_DTYPE_F32
#endif
} lb_dtype;

/* ---- safetensors: named arrays and some text in one file that PyTorch, NumPy and many others can open.
 * Source:  https://github.com/huggingface/safetensors#format
 * Layout:  8 bytes, the length N of the header, little-endian; N bytes of JSON, a name with dtype, shape and
 *          data_offsets for each array, and under "__metadata__" a map from text to text; then the data, without gaps.
 * Ours:    a file written here carries in its metadata lookback.crc32, the CRC-32 of the whole file with
 *          these eight hexadecimal digits taken as zeros, and lookback.format, which says that the checksum must be
 *          there. Reading checks it, so that no flipped bit goes unnoticed. Files of others have none and are read
 *          without it. A program that rewrites the file must drop both keys.
 * Memory:  the header is read with cJSON, whose nodes come from malloc: its hooks belong to the whole process, hence
 *          not to a library. All else comes from lb_alloc. ---- */

/** One array of a file. */
typedef struct lb_safetensors_tensor {
    const char *name;
    lb_dtype dtype;   /* zero: LB_DTYPE_F32 */
    lb_shape shape;   /* zero: a scalar */
    const void *data; /* in a file of others perhaps unaligned: memcpy, or lb_dtype_to_real and its like */
} lb_safetensors_tensor;

/** One line of the metadata. */
typedef struct lb_safetensors_metadata {
    const char *key, *value;
} lb_safetensors_metadata;

/** Writes a file, as lb_file_write_atomic does: old or new, never torn.
 *  Order:   arrays of wider numbers come first, so that all are aligned; equal ones as given, and so is the metadata.
 *           The same arguments give the same bytes.
 *  Errors:  LB_ERROR_ARGUMENT if a name or key occurs twice, is not UTF-8, or is one that the format or the checksum
 *           needs, if a value is not UTF-8 or a shape is impossible; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_safetensors_write(const char *path, const lb_safetensors_tensor *tensors,
                                           size_t tensor_count, const lb_safetensors_metadata *metadata,
                                           size_t metadata_count, lb_error *error);

/** A file that has been read. */
typedef struct lb_safetensors lb_safetensors;

/** Reads a whole file and checks all of it: header, dtypes, shapes, names, that the data are covered exactly once, and
 *  the checksum if there is one.
 *  Memory:  closed and freed by lb_safetensors_close; NULL after an error. All that the functions below return
 *           belongs to it.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT, LB_ERROR_MEMORY. If malloc fails inside of cJSON, this looks like a
 *           header that is not JSON. */
LB_MUST_USE lb_safetensors *lb_safetensors_open(const char *path, lb_error *error);

/** Closes and frees a file. NULL is allowed. */
void lb_safetensors_close(lb_safetensors *file);

/** Number of arrays. */
size_t lb_safetensors_count(const lb_safetensors *file);

/** The array `index`, in the order in which they lie in the file; NULL if it has not so many. */
const lb_safetensors_tensor *lb_safetensors_at(const lb_safetensors *file, size_t index);

/** The array of this name, or NULL. */
const lb_safetensors_tensor *lb_safetensors_find(const lb_safetensors *file, const char *name);

/** The text under this key of the metadata, or NULL. */
const char *lb_safetensors_metadata_value(const lb_safetensors *file, const char *key);

/** Copies an array that must have this shape to `out`, converted to lb_real from whatever it is in the file.
 *  Exact:   if the file holds lb_real, bit for bit; else rounded to nearest.
 *  Errors:  LB_ERROR_FORMAT if there is no such array, LB_ERROR_SHAPE naming both shapes; `out` is untouched. */
LB_MUST_USE lb_status lb_safetensors_read(const lb_safetensors *file, const char *name, lb_shape shape,
                                          lb_real *out, lb_error *error);

/** The same for whole numbers: token ids, masks.
 *  Errors:  also LB_ERROR_FORMAT if the array holds floating-point numbers. */
LB_MUST_USE lb_status lb_safetensors_read_int64(const lb_safetensors *file, const char *name, lb_shape shape,
                                                int64_t *out, lb_error *error);

/* ---- NumPy's .npy: one array in a file.
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html ---- */

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

LB_END_DECLS

#endif
