/* Where memory comes from. Every allocation of the library passes here, so that a program can count them,
 * or make the n-th one fail. */
#ifndef LB_ALLOC_H
#define LB_ALLOC_H

#include <stddef.h>

/** Both functions behave as malloc and free do. */
typedef struct lb_allocator {
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
} lb_allocator;

/** malloc and free, but blocks of 2 MB and more lie on large pages where the system has them. For allocators that count or
 *  refuse, and otherwise leave things as they are. */
extern const lb_allocator lb_default_allocator;

/** Sets the allocator for the whole process; NULL restores the default one. To be called before anything else
 *  of the library: memory must go back to where it came from. Not thread-safe. */
void lb_set_allocator(const lb_allocator *allocator);

/** `bytes` of memory, or NULL. */
void *lb_alloc(size_t bytes);

/** `bytes` of memory, all zero, or NULL. */
void *lb_alloc_zero(size_t bytes);

/** Memory of `new_bytes` that starts with the first `old_bytes` of `memory`, which is released; or NULL,
 *  and then `memory` is as it was. */
void *lb_alloc_grow(void *memory, size_t old_bytes, size_t new_bytes);

/** A copy of a string, or NULL. */
char *lb_alloc_string(const char *text);

/** Gives memory back. NULL is allowed. */
void lb_release(void *memory);

/** The smallest multiple of LB_ALIGNMENT that is not less than `bytes`. */
size_t lb_align_up(size_t bytes);

/** Bytes: one cache line, one AVX-512 register. */
enum { LB_ALIGNMENT = 64 };

#endif
