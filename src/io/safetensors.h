/* safetensors: named arrays and some text in one file that PyTorch, NumPy and many others can open.
 * Source:  https://github.com/huggingface/safetensors#format
 * Layout:  8 bytes, the length N of the header, little-endian; N bytes of JSON, a name with dtype, shape and
 *          data_offsets for each array, and under "__metadata__" a map from text to text; then the data, without gaps.
 * Ours:    a file written here carries in its metadata lookback.crc32, the CRC-32 of the whole file with
 *          these eight hexadecimal digits taken as zeros, and lookback.format, which says that the checksum must be
 *          there. Reading checks it, so that no flipped bit goes unnoticed. Files of others have none and are read
 *          without it. A program that rewrites the file must drop both keys.
 * Memory:  the header is read with cJSON, whose nodes come from malloc: its hooks belong to the whole process, hence not
 *          to a library. All else comes from lb_alloc. */
#ifndef LB_SAFETENSORS_H
#define LB_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "io/dtype.h"
#include "tensor/real.h"
#include "tensor/shape.h"
#include "tensor/status.h"

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
 *  Memory:  `*file` is the caller's, for lb_safetensors_free; NULL after an error. All that the functions below
 *           return belongs to it.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT, LB_ERROR_MEMORY. If malloc fails inside of cJSON, this looks like a
 *           header that is not JSON. */
LB_MUST_USE lb_status lb_safetensors_open(const char *path, lb_safetensors **file, lb_error *error);

/** Frees a file. NULL is allowed. */
void lb_safetensors_free(lb_safetensors *file);

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

#endif
