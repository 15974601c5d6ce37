/* Exact hard attention in a recurrent decoder (docs/adr/0026-exact-hard-attention.md). */
#ifndef LB_MODELS_HARD_ATTENTION_H
#define LB_MODELS_HARD_ATTENTION_H

#include "models/seq2seq.h"

/** How the positions of two steps depend on each other. */
typedef enum lb_hard_order {
    LB_HARD_FREE,        /* not at all */
    LB_HARD_MONOTONIC,   /* never to the left */
    LB_HARD_MONOTONIC_1, /* and by how far */
} lb_hard_order;

/** Jumps with a score of their own: by 0 to 3, and by 4 or more positions. */
enum { LB_HARD_JUMPS = 5 };

/** The parameters of the attention. */
typedef struct lb_hard_attention {
    lb_hard_order order;
    lb_linear score; /* W: score_tj = (W state_t)' output_j */
    lb_linear jump;  /* LB_HARD_MONOTONIC_1: state -> LB_HARD_JUMPS */
} lb_hard_attention;

/** The attention of a model; NULL if it has no hard attention. */
const lb_hard_attention *lb_hard_attention_of(const lb_seq2seq *model);

/** lb_attention_type.init. Errors: as lb_params_add. */
lb_status lb_hard_attention_init(lb_decoder_attention *attention, lb_params *params, lb_hard_order order);

/** Whether the model reads its sources from the end, as it writes its targets: then a path to the left in the texts is one
 *  to the right in the model. */
bool lb_hard_attention_reads_back(const lb_seq2seq *model);

/** The part of `combine` that depends on the encoder outputs, as lb_attended_memory.keys.
 *  Shapes: outputs [batch, S, key] -> [batch, S, width of the output layer's input]. */
lb_tensor *lb_hard_attention_keys(const lb_seq2seq *model, lb_tensor *outputs);

/** What the ops of hard attention read. */
typedef struct lb_hard_view {
    lb_tensor *logits; /* [batch, T, S, target_vocab] */
    lb_tensor *scores; /* [batch, T, S] */
    lb_tensor *jumps;  /* [batch, T, LB_HARD_JUMPS] or NULL */
} lb_hard_view;

/** Looks at all positions with some states [batch, T, query]. */
lb_hard_view lb_hard_attention_look(const lb_seq2seq *model, lb_tensor *states,
                                    const lb_attended_memory *memory);

/** Sums over the positions: log-probabilities as logits, the weights [batch, 1, T, S], and the beliefs to continue
 *  with. `final` of the result is not set. */
lb_seq2seq_decoded lb_hard_attention_decode(const lb_seq2seq *model, lb_tensor *states,
                                            const lb_seq2seq_encoded *encoded, lb_tokens target_in);

#endif
