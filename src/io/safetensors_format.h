/* Shared by the reader and the writer of safetensors. Not for users. */
#ifndef LB_SAFETENSORS_FORMAT_H
#define LB_SAFETENSORS_FORMAT_H

#include "lookback/io.h"

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

#endif
