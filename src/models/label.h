/* What a model is, in a word. */
#ifndef LB_LABEL_H
#define LB_LABEL_H

#include "lookback/kinds.h"

enum { LB_LABEL = 64 };

/** Writes the attention of a seq2seq, otherwise the kind of the model, and "-backward" if it writes from the end, such
 *  as "additive", "transformer" or "general-backward". Returns `text`. */
const char *lb_model_label(const lb_model *model, char text[LB_LABEL]);

#endif
