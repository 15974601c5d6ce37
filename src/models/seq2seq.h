/* A sequence-to-sequence model: a GRU or an LSTM reads the source; another attends to it and writes the target. */
#ifndef LB_SEQ2SEQ_H
#define LB_SEQ2SEQ_H

#include "lookback/models.h"
#include "models/attention/decoder_attention.h"
#include "nn/linear.h"

/** The kind of lb_seq2seq.base. */
extern const lb_model_kind lb_seq2seq_kind;

typedef struct lb_seq2seq_decoded {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, heads, T, S]; NULL without attention */
    lb_tensor *top;     /* [batch, T, hidden]: the states of the last layer */
    lb_tensor **final;  /* [layers] states to continue from */
    lb_tensor *past;    /* to continue with as lb_attended_memory.past; NULL if the attention needs nothing */
} lb_seq2seq_decoded;

/** Decodes T more tokens from the states in `initial` (those of `encoded`, or `final` of the previous tokens). After
 *  the end of a row, given by target_in.lengths, logits and weights are meaningless; `final` is the state at the
 *  end. */
lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in);

#endif
