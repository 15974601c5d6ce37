/* The operands of an op: their names, which are optional, and the errors for unusable ones. */
#ifndef LB_OPERANDS_H
#define LB_OPERANDS_H

#include "lookback/autograd.h"

/* A list of operands has their names in order, `x weight bias?`. A question mark follows an optional operand; three
 * dots follow a name for any number of operands. */

enum { LB_OPERAND_TEXT = 32 };

/** Writes the name of operand `i` into `text` and returns it: "" after the last one. For `x...` the names are x_1, x_2,
 *  ... */
char *lb_operand_name(const char *operands, int i, char text[LB_OPERAND_TEXT]);

/** True if operand `i` is optional. */
bool lb_operand_optional(const char *operands, int i);

/** NULL if `lb_<name>` can use these operands: no required one is missing, none is poison, at least one is on a tape,
 *  and all of those are on the same tape. Otherwise poison: with a tape, its poison, and an error that names the
 *  operand is recorded there; without a tape, stray poison with that error (lb_tensor_error). */
lb_tensor *lb_check_operands(const char *name, const char *operands, lb_tensor *const *in, int inputs);

/** The tape of the first operand that is on one; NULL if none is. */
lb_tape *lb_operands_tape(lb_tensor *const *in, int inputs);

#endif
