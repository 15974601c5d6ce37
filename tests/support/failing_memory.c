#include "support/failing_memory.h"

#include "tensor/alloc.h"

#include <stdlib.h>

static long fail_at, tried, alive;

static void *allocate(size_t bytes)
{
    long number = tried++;
    if (number == fail_at) return NULL;
    void *memory = malloc(bytes);
    if (memory) alive++;
    return memory;
}

static void release(void *memory)
{
    alive--;
    free(memory);
}

void support_memory_fail_at(long which)
{
    fail_at = which;
    tried = alive = 0;
    lb_set_allocator(&(lb_allocator){allocate, release});
}

long support_memory_tried(void)
{
    return tried;
}

long support_memory_alive(void)
{
    return alive;
}

void support_memory_normal(void)
{
    lb_set_allocator(NULL);
}
