/* Bytes: their order, reversed items, their hash, their form as text, and whether they are text. */
#ifndef LB_BYTES_H
#define LB_BYTES_H

#include "lookback/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A text that is no string. */
typedef struct lb_span {
    const char *text;
    size_t length;
} lb_span;

static inline lb_span lb_span_of(const char *string)
{
    return (lb_span){string, strlen(string)};
}

static inline bool lb_span_is(lb_span span, const char *string)
{
    return strlen(string) == span.length && memcmp(span.text, string, span.length) == 0;
}

/** The text without these characters around it. */
static inline lb_span lb_span_trim(lb_span span, const char *blanks)
{
    while (span.length > 0 && memchr(blanks, *span.text, strlen(blanks))) span.text++, span.length--;
    while (span.length > 0 && memchr(blanks, span.text[span.length - 1], strlen(blanks))) span.length--;
    return span;
}

static inline bool lb_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), count = strlen(end);
    return length >= count && strcmp(text + length - count, end) == 0;
}

/** The order of bytes as of words in a dictionary: negative, 0 or positive. */
int lb_bytes_compare(const void *a, size_t a_length, const void *b, size_t b_length);

/** Numbers, whole ones of at least 0, structs that begin with two of these, numbers of 32 bits, and strings, in
 *  ascending order, for qsort. */
static inline int lb_compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int lb_compare_whole(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline int lb_compare_two(const void *a, const void *b)
{
    int order = lb_compare_whole(a, b);
    return order ? order : lb_compare_whole((const uint64_t *)a + 1, (const uint64_t *)b + 1);
}

static inline int lb_compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static inline int lb_compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** Reverses `count` items of `bytes` each in place. */
void lb_reverse(void *items, int64_t count, size_t bytes);

/** The same for rows of `width` numbers. */
void lb_rows_reverse(lb_real *rows, int64_t count, int64_t width);

/** Whether two texts have `count` bytes in common, small letters or capitals of ASCII, whatever the locale. Reads none
 *  behind the first that differs. */
bool lb_same_letters(const char *a, const char *b, size_t count);

/* ---- Hashes, which tell contents apart. They do not keep out anyone who wants to deceive. ---- */

/** The initial value of a hash. */
#define LB_HASH UINT64_C(14695981039346656037)

/** A hash of 64 bits, continued with further bytes: FNV-1a. Its low bits are good for comparing, but not for choosing.
 *  Source: Fowler, Noll, Vo 1991. */
uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count);

/** A hash of 64 bits for much data: of whole words, several times as fast as lb_hash. It depends on the order of bytes
 *  of the machine, and on how the data are divided into calls. Two contents of one length that differ in one word, 8
 *  bytes, have different hashes; others have the same by chance, one pair in 2^64. */
uint64_t lb_hash_long(uint64_t hash, const void *bytes, size_t count);

/* ---- Bytes as text and back: base64, RFC 4648, section 4. ---- */

/** The characters of `count` bytes, without a NUL. */
size_t lb_base64_length(size_t count);

/** Writes `count` bytes as lb_base64_length(count) characters, without a NUL. */
void lb_base64_encode(const unsigned char *bytes, size_t count, char *text);

/** The bytes of `length` characters, and their number in `*count`. `bytes` needs room for length / 4 * 3. False unless
 *  the text is what lb_base64_encode writes. */
bool lb_base64_decode(const char *text, size_t length, unsigned char *bytes, size_t *count);

/* ---- Validation of UTF-8. ---- */

/** The number of bytes of valid UTF-8 at the start: all bytes, or those before the first invalid one. */
size_t lb_utf8_prefix(const char *bytes, size_t count);

/** True if the bytes are valid UTF-8, as JSON must be (RFC 8259, RFC 3629: no surrogates, no overlong forms). */
bool lb_utf8_valid(const char *bytes, size_t count);

/* ---- rng.c ---- */

/** 128 random bits at position `index` of the sequence. */
typedef struct lb_rng_block {
    uint32_t word[4];
} lb_rng_block;

/** The bits at position `index` of the sequence. lb_rng_uniform and its like compute their numbers from these bits. */
lb_rng_block lb_rng_bits(lb_rng rng, uint64_t index);

#endif
