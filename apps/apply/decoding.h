/* Decoding by a model: the operand MODEL is opened, options become those of the library, and symbols of the input that
 * the model does not know are reported. */
#ifndef APP_DECODING_H
#define APP_DECODING_H

#include "base/buffer.h"

#include <lookback/translate.h>

/** lb_translator_open, and lb_translator_about. If `file`, unless NULL, is the model instead, the message says so. */
LB_MUST_USE lb_translator *app_open_model(const char *model, const char *file, lb_translator_facts *about,
                                          lb_error *error);

/** Checks that the model has attention, which the option needs. Errors: LB_ERROR_FORMAT, with the model's file. */
LB_MUST_USE lb_status app_check_attention(const lb_translator_facts *model, const char *option,
                                          lb_error *error);

/** Checks that the training of the model, as far as its file tells, has held pairs out, as --held-out needs.
 *  Errors: LB_ERROR_ARGUMENT, with the model's file; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_check_held_out(const lb_translator_facts *model, lb_error *error);

/* ---- Symbols that a model does not know, and texts unlike those that it does. ---- */

/** The counts. Zero is empty. */
typedef struct app_unknown {
    lb_vocabulary *named;   /* the distinct unknown symbols and their counts */
    int64_t symbols, times; /* all symbols; unknown ones among them */
    bool full;              /* too many: `named` does not have all of them */
    bool strangers_said, shorter_said, longer_said;
    int64_t texts,
        unlike; /* texts that were looked at; those unlike the training, of which `lines` names the first */
    lb_buffer lines;
} app_unknown;

/** Counts the symbols of a text that the model does not know. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_unknown_count(app_unknown *unknown, const lb_translation *text, lb_error *error);

/** Warns, once, that the model knows none of the symbols of line `number` of the input `where`: it may be the wrong
 *  model. */
void app_unknown_note(app_unknown *unknown, const lb_translator_facts *model, const char *where,
                      int64_t number, const lb_translation *text);

/** Warns, once, that the text of line `number` of `where` is shorter or longer than any of the training. */
void app_unknown_length(app_unknown *unknown, const lb_translator_facts *model, const char *where,
                        int64_t number, int64_t length);

/** Counts a text, that of line `number`, and whether it is unlike the training. */
void app_unlike_count(app_unknown *unknown, int64_t number, const lb_translation *text);

/** Reports the texts unlike the training, and the unknown symbols and their counts, most frequent first, in a message
 *  each; nothing if there were none. `where` names the texts. */
void app_unknown_say(app_unknown *unknown, const char *where);

/** Frees the counts. */
void app_unknown_close(app_unknown *unknown);

#endif
