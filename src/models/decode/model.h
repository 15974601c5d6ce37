/* Decoding with a model of any kind: its steps, the hypotheses that they make, and forced decoding. */
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "lookback/kinds.h"
#include "lookback/models.h"

/* ---- model.c ---- */

/** The function that a kind cannot work without and lacks, or "name"; NULL if it has all. Files need more. */
const char *lb_model_kind_lacks(const lb_model_kind *kind);

/** model->kind->encode. Errors: LB_ERROR_ARGUMENT for a kind that lacks something, or that has no steps. */
lb_decoder_state lb_model_encode(const lb_model *model, lb_tokens source);

/** model->kind->decode, with a check of the shapes of logits and weights, which code that copies them relies on.
 *  Errors: LB_ERROR_SHAPE if they differ from the sizes of the model. */
lb_model_step lb_model_decode(const lb_model *model, lb_decoder_state state, lb_tokens target_in,
                              int64_t source_length);

/** The probabilities that a model gives to each symbol: lb_softmax of the logits, or lb_sparsemax or lb_entmax15.
 *  No output has LB_PAD and LB_BOS: they get 0, and the other symbols share their probability. lb_model_loss counts all
 *  symbols.
 *  Shapes: logits [..., target_vocab] -> the same. */
lb_tensor *lb_model_probabilities(const lb_model *model, lb_tensor *logits);

/** The first token of those that an output can have: LB_PAD and LB_BOS are never written. */
enum { LB_FIRST_WRITTEN = LB_EOS };

/** The likeliest token that can be written, the first of equal ones: the choice of greedy decoding. A model without
 *  LB_EOS can write all of its tokens. */
int32_t lb_model_likeliest(const lb_real *logits, int64_t classes);

/** The maximum tokens when decoding a source of this length: enough for an answer twice as long. */
int64_t lb_decoding_limit(int64_t source_length);

/** The limit on the tokens of an output: no more than the model has positions for. */
int64_t lb_model_limit(const lb_model *model, int64_t limit);

/** A log-probability, normalised by the number of tokens to the power of `penalty`; a negative one is 0. */
double lb_score_of(double log_probability, int64_t tokens, double penalty);

/** The logarithms of lb_model_probabilities; -inf for a symbol that is impossible. */
lb_tensor *lb_model_log_probabilities(const lb_model *model, lb_tensor *logits);

/** Rows row[0], row[1], ... of the tokens, on `tape`. Without rows, the tokens themselves.
 *  Errors: as lb_tokens_new. */
lb_tokens lb_tokens_select(lb_tape *tape, lb_tokens tokens, const int64_t *row, int64_t count);

/** The same tokens, to be changed by `id` and `lengths`. Errors: as lb_tokens_new. */
lb_tokens lb_tokens_copy(lb_tokens tokens, int32_t **id, int32_t **lengths);

/** Whether `a` is better. A hypothesis that was cut off can score high, in particular if it repeats itself, but it is
 *  not an answer. */
static inline bool lb_hypothesis_is_better(const lb_hypothesis *a, const lb_hypothesis *b)
{
    return a->finished != b->finished ? a->finished : a->score > b->score;
}

/* ---- hypothesis.c: hypotheses while they are written, and the reading order. Everything outside of the kinds of
 * models is in reading order, also the targets of a model that writes from the end. ---- */

/** One step of a hypothesis, linked to the step before. */
typedef struct lb_back_pointer {
    const struct lb_back_pointer *before; /* NULL at the first token */
    int32_t token;
    double log_probability; /* of the token; 0 if `all_go_on` */
    const lb_real *weights; /* [maps, source length]; NULL without attention */
} lb_back_pointer;

/** A batch of hypotheses while they are written. Each row of a step goes on from one of the step before. */
typedef struct lb_writing {
    const lb_model *model;
    lb_tape *tape;
    lb_tokens source;
    int64_t maps;                 /* of attention, layers times heads; 0: the hypotheses have none */
    int64_t *origin;              /* [room] of each row: its row in the last step, at first its source */
    int32_t *token;               /* [room] and what it has last written */
    lb_model_step step;           /* the last one */
    lb_tensor *log_probabilities; /* [rows, 1, target_vocab] of it; NULL if `all_go_on` */
    lb_mode mode;                 /* of the tape outside */
    bool all_go_on; /* in their order, in each step, with no need of log_probabilities; the caller says */
} lb_writing;

/** Reads the sources, each for `each` rows, with room for so many rows in all. The tape is in LB_MODE_EVALUATE until
 *  lb_writing_end. Errors: as lb_model_encode, recorded on the tape. */
lb_writing lb_writing_begin(const lb_model *model, lb_tokens source, bool without_weights, int64_t room,
                            int64_t each);

/** Writes one step of `rows` rows. False after an error, and if `stop`, which may be NULL, says so.
 *  Errors: as lb_model_decode; LB_ERROR_INTERRUPTED; recorded on the tape. */
bool lb_writing_step(lb_writing *writing, int64_t rows, bool (*stop)(void *context), void *context);

/** The hypothesis `before` with a token of a row of the last step; it outlives the steps.
 *  Errors: NULL without memory, recorded on the tape. */
const lb_back_pointer *lb_writing_add(const lb_writing *writing, const lb_back_pointer *before, int64_t row,
                                      int32_t token);

void lb_writing_end(const lb_writing *writing);

/** Fills in the arrays that a hypothesis has, by following the links back from `last`, in reading order. */
void lb_writing_fill(const lb_writing *writing, const lb_back_pointer *last, lb_hypothesis *hypothesis);

/** Makes the arrays of a hypothesis, and its length. `steps` and `finished` must be set.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_hypothesis lb_writing_trace(const lb_writing *writing, const lb_back_pointer *last,
                               lb_hypothesis hypothesis);

/** The rows with the tokens of each in reverse order.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; batch is then 0. */
lb_tokens lb_tokens_reversed(lb_tokens rows);

/** The same for the embedded tokens of some rows. Shapes: x [batch, length, width] -> the same. */
lb_tensor *lb_embedded_reversed(lb_tensor *x, lb_tokens rows);

/** The weights of a model that read its sources from their end, in reading order; without a gradient.
 *  Shapes: weights [batch, T, S], mask [batch, S] -> [batch, T, S]. */
lb_tensor *lb_weights_reversed(const lb_tensor *weights, const lb_tensor *mask);

/* ---- forced.c: what a model gives to targets that it is told. ---- */

/** The tokens of a row before its LB_EOS, if it has one. */
int64_t lb_symbols_before_end(lb_tokens target_out, int64_t row);

/** What the decoder reads to write `target_out`, in the order in which the model writes: LB_BOS and all tokens but the
 *  last. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_tokens lb_model_target_in(const lb_model *model, lb_tokens target_out);

/** lb_forced_decode for several targets of a source: row i of the targets is one of source row[i]; NULL: of source i.
 *  Not for members that vote. */
lb_forced lb_forced_decode_rows(const lb_model *model, lb_tokens source, const int64_t *row,
                                lb_tokens target_out);

#endif
