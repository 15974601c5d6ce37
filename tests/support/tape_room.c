#include "support/tape_room.h"

#include "base/alloc.h"
#include "support/alloc.h"

void support_leave_room(long pieces, bool for_good)
{
    lb_arena_apart(true);
    if (for_good)
        support_fail_from_allocation(pieces + 1);
    else
        support_fail_allocation(pieces + 1);
}

void support_find_memory(void)
{
    lb_arena_apart(false);
    support_fail_from_allocation(0);
    support_fail_allocation(0);
}
