/* Reads memory of the library: new, reused after a reset of its arena, or, with the argument "written", after it was
 * written. The sanitizer must report the first two and accept the third. */
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 64 };

static char *take(lb_arena *arena, const char *which)
{
    char *memory = lb_arena_alloc(arena, BYTES);
    if (!memory || strcmp(which, "new") == 0) return memory;
    memset(memory, 1, BYTES);
    if (strcmp(which, "written") == 0) return memory;
    lb_arena_reset(arena, 0);
    return lb_arena_alloc(arena, BYTES);
}

int main(int argc, char **argv)
{
    lb_arena *arena = lb_arena_new();
    const char *memory = arena ? take(arena, argc > 1 ? argv[1] : "new") : NULL;
    if (!memory) return 1;
    /* A choice may become arithmetic, in which the sanitizer only passes it on; an address must be known. */
    putchar("01"[memory[BYTES / 2] & 1]);
    lb_arena_free(arena);
    return 0;
}
