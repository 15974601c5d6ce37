/* Says which symbols of its input a model does not know. */
#ifndef APP_UNKNOWN_H
#define APP_UNKNOWN_H

#include <lookback/translate.h>

/** What has been said. Zero is nothing. */
typedef struct app_unknown {
    lb_vocabulary *named;
    int64_t times; /* unknown symbols altogether */
    bool strangers_said;
} app_unknown;

/** Says on standard error which symbols of a text, the line `number` of standard input, the model does not know, each
 *  once; and, once, that it does not know a single one of them: the user may have taken another model. Errors:
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_unknown_note(app_unknown *unknown, const lb_translator_facts *model, int64_t number,
                                       const lb_translation *text, lb_error *error);

/** Sums up what was too much to be told one by one, and frees all. */
void app_unknown_close(app_unknown *unknown);

#endif
