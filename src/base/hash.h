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

/** A hash of 64 bits for much data: of whole words, several times as fast as lb_hash. It depends on the order of bytes
 *  of the machine, and on how the data are divided into calls. Two contents of one length that differ in one word, 8
 *  bytes, have different hashes; others have the same by chance, one pair in 2^64. */
uint64_t lb_hash_long(uint64_t hash, const void *bytes, size_t count);

#endif
