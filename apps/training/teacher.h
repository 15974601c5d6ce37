/* Pairs that a trained model teaches a new one: sequence-level distillation, after Kim, Rush 2016, arXiv:1606.07947. */
#ifndef APP_TAUGHT_H
#define APP_TAUGHT_H

#include <lookback/translate.h>

/** Who teaches, and what. */
typedef struct app_teaching {
    const char *teacher;    /* a model; NULL: none */
    const char *unlabelled; /* a file of sources without targets; NULL: none */
    const char *train;      /* the pairs */
    lb_pair_format format;  /* of both files; then that of the one to write, which is TSV */
    int made_up;            /* sources to make up from those of `train`; negative: as many as it has pairs */
    uint64_t seed;          /* of what is made up */
    const char *pairs;      /* the file to write */
    const char *seal;       /* written behind it: a hash of all that decides it, and of the file */
} app_teaching;

/** Writes the pairs of the training to a file, with the same columns, and behind them what the teacher writes for their
 *  sources, where it differs, for those of the file without targets, and for made-up ones (lb_cross_sources). Outputs
 *  without an end, or with an unknown symbol, are left out. Shows the progress, and says how many pairs there are. If
 *  the same teacher has already written the same, for an interrupted training, it keeps the file: the seal tells.
 *  Errors: those of opening the model and reading the files; LB_ERROR_WRITE; LB_ERROR_MEMORY; LB_ERROR_INTERRUPTED,
 *          with nothing written. */
LB_MUST_USE lb_status app_taught_write(app_teaching *teaching, lb_error *error);

#endif
