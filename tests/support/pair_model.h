/* Trained models of pairs of texts for tests of programs. */
#ifndef SUPPORT_PAIR_MODEL_H
#define SUPPORT_PAIR_MODEL_H

#include <lookback/lookback.h>

/** In addition to the kinds of attention of a seq2seq, which are numbers, too: an ensemble of two of them. */
enum { SUPPORT_ENSEMBLE = -1 };

/** Trains a small model to spell words of one to three letters from a, b, c, d, e and e with an acute accent, in about
 *  a second, and saves it to the folder of the test: "bad" becomes "B A tʃ", and the accent, a separate symbol in NFD,
 *  becomes a length mark, "ː". Returns its path. With `steps` 0 it saves the untrained model, whose output is nonsense.
 *  A failure ends the test program with a message. It trains in a separate process, as support_train_model does. */
const char *support_train_pair_model(const char *name, int steps, int kind);

#endif
