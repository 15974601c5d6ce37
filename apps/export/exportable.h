/* What can be exported. */
#ifndef APP_EXPORTABLE_H
#define APP_EXPORTABLE_H

#include "translate/file/text_model.h"

/** Checks that the model, of the file `path`, can become a C file with such a beam. Errors: LB_ERROR_FORMAT, which
 *  names what cannot, and what can. */
LB_MUST_USE lb_status app_exportable(const char *path, const lb_text_model *model, int beam, lb_error *error);

/** The same for ONNX. */
LB_MUST_USE lb_status app_exportable_as_onnx(const char *path, const lb_text_model *model, lb_error *error);

#endif
