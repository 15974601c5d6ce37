/* Decoding with a model of any kind. */
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "lookback/kinds.h"

/** model->kind->encode. Errors: LB_ERROR_ARGUMENT for a kind without steps. */
lb_decoder_state lb_model_encode(const lb_model *model, lb_tokens source);

/** model->kind->decode, with a check of the shapes of logits and weights, which code that copies them relies on.
 *  Errors: LB_ERROR_SHAPE if they differ from the sizes of the model. */
lb_model_step lb_model_decode(const lb_model *model, lb_decoder_state state, lb_tokens target_in,
                              int64_t source_length);

/** The first token of those that an output can have: LB_PAD and LB_BOS are never written. */
enum { LB_FIRST_WRITTEN = LB_EOS };

/** The likeliest token that can be written, the first of equal ones: the choice of greedy decoding. A model without
 *  LB_EOS can write all of its tokens. */
int32_t lb_model_likeliest(const lb_real *logits, int64_t classes);

/** The maximum tokens when decoding a source of this length: enough for an answer twice as long. */
int64_t lb_decoding_limit(int64_t source_length);

/** How many symbols a file may say that its training had: this many for any source, or this many times the source. */
enum { LB_TEXT_MODEL_TRUSTED = 128, LB_TEXT_MODEL_RATIO = 8 };

/** The same after a training whose longest text had `longest` symbols. Up to LB_TEXT_MODEL_TRUSTED symbols it is the
 *  same for all sources no longer than those of the training, so that they can be decoded together. Beyond, it is in
 *  proportion to the source, whatever the file says: 264 tokens for sources of up to 16 symbols, less than 33 for each
 *  symbol of longer ones. */
int64_t lb_output_limit(int64_t longest, int64_t source_length);

/** The limit on the tokens of an output: no more than the model has positions for. */
int64_t lb_model_limit(const lb_model *model, int64_t limit);

/** Whether a search is to stop before its next step: asks `stop`, unless it is NULL. Errors: LB_ERROR_INTERRUPTED if it
 *  is, recorded on the tape. */
bool lb_model_stops(lb_tape *tape, bool (*stop)(void *context), void *context);

/** A log-probability, normalised by the number of tokens to the power of `penalty`; a negative one is 0. */
double lb_score_of(double log_probability, int64_t tokens, double penalty);

/** Their logarithms; -inf for a symbol that is impossible. */
lb_tensor *lb_model_log_probabilities(const lb_model *model, lb_tensor *logits);

/** Rows row[0], row[1], ... of the tokens, on `tape`. Without rows, the tokens themselves.
 *  Errors: as lb_tokens_new. */
lb_tokens lb_tokens_select(lb_tape *tape, lb_tokens tokens, const int64_t *row, int64_t count);

/** The same tokens, to be changed by `id` and `lengths`. Errors: as lb_tokens_new. */
lb_tokens lb_tokens_copy(lb_tokens tokens, int32_t **id, int32_t **lengths);

#endif
