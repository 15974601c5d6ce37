#include "support/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef _WIN32
#    include <sys/mman.h>
#endif
#include <unistd.h>

#include "base/alloc.h"

/* Atomic: the code under test may allocate from several threads. */
static atomic_long allocations, live, failing, failing_from;
static atomic_size_t all_bytes;
static atomic_long live_bytes, most_bytes; /* as malloc rounds them */

static void *allocate(size_t bytes)
{
    long turn = atomic_fetch_add(&allocations, 1) + 1;
    long from = atomic_load(&failing_from);
    atomic_fetch_add(&all_bytes, bytes);
    if (turn == atomic_load(&failing) || (from && turn >= from)) return NULL;
    void *memory = malloc(bytes);
    if (!memory) return NULL;
    atomic_fetch_add(&live, 1);
    long size = (long)malloc_usable_size(memory), now = atomic_fetch_add(&live_bytes, size) + size;
    for (long most = atomic_load(&most_bytes); now > most;)
        if (atomic_compare_exchange_weak(&most_bytes, &most, now)) break;
    return memory;
}

static void release(void *memory)
{
    atomic_fetch_sub(&live, 1);
    if (memory) atomic_fetch_sub(&live_bytes, (long)malloc_usable_size(memory));
    free(memory);
}

void support_watch_allocations(void)
{
    atomic_store(&allocations, 0);
    atomic_store(&all_bytes, 0);
    atomic_store(&live_bytes, 0);
    atomic_store(&most_bytes, 0);
    atomic_store(&live, 0);
    atomic_store(&failing, 0);
    atomic_store(&failing_from, 0);
    lb_set_allocator(&(lb_allocator){allocate, release});
}

void support_fail_allocation(long n)
{
    atomic_store(&failing, n ? atomic_load(&allocations) + n : 0);
}

void support_fail_from_allocation(long n)
{
    atomic_store(&failing_from, n ? atomic_load(&allocations) + n : 0);
}

long support_allocation_count(void)
{
    return atomic_load(&allocations);
}

size_t support_allocated_bytes(void)
{
    return atomic_load(&all_bytes);
}

long support_live_bytes(void)
{
    return atomic_load(&live_bytes);
}

long support_most_bytes(void)
{
    return atomic_load(&most_bytes);
}

#ifndef _WIN32
size_t support_touched_pages(const void *memory, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page, end = (uintptr_t)memory + bytes;
    size_t touched = 0;
    for (; begin + page <= end; begin += page) {
        unsigned char state = 0;
        if (mincore((void *)begin, page, &state) == 0)
            touched += state & 1; /* NOLINT(performance-no-int-to-ptr) */
    }
    return touched;
}
#endif

long support_live_allocations(void)
{
    return atomic_load(&live);
}
