/* Poison that belongs to no tape: what a function returns that has failed and knows no tape to record it on. */
#ifndef LB_POISON_H
#define LB_POISON_H

#include "lookback/tensor.h"

/** This thread's stray poison, with this message in place of the one that it had. */
lb_tensor *lb_poison_stray(lb_status status, const char *format, ...) LB_PRINTF(2, 3);

/** The poison, and the error, of a tape or a store of parameters that there was no memory for. */
lb_tensor *lb_poison_no_memory(void);
const lb_error *lb_error_no_memory(void);

#endif
