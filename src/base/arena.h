/* An arena: memory that is allocated piece by piece and released all at once. */
#ifndef LB_ARENA_H
#define LB_ARENA_H

#include <stdbool.h>
#include <stddef.h>

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
 *  need the same memory stops calling the allocator after its second reset. */
void lb_arena_reset(lb_arena *arena);

/** The same, but the one block has `spare` bytes more: for a loop whose steps need a little more each time. */
void lb_arena_reset_with(lb_arena *arena, size_t spare);

/** Whether `memory` was allocated from the arena since the last reset. */
bool lb_arena_holds(const lb_arena *arena, const void *memory);

/** Bytes allocated since the last reset. */
size_t lb_arena_used(const lb_arena *arena);

#endif
