/* A hash that tells contents apart; it does not keep out anyone who wants to deceive. */
#ifndef LB_HASH_H
#define LB_HASH_H

#include <stddef.h>
#include <stdint.h>

/** The initial value of a hash. */
#define LB_HASH UINT64_C(14695981039346656037)

/** A hash of 64 bits, continued with further bytes: FNV-1a. Its low bits are good for comparing, but not for choosing.
 *  Source: Fowler, Noll, Vo 1991. */
uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count);

#endif
