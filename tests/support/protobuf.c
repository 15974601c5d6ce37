#include "support/protobuf.h"

#include "support/suite.h"

#include <stdio.h>

static int64_t read_varint(support_bytes *from)
{
    uint64_t value = 0;
    int shift = 0;
    do {
        ck_assert(from->at < from->end && shift < 64);
        value |= (uint64_t)(*from->at & 0x7F) << shift;
        shift += 7;
    } while (*from->at++ & 0x80);
    return (int64_t)value;
}

bool support_next_field(support_bytes *from, support_field *found)
{
    if (from->at == from->end) return false;
    int64_t tag = read_varint(from);
    *found = (support_field){.number = (int)(tag >> 3), .whole = read_varint(from)};
    if (tag % 8 == 0) return true;
    ck_assert_int_eq(tag % 8, 2);
    ck_assert(found->whole <= from->end - from->at);
    found->part = (support_bytes){from->at, from->at + found->whole};
    from->at = found->part.end;
    return true;
}

support_field support_only_field(support_bytes message, int number)
{
    support_field each, found = {0};
    while (support_next_field(&message, &each))
        if (each.number == number) {
            ck_assert_int_eq(found.number, 0);
            found = each;
        }
    ck_assert_int_eq(found.number, number);
    return found;
}

const char *support_field_text(support_bytes part)
{
    static char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)(part.end - part.at), (const char *)part.at);
    return text;
}
