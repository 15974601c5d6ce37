/* evaluate, for a model and for predictions. */
#ifndef APP_EVALUATE_H
#define APP_EVALUATE_H

#include "common/score.h"

/** What the command line asks for. */
typedef struct app_evaluate {
    const char *pairs;     /* the file with the references */
    lb_pair_format format; /* of its lines; a model brings its own rules */
    /* For a model. */
    int batch, beam;
    double length_penalty;
    bool copy_unknown;
} app_evaluate;

/** Applies the model, a file or a folder, to the sources of the pairs and adds its outputs to a score that this opens.
 *  Memory: `score` is the caller's to close, also after an error.
 *  Errors: those of reading model and pairs, and of decoding. */
LB_MUST_USE lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score,
                                         lb_error *error);

/** Adds the outputs of the file `predictions`, "-" is standard input, to a score that this opens: lines of a source, a
 *  tab and an output, one for each line of the pairs, as predict writes them for the sources of these. An output may be
 *  empty.
 *  Errors: LB_ERROR_FORMAT, with file and line, also where a source is not that of the pair; LB_ERROR_OPEN;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_evaluate_predictions(const app_evaluate *asked, const char *predictions,
                                               app_score *score, lb_error *error);

#endif
