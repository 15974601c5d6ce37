/* The two forms of evaluate: for a model, and for predictions. */
#ifndef APP_EVALUATE_H
#define APP_EVALUATE_H

#include "evaluate/measures.h"

/** What the command line asks for. */
typedef struct app_evaluate {
    const char *pairs;     /* the file with the references */
    lb_pair_format format; /* of its lines; a model has its own symbol rules */
    app_judging judging;
    /* For a model. */
    int batch, beam;
    double length_penalty;
    bool copy_unknown;
} app_evaluate;

/** Opens a score, applies the model, a file or a folder, to the sources of the pairs, and adds its outputs.
 *  Memory: the caller closes `score`, also after an error.
 *  Errors: those of reading model and pairs, and of decoding. */
LB_MUST_USE lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score,
                                         lb_error *error);

/** Opens a score, and adds the outputs of the file `predictions` ("-" is standard input) to it. As in the output of
 *  predict, each line is a source, a tab and an output, for each line of the pairs. An output may be empty.
 *  Errors: LB_ERROR_FORMAT, with file and line, also if a source differs from that of the pair; LB_ERROR_OPEN;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_evaluate_predictions(const app_evaluate *asked, const char *predictions,
                                               app_score *score, lb_error *error);

#endif
