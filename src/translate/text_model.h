/* A model as a file, with all that it takes to apply it to text: both vocabularies and the rules by which text becomes
 * symbols. A list of numbers is a text too. */
#ifndef LB_TEXT_MODEL_H
#define LB_TEXT_MODEL_H

#include "data/sort_task.h"
#include "data/strings.h"
#include "data/symbols.h"
#include "data/vocabulary.h"
#include "lookback/models.h"

/** Keys of a model file's metadata; what the model was trained for stands under LB_SORT_TASK_KEY. */
#define LB_SOURCE_VOCABULARY_KEY "lookback.source_vocabulary"
#define LB_TARGET_VOCABULARY_KEY "lookback.target_vocabulary"
#define LB_TRAINING_KEY          "lookback.training"

/** What was trained on pairs of texts, or to sort lists of numbers. Whoever trains fills it with what is their own;
 *  lb_text_model_load makes it from a file. */
typedef struct lb_text_model {
    lb_params *params;
    lb_model *model;                /* of any kind, an ensemble too; `params` own it */
    lb_vocabulary *source, *target; /* made by lb_vocabulary_new_reserved; perhaps one and the same */
    lb_symbol_rule source_rule, target_rule;
    int32_t shortest_source; /* symbols that texts of the training had at least; 0: not known */
    int32_t longest_source, longest_target; /* and at most */
    bool sorts;           /* sources are lists, numbers between blanks, and targets the same in order */
    lb_sort_task task;    /* if it sorts */
    const char *training; /* a record of the training, JSON; NULL: none */
    lb_strings texts;     /* of one that was loaded: its separators and record */
} lb_text_model;

/** Writes all of it as one safetensors file: the parameters as lb_model_save does, and in the metadata task and rules
 *  as a JSON object, the vocabularies as JSON arrays in which the symbols stand where their ids say, that of the
 *  targets left out if both are one and the same, and the record.
 *  Errors: LB_ERROR_ARGUMENT if model and vocabularies differ in size or a rule is impossible; LB_ERROR_MEMORY; those
 *          of lb_safetensors_write. */
LB_MUST_USE lb_status lb_text_model_save(const char *path, const lb_text_model *model, lb_error *error);

/** Reads what lb_text_model_save wrote, and models that sort from the time when these had no vocabularies.
 *  Memory: freed by lb_text_model_free, also after an error. The file may be freed.
 *  Errors: LB_ERROR_FORMAT if the file holds anything else, or if its parts do not fit; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_text_model_load(const lb_safetensors *file, const lb_extensions *own,
                                         lb_text_model *model, lb_error *error);

/** Tokens after which decoding a source of so many symbols gives up: the same for all sources that are no longer than
 *  those of the training, so that what becomes of one does not depend on those beside it. */
int64_t lb_text_model_limit(const lb_text_model *model, int64_t source_length);

/** Frees what lb_text_model_load made. */
void lb_text_model_free(lb_text_model *model);

#endif
