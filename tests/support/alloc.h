/* An allocator that counts, and that can be made to fail. */
#ifndef SUPPORT_ALLOC_H
#define SUPPORT_ALLOC_H

#include <stddef.h>

/* Makes the library use the counting allocator, with all counts at zero. Call it before the code under test
 * allocates anything. */
void support_watch_allocations(void);

/* The n-th allocation from now on fails, and only that one: 1 is the next. 0: none fails. */
void support_fail_allocation(long n);

/* Every allocation from the n-th from now on fails: memory has run out for good. 0: none fails. */
void support_fail_from_allocation(long n);

/* Allocations asked for since support_watch_allocations, including one that failed. */
long support_allocation_count(void);

/* Bytes asked for since then, also those that were released. */
size_t support_allocated_bytes(void);

/* Bytes in use that were allocated since then. */
long support_live_bytes(void);

/* The most bytes that were in use at once. */
long support_most_bytes(void);

/* How many of the whole pages of this memory the system has provided, because they were touched. */
size_t support_touched_pages(const void *memory, size_t bytes);

/* Allocations not released yet: 0 at the end, or something leaks. */
long support_live_allocations(void);

#endif
