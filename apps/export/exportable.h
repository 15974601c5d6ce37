/* What can be exported. */
#ifndef APP_EXPORTABLE_H
#define APP_EXPORTABLE_H

#include "export/assemble.h"
#include "export/numbers.h"
#include "export/onnx/hindrance.h"
#include "export/onnx/onnx.h"

/** A kind of model that can be exported: what of a model each form lacks, and what writes it. */
typedef struct app_exportable_kind {
    const lb_model_kind *kind;
    app_hindrance (*in_c)(const lb_model *model), (*in_onnx)(const lb_model *model);
    lb_status (*add_to_c)(const lb_model *model, app_numbers *numbers, app_kernel *kernel, lb_error *error);
    app_onnx_add *add_to_onnx;
    lb_normalizer (*weights)(const lb_model *model); /* of its attention */
} app_exportable_kind;

/** The kind of this model; NULL if it cannot be exported. */
const app_exportable_kind *app_exportable_kind_of(const lb_model *model);

/** Checks that the model, of the file `path`, can become a C file with such a beam. Errors: LB_ERROR_FORMAT, which
 *  names what cannot, and what can. */
LB_MUST_USE lb_status app_exportable(const char *path, const lb_text_model *model, int beam, lb_error *error);

/** The same for ONNX. */
LB_MUST_USE lb_status app_exportable_as_onnx(const char *path, const lb_text_model *model, lb_error *error);

#endif
