/* The identity of a run, such as a training, as a JSON object, and messages about how another run differs. */
#ifndef LB_RUN_DIFFERENCES_H
#define LB_RUN_DIFFERENCES_H

#include "lookback/base.h"

enum { LB_RUN_WORD = 64, LB_RUN_DIFFERENCES = 32 };

/** A member that differs between the descriptions of two runs, which are JSON objects. */
typedef struct lb_run_difference {
    char name[LB_RUN_WORD]; /* of the member; in a nested object without the object's name */
    char found[LB_RUN_WORD], ours[LB_RUN_WORD]; /* the values as text; "" if missing */
} lb_run_difference;

typedef struct lb_run_differences {
    lb_run_difference list[LB_RUN_DIFFERENCES]; /* in the order of `ours`; the rest is left out */
    int count;
} lb_run_differences;

/** Compares two descriptions, member by member, except "steps": a run may be extended.
 *  Errors: LB_ERROR_FORMAT if the texts differ and one is not a JSON object; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_compare(const char *found, const char *ours, lb_run_differences *differences,
                                     lb_error *error);

/** The difference with this name; NULL if there is none. */
lb_run_difference *lb_run_find(lb_run_differences *differences, const char *name);

/** Removes the differences with this name. Returns whether there were any. */
bool lb_run_forget(lb_run_differences *differences, const char *name);

/** Who writes the name of a setting in messages, such as "--batch 64". The value is "" if a run does not have it. */
typedef struct lb_run_words {
    void (*setting)(void *context, const char *name, const char *value, char *text,
                    size_t size); /* or NULL */
    void *context;
} lb_run_words;

/** LB_ERROR_FORMAT with `first`, unless it is "", and all differences, in these words: "it was trained with batch 64,
 *  this run has batch 32". LB_OK if there are none and `first` is "". */
LB_MUST_USE lb_status lb_run_refuse(const lb_run_words *words, const char *first,
                                    const lb_run_differences *differences, lb_error *error);

/** Formats a string for messages: in quotes if it is empty or has blanks. Returns `word`. */
char *lb_run_word(const char *string, char word[LB_RUN_WORD]);

/** Describes a setting: in these words, or by name and value. Returns `text`. */
char *lb_run_setting(const lb_run_words *words, const char *name, const char *value,
                     char text[2 * LB_RUN_WORD]);

#endif
