/* A reader of protobuf messages, which checks what it reads. Source: protobuf.dev, "Encoding". */
#ifndef SUPPORT_PROTOBUF_H
#define SUPPORT_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a message that are still to be read. */
typedef struct support_bytes {
    const unsigned char *at, *end;
} support_bytes;

/* A field: its number, and the value of an integer or the bytes of anything else. */
typedef struct support_field {
    int number;
    int64_t whole; /* or how many bytes there are */
    support_bytes part;
} support_field;

/* False at the end of the message. */
bool support_next_field(support_bytes *from, support_field *found);

/* The field with this number, of which a message has only one. */
support_field support_only_field(support_bytes message, int number);

/* The bytes as a text, up to the next call. */
const char *support_field_text(support_bytes part);

#endif
