/* What can be exported. */
#ifndef APP_EXPORTABLE_H
#define APP_EXPORTABLE_H

#include "translate/file/text_model.h"

/** What of a model cannot be exported, as the subject of a sentence: "coverage" and "attention". `what` is NULL if
 *  nothing is in the way, and `kind` if that has no name. */
typedef struct app_hindrance {
    const char *kind, *what;
} app_hindrance;

/** Checks that the model, of the file `path`, can become a C file with such a beam. Errors: LB_ERROR_FORMAT, which
 *  names what cannot, and what can. */
LB_MUST_USE lb_status app_exportable(const char *path, const lb_text_model *model, int beam, lb_error *error);

/** The same for ONNX. */
LB_MUST_USE lb_status app_exportable_as_onnx(const char *path, const lb_text_model *model, lb_error *error);

#endif
