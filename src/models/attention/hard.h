/* Exact hard attention in a recurrent decoder (docs/adr/0026-exact-hard-attention.md). */
#ifndef LB_MODELS_HARD_ATTENTION_H
#define LB_MODELS_HARD_ATTENTION_H

#include "models/attention/decoder_attention.h"

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
    lb_linear score;         /* W: score_tj = (W state_t)' output_j */
    lb_linear jump;          /* LB_HARD_MONOTONIC_1: state -> LB_HARD_JUMPS */
    lb_output_layers layers; /* of the model, applied to each pair of a step and a position */
} lb_hard_attention;

/** The parameters of an attention; NULL if it is of another kind. */
const lb_hard_attention *lb_hard_attention_of(const lb_decoder_attention *attention);

/** What the ops of hard attention read. */
typedef struct lb_hard_view {
    lb_tensor *logits; /* [batch, T, S, target_vocab] */
    lb_tensor *scores; /* [batch, T, S] */
    lb_tensor *jumps;  /* [batch, T, LB_HARD_JUMPS] or NULL */
} lb_hard_view;

/** Looks at all positions with some states [batch, T, query]. */
lb_hard_view lb_hard_attention_look(const lb_decoder_attention *attention, lb_tensor *states,
                                    const lb_attended_memory *memory);

#endif
