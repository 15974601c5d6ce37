/* A sequence-to-sequence model: a GRU reads the source, a GRU that attends to it writes the target. */
#ifndef LB_SEQ2SEQ_H
#define LB_SEQ2SEQ_H

#include "lookback/models.h"
#include "models/decoder_attention.h"
#include "nn/linear.h"

/** Of lb_seq2seq.base. */
extern const lb_model_kind lb_seq2seq_kind;

typedef struct lb_seq2seq_decoded {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, heads, T, S]; NULL without attention */
    lb_tensor **final;  /* [layers] of [batch, hidden]: where to go on */
} lb_seq2seq_decoded;

/** Decodes T more tokens from the states in `initial` (those of `encoded`, or `final` of the tokens before). Behind the
 *  end of a row, which target_in.lengths tells, logits and weights mean nothing; `final` is the state at its end. */
lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in);

#endif
