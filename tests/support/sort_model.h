/* Trained models for tests of programs. */
#ifndef SUPPORT_SORT_MODEL_H
#define SUPPORT_SORT_MODEL_H

#include <lookback/lookback.h>

/** In addition to the kinds of attention of a seq2seq, which are numbers, too: a transformer of two layers. */
enum { SUPPORT_TRANSFORMER = -1 };

/** Trains a small model to sort 2 to 4 numbers from 0 to 9, in about a second, and saves it to the folder of the
 *  test as train_sort would. Returns its path. With `steps` 0 it saves the untrained model, whose output is nonsense. A
 *  failure ends the test program with a message.
 *  It trains in a separate process: tests that Check forks must not inherit the threads of a parent. */
const char *support_train_model(const char *name, int steps, int kind);

#endif
