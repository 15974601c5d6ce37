/* The record of a training in the file of its model. */
#ifndef LB_RECORD_H
#define LB_RECORD_H

#include "lookback/train.h"

/** The record of a training, for lb_text_model.training: {"steps", "exact_match": of `kept`, "best_step", "seed",
 *  "options": unless NULL, a JSON object, "settings": the same, what the options left open, "history": [as in the log,
 *  but without seconds]}. Equal trainings have equal records, on however many threads and whether they were interrupted
 *  or not.
 *  Kept: the point of the history whose weights the file has.
 *  Memory: release it with lb_release; NULL if there is no memory. */
char *lb_training_record(const lb_train_history *history, const lb_train_point *kept, uint64_t seed,
                         const char *options, const char *settings);

#endif
