/* Stores texts and their outputs in the memory of the result of a call. */
#ifndef LB_KEEP_H
#define LB_KEEP_H

#include "translate/apply/translator.h"

/** The state of one call. */
typedef struct lb_translate_job {
    const lb_translator *translator;
    lb_tape *tape;              /* of this call */
    lb_translate_config config; /* settled */
    lb_translations *all;
    lb_translation **good; /* [good_count] those with a valid text */
    lb_source *source;     /* [good_count] their sources */
    size_t good_count;
    lb_symbols symbols; /* of the current text */
    lb_error *error;
} lb_translate_job;

/** Begins a call with `count` texts, none of them read yet. `error` receives errors, here and below.
 *  Memory: freed by lb_translate_job_end, also after an error. Errors: LB_ERROR_ARGUMENT for a negative
 *          count; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_translate_job_begin(lb_translate_job *job, const lb_translator *translator,
                                             int64_t count, lb_error *error);

/** Frees everything except the result, and returns that. After an error it frees the result, too, and returns NULL. */
lb_translations *lb_translate_job_end(lb_translate_job *job);

/** Splits text `number` into the symbols of the model. With skip_bad_texts, an invalid text only records its error.
 *  Errors: LB_ERROR_FORMAT for an invalid text that is not skipped; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_text(lb_translate_job *job, size_t number, const char *text);

/** Records the error of an invalid text. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_error(const lb_translate_job *job, lb_translation *text, const char *message);

/** Stores a hypothesis as an output of the text good[number]. `width` is the length of the longest source decoded with
 *  it. `symbol` are its symbols; NULL: those of its ids. Errors: LB_ERROR_FORMAT if its score is not finite;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_output(const lb_translate_job *job, size_t number, const lb_hypothesis *found,
                                     int64_t width, const char *const *symbol, lb_output *output);

/** What the log-probability of an output is divided by to get its score. */
double lb_score_divisor(const lb_translate_config *config, int64_t steps);

/** A copy of symbols in memory of the result; NULL if memory runs out. */
const char **lb_keep_symbols(const lb_translate_job *job, const char *const *symbols, size_t count);

/** Memory of the result for `count` elements, at least one byte; NULL if memory runs out. */
void *lb_keep_room(const lb_translate_job *job, size_t count, size_t size);

/** Records LB_ERROR_MEMORY and returns it. */
lb_status lb_keep_failed(const lb_translate_job *job);

#endif
