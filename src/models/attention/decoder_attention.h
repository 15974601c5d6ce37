/* The attention of a recurrent decoder: one interface for all types. What is attended to, and what comes of it, is
 * lb_attended; what attends, a layer of the decoder, is lb_attending. */
#ifndef LB_DECODER_ATTENTION_H
#define LB_DECODER_ATTENTION_H

#include "lookback/models.h"
#include "nn/layers.h"

/** A layer of a decoder that attends with its state before each step and reads the context with the token. */
typedef struct lb_attending_layer {
    const lb_decoder_attention *attention;
    const lb_recurrent_cell *cell;
    const lb_attended_memory *memory;
} lb_attending_layer;

typedef struct lb_attending_result {
    lb_tensor *outputs;      /* [batch, T, hidden] */
    lb_tensor *final;        /* the state at the end of each row, as that of the cell */
    lb_tensor *past;         /* as lb_attended_memory.past */
    lb_attended_result seen; /* contexts [batch, T, depth], weights [batch, T, S] */
} lb_attending_result;

/** The layers that make logits of a state and a context: output(tanh(combine([state; context]))). */
typedef struct lb_output_layers {
    lb_linear combine, output;
    lb_real dropout; /* of what they read */
} lb_output_layers;

/** What an attention without a context predicts. */
typedef struct lb_attended_logits {
    lb_tensor *logits;  /* [batch, T, target_vocab] log-probabilities */
    lb_tensor *weights; /* [batch, T, S] */
    lb_tensor *past;    /* as lb_attended_memory.past */
} lb_attended_logits;

/** A built-in type, and how it differs from a custom one. Each is defined in the file of its kind, by LB_ATTENTION. All
 *  members but `type` may be left out, as they are for a custom type. */
typedef struct lb_built_in_attention {
    lb_attention_type type; /* comes first */

    /* Which kind this is, of those in the same file. */
    int variant;

    /* Whether `own` is an lb_multi_head. */
    bool multi_head;

    /* The default of lb_seq2seq_config.window; 0: it has no window. */
    int64_t window;

    /* What copying needs instead, in a message; NULL: symbols can be copied by the weights of this attention. */
    const char *copying_needs;

    /* Estimated numbers per token and row that it adds to the state of a decoder, and as many for each symbol of the
     * target vocabulary and for each unit of the decoder. */
    int64_t reals, reals_per_symbol, reals_per_unit;

    /* lb_attended_memory.past before the first step; without it NULL. `backward`: the model writes from the end.
     * Shapes: mask [batch, S]. */
    lb_tensor *(*begin)(const lb_decoder_attention *attention, lb_tensor *mask, bool backward);

    /* `past` after some steps; it stays as it is for a row that has ended. Shapes: weights [batch, T, S]; lengths
     * [batch] steps of each row, NULL: T. */
    lb_tensor *(*next)(const lb_decoder_attention *attention, lb_tensor *past, lb_tensor *weights,
                       const int32_t *lengths);

    /* Whether layer 0 attends with its state before each step and reads the context with the token. Otherwise the last
     * layer attends with its states after the steps. See docs/adr/0010-attending-after-the-step.md. */
    bool attends_first;

    /* All steps of such a layer with a GRU, as lb_stepwise_attend, in one op; NULL: step by step. */
    lb_attending_result (*run_gru)(const lb_attending_layer *layer, lb_gates gates, const int32_t *lengths,
                                   lb_tensor *state);

    /* Whether it reads a source in the order in which the model writes: for one that writes from the end, from its end.
     * The model turns sources and weights. */
    bool reads_back;

    /* Hard attention has no context, and does itself what other kinds leave to the output layers. After `init`, it gets
     * these layers, which live as long as the params. Its `ask` is NULL. */
    void (*bind)(lb_decoder_attention *attention, const lb_output_layers *layers);
    lb_attended_logits (*predict)(const lb_decoder_attention *attention, lb_tensor *states,
                                  const lb_attended_memory *memory, lb_tokens target_in);
} lb_built_in_attention;

/** Defines a built-in type. types.c lists its id. */
#define LB_ATTENTION(id, text, ...)                                                                          \
    const char lb_attention_name_##id[] = text;                                                              \
    const lb_built_in_attention lb_attention_##id = {.type.name = lb_attention_name_##id, __VA_ARGS__};

/** The built-in types in the order of lb_attention_kind; ends with NULL. */
extern const lb_built_in_attention *const lb_built_in_attentions[];

/** The type of an attention that is not custom. */
const lb_built_in_attention *lb_built_in_attention_of(const lb_decoder_attention *attention);

/** Whether it is the built-in one of this kind, and not a custom one. */
bool lb_attention_is(const lb_decoder_attention *attention, lb_attention_kind kind);

/** The type with this name, built-in or custom; otherwise as lb_model_kind_find. */
const lb_attention_type *lb_attention_type_find(const char *name, const lb_extensions *own, lb_error *error);

/** Checks a custom type, one of `own`. Errors: LB_ERROR_ARGUMENT if its name is already taken, or too long. */
LB_MUST_USE lb_status lb_attention_type_check(const lb_attention_type *type, const lb_extensions *own,
                                              lb_error *error);

/** Adds the parameters of the type below NAME.
 *  Errors: LB_ERROR_ARGUMENT if the type does not support the widths or heads; as lb_params_add. Recorded in
 *          `params`. */
lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    const lb_attention_type *type, lb_decoder_attention_config config);

/** Shapes: outputs [batch, S, key], mask [batch, S]. */
lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask);

/** Attends with some states, the first of them `step` steps after those of the memory. Not for a type without `ask`.
 *  Shapes: query [batch, Q, query] -> context [batch, Q, depth], weights [batch, heads, Q, S], or [batch, Q, S] with
 *          one head. */
lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory, int64_t step);

/** Runs a layer that attends before each step, in small steps: for cells and kinds of attention without a fused op.
 *  With additive attention and a GRU, it computes what lb_attention_gru_sequence does.
 *  Shapes: gates [batch, T, gates hidden], the part of the tokens; lengths [batch] or NULL; state as that of the cell.
 *  Errors: as the ops; all results are then poison. */
lb_attending_result lb_stepwise_attend(const lb_attending_layer *layer, lb_tensor *gates,
                                       const int32_t *lengths, lb_tensor *state);

/* ---- hard.c: exact hard attention (docs/adr/0026-exact-hard-attention.md). ---- */

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
