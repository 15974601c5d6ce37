/* Memory that runs out at a chosen place on a tape. The allocator of the library does not see single tensors, which
 * come from blocks of the tape, unless each is a block of its own. */
#ifndef SUPPORT_TAPE_ROOM_H
#define SUPPORT_TAPE_ROOM_H

#include <stdbool.h>

/* Leaves room for `pieces` allocations, tensors of all tapes among them. The next one fails, and if memory is gone
 * `for_good`, so does every later one. To be followed by support_find_memory. Needs support_watch_allocations. */
void support_leave_room(long pieces, bool for_good);
void support_find_memory(void);

#endif
