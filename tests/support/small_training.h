/* A training by the library that takes a third of a second and gets nearly everything right. */
#ifndef SUPPORT_SMALL_TRAINING_H
#define SUPPORT_SMALL_TRAINING_H

#include "support/tempdir.h"

#include <lookback/translate.h>

enum { SUPPORT_SMALL_PAIRS = 500, SUPPORT_SMALL_STEPS = 300 };

/** The files of its pairs. */
extern const char *support_small_train_file, *support_small_dev_file;

/** Writes the pairs of support_small_config, words to spell backwards, to the folder of the test. */
void support_small_files(void);

/** The configuration of SUPPORT_SMALL, on one thread, for the folder of this name. */
lb_training_config support_small_config(const char *name);

/** Trains, which must succeed. */
lb_training_result support_small_train(const lb_training_config *config);

/** Trains in a process of its own, which ends in the middle of this step. */
void support_small_dies(lb_training_config config, int step);

/** Opens a model, which must succeed. */
lb_translator *support_open_model(const char *path);

/** Trains, which must fail with this status, and a message that has this text. */
void support_small_refused(const lb_training_config *config, lb_status status, const char *why);

#endif
