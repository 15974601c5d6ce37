/* A model as a file, with everything needed to apply it to text: both vocabularies and both symbol rules. A list of
 * numbers is a text, too. */
#ifndef LB_TEXT_MODEL_H
#define LB_TEXT_MODEL_H

#include "base/strings.h"
#include "data/sort_task.h"
#include "data/symbols.h"
#include "lookback/models.h"

/** Metadata keys of a model file; the task of the model is stored under LB_SORT_TASK_KEY. */
#define LB_SOURCE_VOCABULARY_KEY "lookback.source_vocabulary"
#define LB_TARGET_VOCABULARY_KEY "lookback.target_vocabulary"
#define LB_TRAINING_KEY          "lookback.training"

/** A model that was trained on pairs of texts, or to sort lists of numbers. A training fills it in with its own
 *  objects; lb_text_model_load creates it from a file. */
typedef struct lb_text_model {
    lb_params *params;
    lb_model *model;                /* of any kind, including ensembles; owned by `params` */
    lb_vocabulary *source, *target; /* from lb_vocabulary_new_reserved; may be the same */
    lb_symbol_rule source_rule, target_rule;
    lb_pair_columns columns;                /* of the file of the training; zero: not given */
    int64_t shortest_source;                /* minimum symbols of training texts; 0: not known */
    int64_t longest_source, longest_target; /* maximum symbols of training texts */
    bool sorts;           /* sources are lists of numbers separated by blanks, targets the sorted lists */
    lb_sort_task task;    /* if it sorts */
    const char *training; /* a record of the training, JSON; NULL: none */
    lb_strings texts;     /* of a loaded model: its separators and record */
} lb_text_model;

/** Writes everything as one safetensors file: the parameters as in lb_model_save; in the metadata, task and rules as a
 *  JSON object, the vocabularies as JSON arrays in the order of ids (only one if both are the same), and the record.
 *  Errors: LB_ERROR_ARGUMENT if the sizes of model and vocabularies differ or a rule is invalid; LB_ERROR_MEMORY; as
 *          lb_safetensors_write. */
LB_MUST_USE lb_status lb_text_model_save(const char *path, const lb_text_model *model, lb_error *error);

/** Reads the output of lb_text_model_save, and old models that sort and have no vocabularies.
 *  Memory: free it with lb_text_model_free, also after an error. The file may be closed.
 *  Errors: LB_ERROR_FORMAT if the file holds anything else, or if its parts do not match; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_text_model_load(const lb_safetensors *file, const lb_extensions *own,
                                         lb_text_model *model, lb_error *error);

/** The most symbols of a text of the training. */
static inline int64_t lb_text_model_longest(const lb_text_model *model)
{
    return model->longest_target > model->longest_source ? model->longest_target : model->longest_source;
}

/** The maximum tokens when decoding a source of this many symbols: lb_output_limit. */
int64_t lb_text_model_limit(const lb_text_model *model, int64_t source_length);

void lb_text_model_free(lb_text_model *model);

#endif
