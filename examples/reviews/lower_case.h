/* Lower case of all scripts. */
#ifndef LB_LOWER_CASE_H
#define LB_LOWER_CASE_H

#include <stddef.h>

/** The maximum bytes of the lower case of `length` bytes: a letter that grows takes 3 bytes instead of 2. */
#define REVIEWS_LOWER_CASE_ROOM(length) ((length) + (length) / 2)

/** Writes the lower case of `length` bytes of valid UTF-8 to `lower`, which has REVIEWS_LOWER_CASE_ROOM. Returns its
 *  length.
 *  As:     str.lower() in Python, which is the default mapping of the Unicode Standard, section 3.13: a capital sigma
 *          at the end of a word becomes a final sigma, and the Turkish capital i with a dot becomes an i and a dot
 *          above.
 *  Cost:   O(length). */
size_t reviews_lower_case(const char *text, size_t length, char *lower);

#endif
