/* An allocator that runs out, and one that counts what is not given back. */
#ifndef SUPPORT_FAILING_MEMORY_H
#define SUPPORT_FAILING_MEMORY_H

/** From now on the allocation number `which` (0: the next) fails, and no other; -1: none does. */
void support_memory_fail_at(long which);

/** Allocations tried since support_memory_fail_at. */
long support_memory_tried(void);

/** Blocks that were given out since support_memory_fail_at and did not come back. */
long support_memory_alive(void);

/** Back to malloc and free. */
void support_memory_normal(void);

#endif
