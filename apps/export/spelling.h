/* The symbols of a model, and what their normal form needs of Unicode, as constants in C. */
#ifndef APP_SPELLING_H
#define APP_SPELLING_H

#include "export/assemble.h"
#include "translate/file/text_model.h"

/** Adds the tables, and the flags and sizes of text in the kernel. `longest` is the most symbols of a text, `limit`
 *  that of an output.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_spelling_add(const lb_text_model *model, int64_t longest, int64_t limit,
                                       app_kernel *kernel, lb_buffer *out, lb_error *error);

#endif
