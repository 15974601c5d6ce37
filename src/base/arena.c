#include "base/arena.h"

#include "base/alloc.h"

#include <stdint.h>

enum { SMALLEST_BLOCK = 1 << 16 };

typedef struct block {
    struct block *previous;
    unsigned char *memory; /* aligned */
    size_t size, used;
} block;

struct lb_arena {
    block *last;
    size_t used;
};

static bool is_apart; /* see lb_arena_apart */

static block *block_new(size_t size, block *previous)
{
    if (size > SIZE_MAX - 2 * (size_t)LB_ALIGNMENT - sizeof(block)) return NULL;
    unsigned char *raw = lb_alloc(lb_align_up(sizeof(block)) + size + LB_ALIGNMENT);
    if (!raw) return NULL;
    block *b = (block *)(void *)raw;
    uintptr_t first = (uintptr_t)raw + sizeof(block);
    size_t padding = (LB_ALIGNMENT - first % LB_ALIGNMENT) % LB_ALIGNMENT;
    *b = (block){.previous = previous, .memory = raw + sizeof(block) + padding, .size = size};
    return b;
}

static void free_blocks(block *b)
{
    while (b) {
        block *previous = b->previous;
        lb_release(b);
        b = previous;
    }
}

lb_arena *lb_arena_new(void)
{
    return lb_alloc_zero(sizeof(lb_arena));
}

void lb_arena_free(lb_arena *arena)
{
    if (!arena) return;
    free_blocks(arena->last);
    lb_release(arena);
}

void lb_arena_apart(bool apart)
{
    is_apart = apart;
}

void *lb_arena_alloc(lb_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t size = lb_align_up(bytes);
    if (!arena->last || is_apart || arena->last->size - arena->last->used < size) {
        size_t wanted = is_apart ? size : arena->last ? 2 * arena->last->size : SMALLEST_BLOCK;
        block *b = block_new(wanted > size ? wanted : size, arena->last);
        /* Twice the last block is a hope, not a need. */
        if (!b && wanted > size) b = block_new(size, arena->last);
        if (!b) return NULL;
        arena->last = b;
    }
    void *memory = arena->last->memory + arena->last->used;
    arena->last->used += size;
    arena->used += size;
    LB_MARK_UNWRITTEN(memory, size); /* after a reset it was written before */
    return memory;
}

void lb_arena_reset(lb_arena *arena)
{
    lb_arena_reset_with(arena, 0);
}

void lb_arena_reset_with(lb_arena *arena, size_t spare)
{
    if (arena->last && arena->last->previous) {
        free_blocks(arena->last);
        arena->last = block_new(arena->used + spare, NULL);
    }
    if (arena->last) arena->last->used = 0;
    arena->used = 0;
}

bool lb_arena_holds(const lb_arena *arena, const void *memory)
{
    uintptr_t at = (uintptr_t)memory;
    for (const block *b = arena->last; b; b = b->previous)
        if (at >= (uintptr_t)b->memory && at < (uintptr_t)b->memory + b->used) return true;
    return false;
}

size_t lb_arena_used(const lb_arena *arena)
{
    return arena->used;
}
