/* Fields of protobuf messages, as bytes. Source: the encoding of Protocol Buffers, protobuf.dev. */
#ifndef APP_ONNX_PROTOBUF_H
#define APP_ONNX_PROTOBUF_H

#include "base/buffer.h"

#include <lookback/tensor.h>

#include <stdint.h>

/** Adds an integer, or a member of an enum, as a field with this number. */
void protobuf_whole(lb_buffer *message, int field, int64_t value);

/** Adds a field of bytes. */
void protobuf_bytes(lb_buffer *message, int field, const void *bytes, size_t count);

/** Adds a text. */
void protobuf_text(lb_buffer *message, int field, const char *text);

/** Adds a message that is complete, and empties it. */
void protobuf_message(lb_buffer *message, int field, lb_buffer *part);

/** Appends floats as raw numbers of 32 bits, the lowest byte first. */
void protobuf_raw_floats(lb_buffer *raw, const lb_real *x, int64_t count);

/** The same for integers of 64 bits. */
void protobuf_raw_wholes(lb_buffer *raw, const int64_t *x, int64_t count);

#endif
