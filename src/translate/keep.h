/* What a call of the library keeps of texts and of what becomes of them, in the memory of its result. */
#ifndef LB_KEEP_H
#define LB_KEEP_H

#include "translate/translator.h"

/** A call at work. */
typedef struct lb_translate_job {
    lb_translator *translator;
    lb_translate_config config; /* settled */
    lb_translations *all;
    lb_translation **good; /* [good_count] those that can be read */
    lb_source *source;     /* [good_count] theirs */
    size_t good_count;
    lb_symbols symbols; /* of the text that is being read */
    lb_error *error;
} lb_translate_job;

/** Begins with `count` texts, none of which has been read. `error` receives what fails, here and below.
 *  Memory: to be given to lb_translate_job_end, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_translate_job_begin(lb_translate_job *job, lb_translator *translator, size_t count,
                                             lb_error *error);

/** Frees all but the result, which it returns; after an error that too, and NULL. */
lb_translations *lb_translate_job_end(lb_translate_job *job);

/** Reads text `number` as the model does. What is wrong with it is its own error.
 *  Errors: LB_ERROR_FORMAT if bad texts are not to be skipped; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_text(lb_translate_job *job, size_t number, const char *text);

/** Records the error of a text that cannot be read. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_error(const lb_translate_job *job, lb_translation *text, const char *message);

/** Keeps a hypothesis as an output of a text. `width` is the length of the longest source that was decoded with it.
 *  `symbol`, unless NULL, are its symbols; else they are those of its ids.
 *  Errors: LB_ERROR_FORMAT if its score is not finite; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_output(const lb_translate_job *job, const lb_translation *text,
                                     const lb_hypothesis *found, int64_t width, const char *const *symbol,
                                     lb_output *output);

/** A copy of symbols in memory of the result; NULL if there is none. */
const char **lb_keep_symbols(const lb_translate_job *job, const char *const *symbols, size_t count);

/** Memory of the result for `count` things, at least one byte: NULL says that there is none. */
void *lb_keep_room(const lb_translate_job *job, size_t count, size_t size);

/** Records that there is no memory, and returns the status. */
lb_status lb_keep_failed(const lb_translate_job *job);

#endif
