/* What the programs that apply a model of texts share: loading it, decoding, and its answers as text. */
#ifndef APP_TEXT_MODEL_H
#define APP_TEXT_MODEL_H

#include "train/translator.h"
#include <lookback/lookback.h>

/** Hypotheses that the programs follow if nothing else is asked for; 1 is greedy decoding. */
enum { APP_TEXT_BEAM = 5 };

/** A model that was trained on pairs of texts, and what it needs to run. */
typedef struct app_text_model {
    lb_translator translator;
    lb_tape *tape;
    lb_beam_config search; /* the caller sets beam and length_penalty */
    int32_t longest;       /* symbols that a source may have */
} app_text_model;

/** Reads a model that lb_translator_save saved from the file `path`. Sources may be as long as those of the training, and
 *  in any case have a thousand symbols; beyond, one line could take all memory.
 *  Memory: freed by app_text_model_close, also after an error. The file may be freed.
 *  Errors: LB_ERROR_FORMAT if the file holds anything else; LB_ERROR_MEMORY. Messages begin with the path. */
LB_MUST_USE lb_status app_text_model_load(app_text_model *model, const char *path, const lb_safetensors *file,
                                          lb_error *error);

void app_text_model_close(app_text_model *model);

/** A source in ids. */
typedef struct app_text {
    const int32_t *id;
    int32_t length;
} app_text;

/** How many of `count` texts, at least 1, from the first on, can be decoded side by side: those that share a limit and do
 *  not take too much memory. */
int64_t app_text_affordable(const app_text_model *model, const app_text *texts, int64_t count);

/** Decodes as many texts as app_text_affordable allows. What becomes of a text does not depend on the others.
 *  Memory: what is found lives until the next call.
 *  Errors: LB_ERROR_MEMORY; those of lb_beam_search. */
LB_MUST_USE lb_status app_text_decode(app_text_model *model, const app_text *texts, int64_t count,
                                      lb_beam *found, lb_error *error);

/** A symbol of a target as text; U+FFFD for one that stands for none, such as the unknown one. */
const char *app_target_symbol(const app_text_model *model, int32_t id);

/** The output as text, by the rule for targets.
 *  Memory: to be given to lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
char *app_target_text(const app_text_model *model, const lb_hypothesis *output, lb_error *error);

#endif
