/* The parts of a translator, and of one call that translates or scores texts with it. */
#ifndef LB_TRANSLATOR_H
#define LB_TRANSLATOR_H

#include "lookback/translate.h"
#include "translate/file/text_model.h"

#include <stdatomic.h>

/* ---- translator.c ---- */

enum { LB_TAPES_KEPT = 16 };

/** Tapes that no call is using: one for each call that is running, so that several threads can use a translator at
 *  once. Any thread may take one. */
typedef struct lb_tapes {
    _Atomic(lb_tape *) idle[LB_TAPES_KEPT]; /* NULL: there is none in this place */
} lb_tapes;

/** No tapes. Memory: free them with lb_tapes_free; NULL if there is none. */
LB_MUST_USE lb_tapes *lb_tapes_new(void);

/** Frees the tapes. No call may be running. NULL is allowed. */
void lb_tapes_free(lb_tapes *tapes);

/** A tape for a call, empty and without errors, whose memory is warm if there was a free one.
 *  Memory: give it back with lb_tapes_put; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_tape *lb_tapes_take(lb_tapes *tapes, lb_error *error);

/** Gives back the tape of a call that is done. Beyond LB_TAPES_KEPT, and after an error, it is freed. NULL is
 *  allowed. */
void lb_tapes_put(lb_tapes *tapes, lb_tape *tape);

struct lb_translator {
    char *path;
    lb_text_model model;
    lb_tapes *tapes; /* of the calls: nothing else changes while texts are translated */
    int32_t most;    /* maximum symbols of a text */
};

/** The maximum symbols of a text that the model is given. */
int32_t lb_translator_most(const lb_text_model *model);

/* ---- decode.c ---- */

/** A target in symbols and in ids, in memory of the result. */
typedef struct lb_target {
    const char **symbol;
    int32_t *id;
    int32_t length;
    lb_output *output; /* receives it; NULL: it becomes the only output of its source */
} lb_target;

/** A source in ids. */
typedef struct lb_source {
    lb_translation *text;
    const int32_t *id;
    int32_t length;
    uint64_t number;       /* of its text: its random numbers depend on it */
    const int32_t *prefix; /* [prefix_length] how its output begins */
    int32_t prefix_length;
    lb_target target; /* to be scored, if it is given */
} lb_source;

/** The state of one call. */
typedef struct lb_translate_job {
    const lb_translator *translator;
    lb_tape *tape;              /* of this call */
    lb_translate_config config; /* with its defaults */
    lb_translations *all;
    lb_source *source; /* [count] those with a valid text */
    size_t count;
    lb_symbols symbols;         /* of the current text */
    lb_lexicon_answers answers; /* of the lexicon to it */
    lb_source *known;           /* [known_count] with answers of the lexicon that the model can be given */
    size_t known_count, known_room;
    lb_error *error;
} lb_translate_job;

/** Fills in the defaults. Errors: LB_ERROR_ARGUMENT for invalid values. */
LB_MUST_USE lb_status lb_translate_fill_in(const lb_translator *translator, lb_translate_config *config,
                                           lb_error *error);

/** The model that decodes: the translator's, or a member of it. The configuration has its defaults. */
const lb_model *lb_translate_model(const lb_translator *translator, const lb_translate_config *config);

/** How many of the sources of a call from `first` on, at least 1, can be decoded side by side: those that share a limit
 *  and do not take too much memory.
 *  Given: the outputs are known, of at most config.limit tokens, and all of their steps are computed at once. */
size_t lb_translate_affordable(const lb_translate_job *job, size_t first, bool given);

/** Sources, or their targets and LB_EOS, as a batch on the tape. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_tokens lb_translate_tokens(lb_tape *tape, const lb_source *sources, size_t count, bool targets);

/** Decodes `count` sources of a call from `first` on, as many as lb_translate_affordable allows.
 *  Memory: the results are on the tape of the call, which is reset first.
 *  Errors: LB_ERROR_MEMORY; as lb_beam_search. */
LB_MUST_USE lb_status lb_translate_decode(const lb_translate_job *job, size_t first, size_t count,
                                          lb_beam *found);

/* ---- result.c: texts and their outputs, in the memory of the result of a call. ---- */

/** Begins a call with `count` texts, none of them read yet. `error` receives errors, here and below.
 *  Memory: freed by lb_translate_job_end, also after an error. Errors: LB_ERROR_ARGUMENT for a negative
 *          count; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_translate_job_begin(lb_translate_job *job, const lb_translator *translator,
                                             int64_t count, lb_error *error);

/** Frees everything except the result, and returns that. After an error it frees the result, too, and returns NULL. */
lb_translations *lb_translate_job_end(lb_translate_job *job);

/** Splits a text into job->symbols by a rule of the model; a list of numbers if it sorts.
 *  Errors: those of lb_list_split and lb_symbols_split. */
LB_MUST_USE lb_status lb_translate_split(lb_translate_job *job, const lb_symbol_rule *rule, const char *text,
                                         lb_error *error);

/** Stores text `number` as the next source, in symbols and ids, and finds the answers of the lexicon to it. With
 *  skip_bad_texts, an invalid text only records its error.
 *  Errors: LB_ERROR_FORMAT for an invalid text that is not skipped; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_text(lb_translate_job *job, size_t number, const char *text);

/** Records what is wrong with text `number`, if the call skips invalid texts. Errors: LB_ERROR_FORMAT if it does not;
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_error(const lb_translate_job *job, size_t number, const lb_error *found);

/** Stores a hypothesis as an output of a source. `width` is the length of the longest source decoded with it. `symbol`
 *  are its symbols; NULL: those of its ids. Errors: LB_ERROR_FORMAT if its score is not finite; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_output(const lb_translate_job *job, const lb_source *source,
                                     const lb_hypothesis *found, int64_t width, const char *const *symbol,
                                     lb_output *output);

/** What the log-probability of an output is divided by to get its score. */
double lb_score_divisor(const lb_translate_config *config, int64_t steps);

/** A copy of symbols in memory of the result; NULL if memory runs out. */
const char **lb_keep_symbols(const lb_translate_job *job, const char *const *symbols, size_t count);

/** Memory of the result for `count` elements, at least one byte; NULL if memory runs out. */
void *lb_keep_room(const lb_translate_job *job, size_t count, size_t size);

/** Records LB_ERROR_MEMORY and returns it. */
lb_status lb_keep_failed(const lb_translate_job *job);

/* ---- Given targets (score.c). ---- */

/** The most symbols of a target that the model can be given. */
size_t lb_target_most(const lb_translator *translator);

/** Stores job->symbols as a target. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_keep_target(const lb_translate_job *job, lb_target *target);

/** Scores the targets of all sources of a call. Errors: LB_ERROR_FORMAT if a score is not finite; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_score_targets(lb_translate_job *job);

/* ---- Answers of the lexicon, which come before what the model writes (known.c). ---- */

/** Stores the answers to the last good text as its first outputs, if there are any that begin as it asks, and takes the
 *  text off those that are decoded if the model has nothing to add.
 *  Errors: LB_ERROR_FORMAT if the lexicon is damaged; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_known_keep(lb_translate_job *job);

/** Scores the answers that the model can be given. Errors: those of lb_score_targets. */
LB_MUST_USE lb_status lb_known_score(const lb_translate_job *job);

/* ---- What outputs depend on (why.c). ---- */

/** Adds what the configuration asks for to all outputs of a call. Errors: LB_ERROR_FORMAT for a text to patch; as
 *  lb_model_forward. The library for prediction has none of it. */
#ifdef LB_PREDICT
static inline lb_status lb_why_add(lb_translate_job *job)
{
    (void)job;
    return LB_OK;
}
#else
LB_MUST_USE lb_status lb_why_add(lb_translate_job *job);
#endif

#endif
