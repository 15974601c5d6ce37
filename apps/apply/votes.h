/* What the members of a model would have written by themselves. */
#ifndef APP_VOTES_H
#define APP_VOTES_H

#include "base/buffer.h"
#include <lookback/translate.h>

/** The outputs of each member for the same texts. Zero is none. */
typedef struct app_votes {
    const lb_ensemble *ensemble;
    lb_translations **member; /* [ensemble->count] */
} app_votes;

/** Lets each member of the ensemble translate the texts alone.
 *  Memory: freed by app_votes_close, also after an error. Errors: those of lb_translate_all. */
LB_MUST_USE lb_status app_votes_ask(app_votes *votes, lb_translator *translator, const char *const *texts,
                                    size_t count, lb_translate_config config, lb_error *error);

/** Appends a line for the common output of text `at`, and one for each member: source, output, score, weight, kind. */
void app_votes_print(lb_buffer *lines, const app_votes *votes, size_t at, const char *source,
                     const lb_translation *together);

/** Adds a member "votes" to the JSON object at the end of `json`. */
void app_votes_add(const app_votes *votes, size_t at, lb_buffer *json);

/** Frees the outputs. */
void app_votes_close(app_votes *votes);

#endif
