/* Makes a small model for the tests of programs. */
#ifndef SUPPORT_MODEL_MAKER_H
#define SUPPORT_MODEL_MAKER_H

#include <lookback/lookback.h>

/** Trains a model of some kind for this many steps, and writes it. */
typedef lb_status support_train_fn(const char *path, int steps, int kind, lb_error *error);

/** Does so in a separate process: that of the test stays out of OpenMP, because it forks. Ends the test program on
 *  failure. `of` says which function it is. Returns the path of the file `name` in the folder of the test. The tests of
 *  a build share the model until they are linked again: under a sanitizer, training takes longer than most tests. */
const char *support_make_model(const char *of, support_train_fn *train_and_save, const char *name, int steps,
                               int kind);

#endif
