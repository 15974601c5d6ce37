#include "support/tape_room.h"

#include "base/alloc.h"
#include "lookback/op.h"
#include "support/alloc.h"

#include <check.h>

/* Fills the first block of a tape: the second is twice as large. */
static void fill_first_block(lb_tape *tape)
{
    enum { FIRST_BLOCK = 1 << 17 };
    ck_assert_ptr_nonnull(lb_tape_alloc(tape, FIRST_BLOCK));
}

size_t support_most_room(void)
{
    static size_t bytes;
    if (bytes) return bytes;
    lb_tape *tape = lb_tape_new();
    fill_first_block(tape);
    ck_assert_ptr_nonnull(lb_tape_alloc(tape, LB_ALIGNMENT));
    for (long before = support_allocation_count(); support_allocation_count() == before;
         bytes += LB_ALIGNMENT)
        ck_assert_ptr_nonnull(lb_tape_alloc(tape, LB_ALIGNMENT));
    lb_tape_free(tape);
    return bytes -= LB_ALIGNMENT;
}

void support_leave_room(lb_tape *tape, size_t room, bool for_good)
{
    const size_t block = support_most_room() + LB_ALIGNMENT;
    fill_first_block(tape);
    ck_assert_ptr_nonnull(lb_tape_alloc(tape, block - room));
    /* A tape that cannot get a large block asks for a small one. */
    enum { ATTEMPTS = 2 };
    if (for_good)
        support_fail_from_allocation(1);
    else
        support_fail_next_allocations(ATTEMPTS);
}

void support_find_memory(void)
{
    support_fail_from_allocation(0);
    support_fail_next_allocations(0);
}
