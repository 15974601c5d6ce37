/* Validation of UTF-8. */
#ifndef LB_UTF8_H
#define LB_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** The number of bytes of valid UTF-8 at the start: all bytes, or those before the first invalid one. */
size_t lb_utf8_prefix(const char *bytes, size_t count);

/** True if the bytes are valid UTF-8, as JSON must be (RFC 8259, RFC 3629: no surrogates, no overlong forms). */
bool lb_utf8_valid(const char *bytes, size_t count);

#endif
