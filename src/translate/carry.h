/* Translations as bytes, from one process to another that runs the same program. */
#ifndef LB_CARRY_H
#define LB_CARRY_H

#include "base/buffer.h"
#include "lookback/translate.h"

/** Appends the results of some texts. If memory runs out, `bytes->failed` is set. */
void lb_carry_out(const lb_translations *all, lb_buffer *bytes);

/** Reads what lb_carry_out has written into all->text, from number `first` on, and the number of layers and heads.
 *  Memory: `bytes` must live as long as `all`, which points into them; the rest is allocated from all->memory.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_carry_in(lb_translations *all, size_t first, char *bytes, lb_error *error);

#endif
