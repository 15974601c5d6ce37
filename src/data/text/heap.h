/* A heap of numbers, the least on top: what is due next, for merges of subwords as they are learned and as they are
 * applied. The caller has the array, and its room. */
#ifndef LB_HEAP_H
#define LB_HEAP_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/** Puts a number on a heap of `*count`, which has room for it. */
static inline void lb_heap_add(uint64_t *heap, size_t *count, uint64_t number)
{
    size_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] > number; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = number;
}

/** Takes the least from a heap that is not empty. */
static inline uint64_t lb_heap_take(uint64_t *heap, size_t *count)
{
    assert(*count > 0);
    uint64_t top = heap[0], last = heap[--*count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && heap[child + 1] < heap[child]) child++;
        assert(heap[child] >= top);
        if (heap[child] >= last) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

#endif
