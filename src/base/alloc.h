/* Memory. Every allocation of the library goes through here, so that a program can count allocations or make the n-th
 * one fail. */
#ifndef LB_ALLOC_H
#define LB_ALLOC_H

#include "lookback/base.h"
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** Whether there can be an array of `count` dimensions, 0 to `most`: none is negative, and without those that are 0,
 *  its numbers in double precision fit the address space. */
bool lb_sizes_fit(const int64_t *size, int count, int most);

/** A copy of a string, or NULL. */
char *lb_alloc_string(const char *text);

/** Sets LB_ERROR_MEMORY, "out of memory for WHAT", or without `what`, NULL, "out of memory", and returns it. */
lb_status lb_no_memory(lb_error *error, const char *what);

/** NULL, for what returns an object or nothing: return lb_null(lb_error_set(...)). */
static inline void *lb_null(lb_status recorded)
{
    (void)recorded;
    return NULL;
}

/** The number as an int, which it must fit: a narrowing cast that builds with asserts check. */
static inline int lb_narrow(int64_t number)
{
    assert(number >= INT_MIN && number <= INT_MAX);
    return (int)number;
}

/** The smallest multiple of LB_ALIGNMENT that is not less than `bytes`. */
size_t lb_align_up(size_t bytes);

/** The bytes of a cache line, and of an AVX-512 register. */
enum { LB_ALIGNMENT = 64 };

/** malloc and free, except that blocks of 2 MB and more use large pages where the system has them. A custom allocator
 *  that only counts or refuses allocations can call this one. */
extern const lb_allocator lb_default_allocator;

/* ---- An arena: memory that is allocated piece by piece and released all at once. ---- */

typedef struct lb_arena lb_arena;

/** A new, empty arena; NULL if there is no memory for it. */
lb_arena *lb_arena_new(void);

/** Frees the arena and everything allocated from it. NULL is allowed. */
void lb_arena_free(lb_arena *arena);

/** `bytes` of memory aligned to LB_ALIGNMENT, alive until the next reset; NULL if there is no memory.
 *  The content is arbitrary. */
void *lb_arena_alloc(lb_arena *arena, size_t bytes);

/** For tests: from now on each piece of any arena is a block of its own, so that the allocator sees it. */
void lb_arena_apart(bool apart);

/** Releases everything. If there are several blocks, one block of the same total size replaces them: a loop whose steps
 *  need the same memory stops calling the allocator after its second reset. It has `spare` bytes more, for a loop
 *  whose steps need a little more each time. Builds with asserts spoil what was there with LB_SPOILED, so that who
 *  still reads it finds a NaN, or a pointer to nothing. */
void lb_arena_reset(lb_arena *arena, size_t spare);

/** Each byte of what a reset has released, in builds with asserts. */
enum { LB_SPOILED = 0xFF };

/** Whether `memory` was allocated from the arena since the last reset. */
bool lb_arena_holds(const lb_arena *arena, const void *memory);

/** Bytes allocated since the last reset. */
size_t lb_arena_used(const lb_arena *arena);

/* ---- What the memory sanitizer has to know about memory that we hand out ourselves. The tests run with
 * poison_in_malloc=0: what other libraries allocate counts as written, because they are not instrumented. ---- */

#ifdef __has_feature
#    if __has_feature(memory_sanitizer)
#        include <sanitizer/allocator_interface.h>
#        include <sanitizer/msan_interface.h>
#        define LB_MEMORY_SANITIZER
#    endif
#endif

/** LB_MARK_UNWRITTEN(memory, bytes): from now on, reading the bytes before they are written is an error.
 *  LB_MARK_WRITTEN(memory, bytes): they may be read as they are.
 *  LB_MARK_RELEASED(memory): others may allocate these bytes again. In other builds, all three do nothing. */
#ifdef LB_MEMORY_SANITIZER
#    define LB_MARK_UNWRITTEN(memory, bytes) __msan_poison(memory, bytes)
#    define LB_MARK_WRITTEN(memory, bytes)   __msan_unpoison(memory, bytes)
#    define LB_MARK_RELEASED(memory)         __msan_unpoison(memory, __sanitizer_get_allocated_size(memory))
#else
#    define LB_MARK_UNWRITTEN(memory, bytes) ((void)(memory), (void)(bytes))
#    define LB_MARK_WRITTEN(memory, bytes)   ((void)(memory), (void)(bytes))
#    define LB_MARK_RELEASED(memory)         ((void)(memory))
#endif

#endif
