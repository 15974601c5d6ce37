#include "translate/apply/tapes.h"

#include "base/alloc.h"

lb_tapes *lb_tapes_new(void)
{
    return lb_alloc_zero(sizeof(lb_tapes));
}

void lb_tapes_free(lb_tapes *tapes)
{
    for (int i = 0; tapes && i < LB_TAPES_KEPT; i++) lb_tape_free(atomic_load(&tapes->idle[i]));
    lb_release(tapes);
}

lb_tape *lb_tapes_take(lb_tapes *tapes, lb_error *error)
{
    lb_tape *tape = NULL;
    for (int i = 0; i < LB_TAPES_KEPT && !tape; i++) tape = atomic_exchange(&tapes->idle[i], NULL);
    if (!tape) tape = lb_tape_new();
    if (tape)
        lb_tape_reset(tape);
    else
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a text");
    return tape;
}

/* What takes the place of another tape gives it to the next place. */
void lb_tapes_put(lb_tapes *tapes, lb_tape *tape)
{
    for (int i = 0; i < LB_TAPES_KEPT && tape && !lb_tape_status(tape); i++)
        tape = atomic_exchange(&tapes->idle[i], tape);
    lb_tape_free(tape);
}
