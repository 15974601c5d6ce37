/* The parts of a translator, and decoding. */
#ifndef LB_TRANSLATOR_H
#define LB_TRANSLATOR_H

#include "lookback/translate.h"
#include "translate/apply/tapes.h"
#include "translate/file/text_model.h"

struct lb_translator {
    char *path;
    lb_text_model model;
    lb_tapes *tapes; /* of the calls: nothing else changes while texts are translated */
    int32_t most;    /* maximum symbols of a text */
};

/** The maximum symbols of a text that the model is given. */
int32_t lb_translator_most(const lb_text_model *model);

/** A source in ids. */
typedef struct lb_source {
    const int32_t *id;
    int32_t length;
    uint64_t number;       /* of its text: its random numbers depend on it */
    const int32_t *prefix; /* [prefix_length] how its output begins */
    int32_t prefix_length;
} lb_source;

/** Fills in the defaults. Errors: LB_ERROR_ARGUMENT for invalid values. */
LB_MUST_USE lb_status lb_translate_settle(const lb_translator *translator, lb_translate_config *config,
                                          lb_error *error);

/** The model that decodes: the translator's, or a member of it. The configuration must be settled. */
const lb_model *lb_translate_model(const lb_translator *translator, const lb_translate_config *config);

/** How many of `count` sources, at least 1, can be decoded side by side, starting with the first: those that share a
 *  limit and do not take too much memory. The configuration must be settled.
 *  Given: the outputs are known, of at most config->limit tokens, and all of their steps are computed at once. */
size_t lb_translate_affordable(const lb_translator *translator, const lb_source *sources, size_t count,
                               const lb_translate_config *config, bool given);

/** Sources as a batch on the tape. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_tokens lb_translate_tokens(lb_tape *tape, const lb_source *sources, size_t count);

/** Decodes as many sources as lb_translate_affordable allows.
 *  Memory: the results are on the tape, which is reset first.
 *  Errors: LB_ERROR_MEMORY; as lb_beam_search. */
LB_MUST_USE lb_status lb_translate_decode(const lb_translator *translator, lb_tape *tape,
                                          const lb_source *sources, size_t count,
                                          const lb_translate_config *config, lb_beam *found, lb_error *error);

/** A source and an output of it in ids. */
typedef struct lb_given {
    lb_tokens source; /* [1, text length] */
    lb_tokens
        target_out; /* [1, steps] in reading order, with LB_EOS at the end unless the output was cut off */
} lb_given;

/** Whether the output could be that of the text: it has symbols and steps, and not too many. */
bool lb_translate_has_steps(const lb_translator *translator, const lb_translation *text,
                            const lb_output *output);

/** Their ids, on the tape. Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_given lb_translate_given(const lb_translator *translator, lb_tape *tape, const lb_translation *text,
                            const lb_output *output);

#endif
