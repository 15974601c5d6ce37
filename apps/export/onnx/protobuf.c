#include "export/onnx/protobuf.h"

#include "base/alloc.h"

#include <string.h>

/* How the value of a field is stored. */
enum { VARINT = 0, COUNTED = 2 };

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static void add_varint(lb_buffer *message, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        lb_buffer_add(message, &byte, 1);
        value >>= 7;
    } while (value);
}

static void add_tag(lb_buffer *message, int field, int stored)
{
    add_varint(message, (uint64_t)field << 3 | (uint64_t)stored);
}

void protobuf_whole(lb_buffer *message, int field, int64_t value)
{
    add_tag(message, field, VARINT);
    add_varint(message, (uint64_t)value);
}

void protobuf_bytes(lb_buffer *message, int field, const void *bytes, size_t count)
{
    add_tag(message, field, COUNTED);
    add_varint(message, count);
    lb_buffer_add(message, bytes, count);
}

void protobuf_text(lb_buffer *message, int field, const char *text)
{
    protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(lb_buffer *message, int field, lb_buffer *part)
{
    message->failed = message->failed || part->failed;
    protobuf_bytes(message, field, part->text, part->length);
    lb_release(part->text);
    *part = (lb_buffer){0};
}

static void add_low_bytes(lb_buffer *raw, uint64_t bits, size_t count)
{
    unsigned char bytes[sizeof bits];
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    lb_buffer_add(raw, bytes, count);
}

void protobuf_raw_floats(lb_buffer *raw, const lb_real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        float number = (float)x[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        add_low_bytes(raw, bits, sizeof bits);
    }
}

void protobuf_raw_wholes(lb_buffer *raw, const int64_t *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) add_low_bytes(raw, (uint64_t)x[i], sizeof x[i]);
}
