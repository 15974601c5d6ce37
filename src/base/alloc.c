#include "base/alloc.h"

#include "os/os.h"

#include <stdlib.h>
#include <string.h>

/* A training step passes once over all of its memory, forward and back. With pages of 4 KB, much of that time is spent
 * on address translation. */
static void *allocate(size_t bytes)
{
    void *memory = bytes < LB_OS_LARGE_PAGE ? NULL : lb_os_large_memory(bytes);
    return memory ? memory : malloc(bytes);
}

const lb_allocator lb_default_allocator = {allocate, free};

static lb_allocator current = {allocate, free};

void lb_set_allocator(const lb_allocator *allocator)
{
    current = allocator ? *allocator : lb_default_allocator;
}

void *lb_alloc(size_t bytes)
{
    void *memory = current.allocate(bytes ? bytes : 1);
    assert((uintptr_t)memory % _Alignof(max_align_t) == 0); /* as malloc, whoever allocates */
    if (memory) LB_MARK_UNWRITTEN(memory, bytes);
    return memory;
}

void *lb_alloc_zero(size_t bytes)
{
    bool own = current.allocate == allocate;
    void *memory = own ? calloc(1, bytes ? bytes : 1) : lb_alloc(bytes);
    if (!memory) return NULL;
    if (own)
        lb_os_prefer_large_pages(memory, bytes);
    else
        memset(memory, 0, bytes);
    return memory;
}

void *lb_alloc_grow(void *memory, size_t old_bytes, size_t new_bytes)
{
    assert(old_bytes <= new_bytes);
    void *grown = lb_alloc(new_bytes);
    if (!grown) return NULL;
    if (old_bytes) memcpy(grown, memory, old_bytes);
    lb_release(memory);
    return grown;
}

bool lb_alloc_room(void *array, size_t count, size_t needed, size_t *capacity, size_t size)
{
    enum { FIRST = 64 };
    assert(count <= *capacity && size > 0);
    void *memory;
    if (needed <= *capacity) return true;
    size_t room = *capacity ? 2 * *capacity : FIRST;
    if (room < needed) room = needed + needed / 2;
    memcpy(&memory, array, sizeof memory);
    memory = lb_alloc_grow(memory, count * size, room * size);
    if (!memory) return false;
    memcpy(array, &memory, sizeof memory);
    *capacity = room;
    return true;
}

bool lb_alloc_more(void *array, size_t count, size_t *capacity, size_t size)
{
    return lb_alloc_room(array, count, count + 1, capacity, size);
}

bool lb_sizes_fit(const int64_t *size, int count, int most)
{
    int64_t room = PTRDIFF_MAX / (int64_t)sizeof(double);
    if (count < 0 || count > most) return false;
    for (int i = 0; i < count; i++) {
        if (size[i] < 0) return false;
        if (size[i] > 0) room /= size[i];
        if (room == 0) return false;
    }
    return true;
}

char *lb_alloc_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = lb_alloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

lb_status lb_no_memory(lb_error *error, const char *what)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory%s%s", what ? " for " : "", what ? what : "");
}

void lb_release(void *memory)
{
    if (!memory) return;
    LB_MARK_RELEASED(memory);
    current.release(memory);
}

size_t lb_align_up(size_t bytes)
{
    assert(bytes <= SIZE_MAX - LB_ALIGNMENT);
    return (bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT;
}

/* ---- An arena. Memory comes from its last block. When that is full, the next one is twice as large, or as large as
 * the piece that is asked for. Here with two blocks:
 *
 *     arena->last                          memory        memory + used         memory + size
 *          |                               |             |                     |
 *          v                               v             v                     v
 *          +---------------------------+---+-------------+---------------------+---+
 *          | previous memory size used | . | allocated   | free                | . |   . is padding: `memory` is a
 *          +----|----------------------+---+-------------+---------------------+---+   multiple of LB_ALIGNMENT, and
 *               v                                                                      so is the size of each piece
 *               +---------------------------+---+---------------+---------+---+
 *        NULL <-- previous memory size used | . | allocated     | too few | . |
 *               +---------------------------+---+---------------+---------+---+
 *
 * A reset replaces them by one block that has room for all that was allocated. ---- */

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

void lb_arena_reset(lb_arena *arena, size_t spare)
{
    assert(spare <= SIZE_MAX - arena->used);
    for (const block *b = arena->last; b; b = b->previous) assert(memset(b->memory, LB_SPOILED, b->used));
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
