#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t lb_base64_length(size_t count)
{
    return (count + 2) / 3 * 4;
}

void lb_base64_encode(const unsigned char *bytes, size_t count, char *text)
{
    for (size_t at = 0; at < count; at += 3, text += 4) {
        size_t left = count - at;
        uint32_t bits = (uint32_t)bytes[at] << 16;
        if (left > 1) bits |= (uint32_t)bytes[at + 1] << 8;
        if (left > 2) bits |= bytes[at + 2];
        for (int i = 0; i < 4; i++) text[i] = letters[bits >> (18 - 6 * i) & 63];
        if (left < 3) text[3] = '=';
        if (left < 2) text[2] = '=';
    }
}

/* The value of a character, 64 if there is none. */
static uint32_t value_of(char letter)
{
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (uint32_t)(at - letters) : 64;
}

/* Three bytes from four characters, of which the last `padding` are '='. False if one is not a letter, or if bits that
 * belong to no byte are set. */
static bool decode_four(const char *text, size_t padding, unsigned char bytes[3])
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t value = i < 4 - padding ? value_of(text[i]) : 0;
        if (value > 63) return false;
        bits = bits << 6 | value;
    }
    for (int i = 0; i < 3; i++) bytes[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & ((1U << 8 * padding) - 1)) == 0;
}

bool lb_base64_decode(const char *text, size_t length, unsigned char *bytes, size_t *count)
{
    *count = 0;
    if (length % 4) return false;
    for (size_t at = 0; at < length; at += 4) {
        bool last = at + 4 == length;
        size_t padding = last && text[at + 3] == '=' ? 1 + (text[at + 2] == '=') : 0;
        if (!decode_four(text + at, padding, bytes + *count)) return false;
        *count += 3 - padding;
    }
    return true;
}
