/* Bytes as text and back: base64, RFC 4648, section 4. */
#ifndef LB_BASE64_H
#define LB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/** The characters of `count` bytes, without a NUL. */
size_t lb_base64_length(size_t count);

/** Writes `count` bytes as lb_base64_length(count) characters, without a NUL. */
void lb_base64_encode(const unsigned char *bytes, size_t count, char *text);

/** The bytes of `length` characters, and their number in `*count`. `bytes` needs room for length / 4 * 3. False unless
 *  the text is what lb_base64_encode writes. */
bool lb_base64_decode(const char *text, size_t length, unsigned char *bytes, size_t *count);

#endif
