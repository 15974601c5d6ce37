/* Memory that runs out at a chosen place on a tape. The allocator of the library does not see single tensors: they come
 * from blocks of the tape. */
#ifndef SUPPORT_TAPE_ROOM_H
#define SUPPORT_TAPE_ROOM_H

#include "lookback/autograd.h"

#include <stddef.h>

/* On a new tape, leaves `room` bytes, a multiple of LB_ALIGNMENT; every allocation of the library that needs more memory
 * fails from now on, until support_fail_from_allocation(0). Needs support_watch_allocations. */
void support_leave_room(lb_tape *tape, size_t room);

/* The most that can be left. */
size_t support_most_room(void);

#endif
