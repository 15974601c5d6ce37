/* Says which symbols of its input a model does not know. */
#ifndef APP_UNKNOWN_H
#define APP_UNKNOWN_H

#include <lookback/translate.h>

/** What has been counted. Zero is nothing. */
typedef struct app_unknown {
    lb_vocabulary *named;   /* those that are told apart, with how often each occurred */
    int64_t symbols, times; /* of all texts; of these, unknown ones */
    bool full;              /* not all are told apart: there are too many */
    bool strangers_said;
} app_unknown;

/** Counts the symbols of a text that the model does not know. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_unknown_count(app_unknown *unknown, const lb_translation *text, lb_error *error);

/** Says, once, of the line `number` of standard input, that the model does not know a single one of its symbols: the
 *  user may have taken another model. */
void app_unknown_note(app_unknown *unknown, const lb_translator_facts *model, int64_t number,
                      const lb_translation *text);

/** Says which symbols were unknown and how often, the most frequent first, in one message; nothing if there were none.
 *  `where` names the texts. */
void app_unknown_say(app_unknown *unknown, const char *where);

/** Frees all. */
void app_unknown_close(app_unknown *unknown);

#endif
