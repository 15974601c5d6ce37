/* Memory. Every allocation of the library goes through here, so that a program can count allocations or make the n-th
 * one fail. */
#ifndef LB_ALLOC_H
#define LB_ALLOC_H

#include "lookback/base.h"
#include <stdbool.h>
#include <stddef.h>

/** `bytes` of memory, all zero, or NULL. Where much is asked for, the system provides each page when it is first
 *  touched: what is never used costs an address. */
void *lb_alloc_zero(size_t bytes);

/** Memory of `new_bytes` that starts with the first `old_bytes` of `memory`, which is released. If there is no memory,
 *  returns NULL and leaves `memory` unchanged. */
void *lb_alloc_grow(void *memory, size_t old_bytes, size_t new_bytes);

/** Makes room for `needed` elements of `size` bytes in a growing array, and keeps its first `count`. `array` is the
 *  address of its pointer, and `*capacity` how many it has room for. If there is no memory, returns false and changes
 *  nothing. */
LB_MUST_USE bool lb_alloc_room(void *array, size_t count, size_t needed, size_t *capacity, size_t size);

/** Makes room for one more element than the `count` that there are. */
LB_MUST_USE bool lb_alloc_more(void *array, size_t count, size_t *capacity, size_t size);

/** A copy of a string, or NULL. */
char *lb_alloc_string(const char *text);

/** NULL, for what returns an object or nothing: return lb_null(lb_error_set(...)). */
static inline void *lb_null(lb_status recorded)
{
    (void)recorded;
    return NULL;
}

/** The smallest multiple of LB_ALIGNMENT that is not less than `bytes`. */
size_t lb_align_up(size_t bytes);

/** Bytes: one cache line, one AVX-512 register. */
enum { LB_ALIGNMENT = 64 };

/** malloc and free, except that blocks of 2 MB and more use large pages where the system has them. A custom allocator
 *  that only counts or refuses allocations can call this one. */
extern const lb_allocator lb_default_allocator;

#endif
