#include "base/utf8.h"

/* The length of the UTF-8 sequence at `s`, which has `left` bytes; 0 if it is invalid. */
static size_t sequence_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

size_t lb_utf8_prefix(const char *bytes, size_t count)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t valid = 0;
    while (valid < count) {
        size_t length = sequence_length(s + valid, count - valid);
        if (length == 0) break;
        valid += length;
    }
    return valid;
}

bool lb_utf8_valid(const char *bytes, size_t count)
{
    return lb_utf8_prefix(bytes, count) == count;
}
