/* The name of the module whose ops follow, for error messages. */
#ifndef LB_SCOPE_H
#define LB_SCOPE_H

#include "lookback/autograd.h"

/** Sets the name of the module whose ops follow, for error messages. Returns the previous name, for lb_tape_leave.
 *  `name` must outlive the use of the tape. */
const char *lb_tape_enter(lb_tape *tape, const char *name);
/** Sets the name that lb_tape_enter returned. */
void lb_tape_leave(lb_tape *tape, const char *outer);

/** lb_tape_enter for a module that finds its tape through an operand. Does nothing if the operand is NULL. */
static inline const char *lb_module_enter(const lb_tensor *operand, const char *name)
{
    return operand ? lb_tape_enter(operand->tape, name) : NULL;
}

/** Sets the name that lb_module_enter returned. */
static inline void lb_module_leave(const lb_tensor *operand, const char *outer)
{
    if (operand) lb_tape_leave(operand->tape, outer);
}

#endif
