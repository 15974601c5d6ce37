/* Poison without a tape: the result of a function that fails and has no tape on which to record the error. */
#ifndef LB_POISON_H
#define LB_POISON_H

#include "lookback/tensor.h"

/** The stray poison of this thread, with this message instead of the previous one. */
lb_tensor *lb_poison_stray(lb_status status, const char *format, ...) LB_PRINTF(2, 3);

/** The poison and the error of a tape or store of parameters that could not be allocated. */
lb_tensor *lb_poison_no_memory(void);
const lb_error *lb_error_no_memory(void);

#endif
