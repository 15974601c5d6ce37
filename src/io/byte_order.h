/* The order of bytes in files, which are little-endian on every machine. */
#ifndef LB_BYTE_ORDER_H
#define LB_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) ||                                                                              \
    (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#    error "the order of bytes on this machine is unknown"
#endif

/** True if numbers in memory have another order than in files. */
static const bool lb_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/** Changes `count` numbers of `width` bytes from the order of the machine to that of files, or back, in place. They may
 *  be unaligned. A little-endian machine has nothing to change. */
void lb_file_order(void *numbers, size_t count, size_t width);

/** The unsigned integer in the first `width` bytes (at most 8) of a file's text. */
uint64_t lb_file_integer(const unsigned char *bytes, size_t width);

#endif
