/* predict, for each kind of input. */
#ifndef APP_PREDICT_H
#define APP_PREDICT_H

#include <lookback/io.h>

#include <stdbool.h>

/** What the command line asks for. */
typedef struct app_predict {
    const char *attention; /* a file for where the model looked; NULL: nowhere */
    int batch, beam;       /* beam 0: as usual for such a model */
    /* For texts. */
    double length_penalty;
    int n_best; /* outputs for each source, with their scores; 0: the best alone, without */
    int source_column;
    bool skip_bad_lines;
} app_predict;

/** Sorts the lists of standard input, a line each, with the model in `file`, which lies at `path`.
 *  Errors: those of reading model and lists; LB_ERROR_WRITE without a message if standard output is lost. */
LB_MUST_USE lb_status app_predict_lists(const app_predict *asked, const char *path,
                                        const lb_safetensors *file, lb_error *error);

/** Applies the model to the texts of standard input, a line each. Errors: as app_predict_lists. */
LB_MUST_USE lb_status app_predict_texts(const app_predict *asked, const char *path,
                                        const lb_safetensors *file, lb_error *error);

#endif
