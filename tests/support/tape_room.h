/* Memory that runs out at a chosen place on a tape. The allocator of the library does not see single tensors: they come
 * from blocks of the tape. */
#ifndef SUPPORT_TAPE_ROOM_H
#define SUPPORT_TAPE_ROOM_H

#include "lookback/autograd.h"

#include <stdbool.h>
#include <stddef.h>

/* On a new tape, leaves `room` bytes, a multiple of LB_ALIGNMENT. The first allocation of the tape that needs more memory
 * fails, and if it is gone `for_good`, so does every later one of the library. To be followed by
 * support_find_memory. Needs support_watch_allocations. */
void support_leave_room(lb_tape *tape, size_t room, bool for_good);
void support_find_memory(void);

/* The most that can be left. */
size_t support_most_room(void);

#endif
