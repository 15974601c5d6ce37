#include "base/bytes.h"

#include <string.h>

int lb_bytes_compare(const void *a, size_t a_length, const void *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* ---- Hashes. ---- */

enum { LANES = 4, WORD = 8, BLOCK = LANES * WORD };

void lb_reverse(void *items, int64_t count, size_t bytes)
{
    for (int64_t i = 0; i < count / 2; i++) {
        unsigned char *a = (unsigned char *)items + (size_t)i * bytes,
                      *b = (unsigned char *)items + (size_t)(count - 1 - i) * bytes;
        for (size_t k = 0; k < bytes; k++) {
            unsigned char held = a[k];
            a[k] = b[k];
            b[k] = held;
        }
    }
}

void lb_rows_reverse(lb_real *rows, int64_t count, int64_t width)
{
    lb_reverse(rows, count, (size_t)width * sizeof *rows);
}

uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

/* One-to-one in the hash and in the word, so that a difference never disappears by itself. One product would keep a
 * difference of the highest bit a single bit; the second one spreads it. */
static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x6A09E667F3BCC909);
    return (hash ^ (hash >> 32)) * UINT64_C(0xBB67AE8584CAA73B);
}

static inline void mix_block(uint64_t lane[LANES], const unsigned char *block)
{
    for (int i = 0; i < LANES; i++) {
        uint64_t word;
        memcpy(&word, block + (size_t)i * WORD, WORD);
        lane[i] = mix(lane[i], word);
    }
}

/* The lanes are mixed side by side: none waits for another. */
uint64_t lb_hash_long(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t lane[LANES];
    unsigned char last[BLOCK] = {0};
    for (int i = 0; i < LANES; i++) lane[i] = mix(hash, (uint64_t)i);
    size_t left = count;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) mix_block(lane, at);
    if (left > 0) memcpy(last, at, left);
    mix_block(lane, last);
    hash = count;
    for (int i = 0; i < LANES; i++) hash = mix(hash, lane[i]);
    return hash ^ (hash >> 32);
}

/* ---- Base64. ---- */

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

/* ---- UTF-8. ---- */

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
