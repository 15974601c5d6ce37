/* Where numbers of a tape stopped being finite, for the message of a training that cannot go on. A step whose
 * numbers are finite runs none of this. */
#ifndef LB_CAUSE_H
#define LB_CAUSE_H

#include "lookback/autograd.h"

enum { LB_CAUSE_TEXT = 384, LB_PLACE_TEXT = 128 };

/** The first of `count` numbers that is NaN, or else the first that is infinite, since infinite scores are often meant;
 *  -1 if there is none. */
int64_t lb_first_bad(const lb_real *x, int64_t count);

/** Writes "nan at [2,0,5]" into `text` and returns it: element `at` of an array. */
char *lb_bad_place(lb_shape shape, const lb_real *x, int64_t at, char text[LB_PLACE_TEXT]);

/** Writes the first op whose result is not finite, of those that led to the loss of the last lb_backward of a tape:
 *  ": first in net.score: lb_log: its result[4,7] is -inf at [0,3], where x is 0". If the loss is finite, of those that
 *  led to a gradient that a leaf has got: ": first in the backward pass of lb_sqrt: the gradient of x[4,7] is inf at
 *  [2,6], where x is 0". "" if all are finite. NULL is a tape without an lb_backward. */
char *lb_cause_on(const lb_tape *tape, char text[LB_CAUSE_TEXT]);

/** Whether the loss of the last lb_backward of a tape is finite; also without a tape or an lb_backward. */
bool lb_loss_is_finite(const lb_tape *tape);

/** What helps after so many steps that were finite; "" if not even the first was: then no learning rate has been used
 *  yet. */
const char *lb_divergence_advice(int64_t steps);

#endif
