/* What can be exported. */
#ifndef APP_EXPORTABLE_H
#define APP_EXPORTABLE_H

#include "translate/file/text_model.h"

/** Checks that the model can become a C file. Errors: LB_ERROR_FORMAT, which names what cannot, and what can; `path` is the
 *  file of the model. */
LB_MUST_USE lb_status app_exportable(const char *path, const lb_text_model *model, lb_error *error);

#endif
