/* File formats that other tools can open: safetensors and NumPy. */
#ifndef LOOKBACK_IO_H
#define LOOKBACK_IO_H

#include "lookback/tensor.h"

LB_BEGIN_DECLS

/* ---- Number formats of files. Both file formats are little-endian. On a big-endian machine, reading and writing swap
 * the bytes: numbers in memory always have the order of the machine. ---- */

/** Name in safetensors, name in NumPy (without byte order; NumPy has no bfloat16), bytes per number. */
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
        LB_DTYPE_REAL = LB_DTYPE_F64 /* the format of lb_real */
#else
        LB_DTYPE_REAL = LB_DTYPE_F32
#endif
} lb_dtype;

/* ---- safetensors: named arrays and text metadata in one file, which PyTorch, NumPy and many other tools can open.
 * Source:   https://github.com/huggingface/safetensors#format
 * Layout:   8 bytes with the length N of the header, little-endian; N bytes of JSON with the name, dtype, shape and
 *           data_offsets of each array, and under "__metadata__" a map from text to text; then the data without gaps.
 * Checksum: files written here have two more keys in their metadata. lookback.crc32 is the CRC-32 of the whole file,
 *           with its own eight hexadecimal digits set to zero. lookback.format marks files that must have a checksum.
 *           Reading checks it, so that every flipped bit is detected. Files of other tools have no checksum and are
 *           read without. A program that rewrites a file must drop both keys.
 * Memory:   the header is parsed with cJSON, which allocates with malloc: its hooks are global, so a library must not
 *           set them. Everything else comes from lb_alloc. ---- */

/** One array of a file. */
typedef struct lb_safetensors_tensor {
    const char *name;
    lb_dtype dtype;   /* zero: LB_DTYPE_F32 */
    lb_shape shape;   /* zero: a scalar */
    const void *data; /* may be unaligned in files of other tools: use memcpy */
} lb_safetensors_tensor;

/** One entry of the metadata. */
typedef struct lb_safetensors_metadata {
    const char *key, *value;
} lb_safetensors_metadata;

/** Writes a file atomically: a reader sees either the old or the new one.
 *  Order:   arrays with wider numbers come first, so that all are aligned; otherwise arrays and metadata keep the given
 *           order. The same arguments give the same bytes.
 *  Errors:  LB_ERROR_ARGUMENT if a name or key occurs twice, is not UTF-8, or is reserved for the format or the
 *           checksum, if a value is not UTF-8 or a shape is invalid; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_safetensors_write(const lb_safetensors_tensor *tensors, int64_t tensor_count,
                                           const lb_safetensors_metadata *metadata, int64_t metadata_count,
                                           const char *path, lb_error *error);

/** An open file. */
typedef struct lb_safetensors lb_safetensors;

/** Reads and checks a whole file: header, dtypes, shapes, names, that the arrays cover the data exactly once, and the
 *  checksum if there is one.
 *  Memory:  close and free it with lb_safetensors_close; NULL after an error. It owns all results of the functions
 *           below.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT, LB_ERROR_MEMORY. If malloc fails inside cJSON, the error is that of a
 *           header that is not JSON. */
LB_MUST_USE lb_safetensors *lb_safetensors_open(const char *path, lb_error *error);

/** Closes and frees a file. NULL is allowed. */
void lb_safetensors_close(lb_safetensors *file);

/** The number of arrays. */
int64_t lb_safetensors_count(const lb_safetensors *file);

/** Array `index` in file order; NULL unless 0 <= index < count. */
const lb_safetensors_tensor *lb_safetensors_at(const lb_safetensors *file, int64_t index);

/** The metadata text with this key, or NULL. */
const char *lb_safetensors_metadata_value(const lb_safetensors *file, const char *key);

/* ---- NumPy .npy: one array in a file.
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html ---- */

/** Reads an array as doubles, with the last dimension fastest, whatever the order in the file.
 *  Reads:   versions 1, 2 and 3; little-endian f2, f4, f8, i4, i8, and u1, b1. I64 beyond 2^53 is rounded.
 *  Memory:  release `*values` with lb_release; NULL after an error.
 *  Errors:  LB_ERROR_OPEN, LB_ERROR_FORMAT (also for other dtypes, more than LB_MAX_DIMS dimensions, and missing or
 *           surplus bytes), LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_npy_read(const char *path, lb_shape *shape, double **values, lb_error *error);

/** Writes an array atomically as LB_DTYPE_F32 (each value rounded to nearest) or LB_DTYPE_F64 (exact), in version 1 and
 *  C order.
 *  Errors:  LB_ERROR_ARGUMENT for another dtype or an invalid shape, LB_ERROR_MEMORY, LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_npy_write(const double *values, lb_shape shape, lb_dtype dtype, const char *path,
                                   lb_error *error);

/* ---- A struct in JSON, such as the configuration of a model, written and read by a table of its fields. ---- */

/** The type of a field, in the struct and in JSON. */
typedef enum lb_config_kind {
    LB_CONFIG_SIZE,     /* int64_t: an integer from 1 to a million */
    LB_CONFIG_FRACTION, /* lb_real: a number in [0, 1) */
    LB_CONFIG_POSITIVE, /* double: a number above 0, at most a million */
    LB_CONFIG_FLAG,     /* bool: true or false */
    LB_CONFIG_CHOICE,   /* an enum that counts from 0: one of `names` */
    LB_CONFIG_WORD      /* char[LB_CONFIG_WORD_BYTES]: a shorter text; never missing */
} lb_config_kind;

enum { LB_CONFIG_WORD_BYTES = 32 };

/** Instead of a default: files without the field are invalid. */
#define LB_CONFIG_NEEDED (-1)

/** A default that is not written: files of models that do not use the field look as if there were none. */
#define LB_CONFIG_UNWRITTEN(value) (-2 - (value))

/** One field of a configuration. */
typedef struct lb_config_field {
    const char *key; /* in JSON; NULL ends a table */
    size_t offset;   /* in the struct */
    lb_config_kind kind;
    int missing; /* the value if the file lacks the field, or LB_CONFIG_NEEDED, or LB_CONFIG_UNWRITTEN(value) */
    const char *const *names; /* for LB_CONFIG_CHOICE: one per value, then NULL; else NULL */
} lb_config_field;

/** The struct as a JSON object with the fields of the table, in its order, but for defaults that are not written. A
 *  choice without a name is "unknown", which lb_config_read refuses.
 *  Memory: release it with lb_release; NULL if there is no memory. */
LB_MUST_USE char *lb_config_write(const lb_config_field *fields, const void *config);

/** Reads all fields of the table from a JSON object into the struct. Other fields of the object are ignored.
 *  Errors: LB_ERROR_FORMAT with the name of the first field that has the wrong type, or is needed and missing;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_config_read(const lb_config_field *fields, const char *json, void *config,
                                     lb_error *error);

LB_END_DECLS

#endif
