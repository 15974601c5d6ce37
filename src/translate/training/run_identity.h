/* The identity of a training, and the message if a checkpoint belongs to another one. */
#ifndef LB_RUN_IDENTITY_H
#define LB_RUN_IDENTITY_H

#include "translate/training/model.h"

/** The settings that determine the weights, for lb_trainer_config.run: a JSON object, to be released with lb_release;
 *  NULL if memory runs out. Steps, patience and target are not compared: a finished run can be resumed with more of
 *  them. */
char *lb_run_identity(const lb_training *training);

/** What an earlier session has decided about its run. */
typedef struct lb_run_facts {
    int shards, steps;
    int embed, hidden; /* of a seq2seq; the width of a transformer */
} lb_run_facts;

/** The facts of the run that a checkpoint belongs to; all 0 without a checkpoint, or with one that lb_train will
 *  refuse. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_identity_facts(const char *checkpoint, lb_run_facts *facts, lb_error *error);

/** Compares the settings of a checkpoint with ours. Errors: LB_ERROR_FORMAT with the differences; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_identity_check(const lb_training *training, const lb_trainer_config *trainer,
                                            const char *found, const char *ours, lb_error *error);

#endif
