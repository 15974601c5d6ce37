/* What an op is given: the names of its operands, which of them may be left out, and what is said of those that cannot
 * be computed with. */
#ifndef LB_OPERANDS_H
#define LB_OPERANDS_H

#include "lookback/autograd.h"

/* A list of operands names them in their order, `x weight bias?`: a question mark stands behind one that may be left
 * out, three dots behind a name that stands for any number of operands. */

enum { LB_OPERAND_TEXT = 32 };

/** Writes the name of operand `i` into `text` and returns it: "" behind the last one. Those of `x...` are x_1, x_2,
 *  ... */
char *lb_operand_name(const char *operands, int i, char text[LB_OPERAND_TEXT]);

/** True if operand `i` may be left out. */
bool lb_operand_optional(const char *operands, int i);

/** NULL if `lb_<name>` can compute with these operands: none that it needs is missing, none is poison, and those that
 *  are on a tape are on the same one, of which there is at least one. Otherwise poison: that of the tape, with an error
 *  that names the culprit recorded; without a tape, poison that says the same (lb_tensor_error). */
lb_tensor *lb_check_operands(const char *name, const char *operands, lb_tensor *const *in, int inputs);

/** The tape of the first operand that is on one; NULL if none is. */
lb_tape *lb_operands_tape(lb_tensor *const *in, int inputs);

#endif
