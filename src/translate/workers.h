/* Processes that translate together: the first one has the texts, and gives a batch to each. */
#ifndef LB_WORKERS_H
#define LB_WORKERS_H

#include "lookback/translate.h"

/** The processes, and the model, which each of them has opened. Zero but for the translator is this process alone. */
typedef struct lb_workers {
    const lb_group *group; /* of any size; NULL: this process alone */
    lb_translator *translator;
    bool lost; /* an exchange has failed: the others can no longer be told anything */
} lb_workers;

/** Texts in batches. The last bits of a result can depend on the texts that are decoded side by side; so a batch stays
 *  whole, and the number of processes does not change its results. */
typedef struct lb_text_batches {
    const char *const *text; /* of all batches, one after the other */
    const size_t *size;      /* [count] texts of each */
    int count;               /* at most as many as there are processes */
} lb_text_batches;

/** Compares the build and the file of the model. Everyone calls this first; `group` may be NULL.
 *  Errors: LB_ERROR_ARGUMENT in all processes, with the name of the first that differs from process 0; LB_ERROR_OPEN and
 *          LB_ERROR_MEMORY for the file; those of the exchange. */
LB_MUST_USE lb_status lb_workers_begin(lb_workers *workers, const lb_group *group, lb_translator *translator,
                                       lb_error *error);

/** lb_translate_all for each batch, in process 0: it has the first one itself, and other processes have the others.
 *  Result: of all texts, in their order; NULL after an error. Memory: freed by lb_translations_free.
 *  Errors: those of lb_translate_all, which counts a text within its batch, with the name of another process whose memory
 *          runs out; those of the exchange. */
LB_MUST_USE lb_translations *lb_workers_translate(lb_workers *workers, lb_text_batches batches,
                                                  lb_translate_config config, lb_error *error);

/** Tells the others, which wait for batches, to wait on: more often than they lose patience. As `idle` of lb_lines.
 *  `workers` is an lb_workers of process 0. Errors: those of the exchange. */
LB_MUST_USE lb_status lb_workers_hold(void *workers, lb_error *error);

/** Translates what process 0 gives, in every other process, until it ends.
 *  Errors: the status with which process 0 ended; those of the exchange; LB_ERROR_MEMORY for texts. */
LB_MUST_USE lb_status lb_workers_serve(lb_workers *workers, lb_error *error);

/** Ends the others: process 0 calls this last, with what came of its work, also after an error. Returns `status`, or an
 *  error of the exchange if that is LB_OK. */
LB_MUST_USE lb_status lb_workers_end(lb_workers *workers, lb_status status, lb_error *error);

#endif
