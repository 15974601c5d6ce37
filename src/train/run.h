/* What makes a training run the one that it is, and in which words another one differs from it. */
#ifndef LB_RUN_H
#define LB_RUN_H

#include "lookback/train.h"

enum { LB_RUN_WORD = 64, LB_RUN_DIFFERENCES = 32 };

/** A member of which the descriptions of two runs, JSON objects, have different values. */
typedef struct lb_run_difference {
    char name[LB_RUN_WORD]; /* of the member; one of an object within has its own name alone */
    char found[LB_RUN_WORD], ours[LB_RUN_WORD]; /* the values as text; "" where there is none */
} lb_run_difference;

typedef struct lb_run_differences {
    lb_run_difference list[LB_RUN_DIFFERENCES]; /* in the order of `ours`; the rest is left out */
    int count;
} lb_run_differences;

/** Compares two descriptions, member by member. "steps" is not compared: a run may be made longer.
 *  Errors: LB_ERROR_FORMAT if `found` is another text and either is no JSON object; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_compare(const char *found, const char *ours, lb_run_differences *differences,
                                     lb_error *error);

/** Forgets the differences of this name. Returns whether there were any. */
bool lb_run_forget(lb_run_differences *differences, const char *name);

/** Says all differences, in the words of `config->setting`: LB_ERROR_FORMAT, "it was trained with batch 64, this run has
 *  batch 32", after `first`, unless that is "". LB_OK if nothing is to be said. */
LB_MUST_USE lb_status lb_run_refuse(const lb_trainer_config *config, const char *first,
                                    const lb_run_differences *differences, lb_error *error);

/** A string as a value in messages: in quotes if it is empty or has blanks. Returns `word`. */
char *lb_run_word(const char *string, char word[LB_RUN_WORD]);

/** The words for a setting: those of `config->setting`, or name and value. Returns `text`. */
char *lb_run_setting(const lb_trainer_config *config, const char *name, const char *value,
                     char text[2 * LB_RUN_WORD]);

#endif
