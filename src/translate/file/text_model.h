/* The file of a model that translates texts: the model with everything needed to apply it, and where the file is.
 * Lists of numbers are texts, too. */
#ifndef LB_TEXT_MODEL_H
#define LB_TEXT_MODEL_H

#include "base/buffer.h"
#include "data/lists/sort_task.h"
#include "data/text/symbols.h"
#include "lookback/translate.h"
#include "translate/file/lexicon.h"

/** Metadata keys of a model file; the task of the model is stored under LB_SORT_TASK_KEY. */
#define LB_SOURCE_VOCABULARY_KEY "lookback.source_vocabulary"
#define LB_TARGET_VOCABULARY_KEY "lookback.target_vocabulary"
#define LB_SOURCE_SUBWORDS_KEY   "lookback.source_subwords"
#define LB_TARGET_SUBWORDS_KEY   "lookback.target_subwords"
#define LB_TRAINING_KEY          "lookback.training"
#define LB_FAMILIAR_KEY          "lookback.familiar"

/** What the sources of a training look like. Zero: it is not known. */
typedef struct lb_familiar {
    lb_vocabulary *grams; /* no character to four in a row, with how often the sources have them */
    double least;         /* nearly all held-out sources measure as much */
} lb_familiar;

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
    lb_lexicon lexicon;   /* not of lists; zero: there is none */
    lb_familiar familiar; /* the texts of its training */
    lb_strings texts;     /* of a loaded model: its separators and record */
    struct lb_subwords *subwords[2]; /* those of its rules that are its own */
} lb_text_model;

/** Writes everything as one safetensors file: the parameters as in lb_model_save; in the metadata, task and rules as a
 *  JSON object, the vocabularies as JSON arrays in the order of ids (only one if both are the same), and the record;
 *  the lexicon, if there is one, as the array LB_LEXICON_ARRAY.
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

/** The numbers in all arrays of a file, but for the lexicon. */
int64_t lb_text_model_parameters(const lb_safetensors *file);

/** Drops the blanks around a source if `known`, the source vocabulary, has none: without a separator, a blank is a
 *  symbol like others, and if the training had none, those around a text mean nothing. */
void lb_text_model_trim(const lb_vocabulary *known, lb_symbols *source);

void lb_text_model_free(lb_text_model *model);

/* ---- translator_save.c ---- */

/** Prints the member "test" of an object, with the exact match of each; nothing without tests. */
void lb_tests_print(lb_buffer *json, const lb_test *tests, const lb_evaluation *found);

/* ---- model_rules.c: what a model file has of the rules of symbols. ---- */

struct cJSON;

/** A copy that lives as long as the model. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_model_keep(lb_text_model *t, const char *text, const char **kept, lb_error *error);

/** Appends the rule to a JSON object. */
void lb_model_rule_print(lb_buffer *json, const char *key, const lb_symbol_rule *rule);

/** Reads what lb_model_rule_print has written. Errors: LB_ERROR_FORMAT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_model_rule_parse(lb_text_model *t, const struct cJSON *json, const char *key,
                                          lb_symbol_rule *rule, lb_error *error);

/** Writes keys and merges of both sides, one if they are the same, to `metadata`, and returns how many there are. */
size_t lb_model_subwords_name(const lb_text_model *t, lb_safetensors_metadata *metadata);

/** Reads the merges for the rules and vocabularies that the model has. Errors: LB_ERROR_FORMAT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_model_subwords_load(const lb_safetensors *file, lb_text_model *t, lb_error *error);

/* ---- familiar.c: whether a text is like those of the training. ---- */

/** Counts the characters of a text. With `found`, measures how much likelier, as a logarithm, those before each one
 *  make it: about their mean. What follows a tab, features, is left out. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_familiar_look(const lb_familiar *familiar, const char *text, double *found,
                                       lb_error *error);

/** As text. Memory: release it with lb_release; NULL if there is no memory. */
char *lb_familiar_print(const lb_familiar *familiar);

/** Reads what lb_familiar_print has written, if the file has it. Errors: LB_ERROR_FORMAT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_familiar_load(const lb_safetensors *file, lb_familiar *familiar, lb_error *error);

/* ---- list.c: the input and output of a model that sorts. ---- */

/** The symbol rule of a list: its numbers are the symbols, separated by blanks; to add, the characters. */
lb_symbol_rule lb_list_rule(const lb_sort_task *task);

/** The numbers from 0 to the largest of the task as symbols, to add a plus, in the order of their ids in its batches.
 *  Memory: free it with lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
lb_vocabulary *lb_list_vocabulary(const lb_sort_task *task, lb_error *error);

/** Makes the vocabulary of a model for the lists of a task, and sets all that follows from the task.
 *  Errors: those of lb_sort_check; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_list_model(lb_text_model *model, const lb_sort_task *task, lb_error *error);

/** Splits a list of digits, separated by any number of blanks and tabs, whose leading zeros are ignored; to add, the
 *  characters of "27 + 5" but blanks and tabs.
 *  Memory: free it with lb_symbols_free, also after an error.
 *  Errors: LB_ERROR_FORMAT, as "104 is not a number from 0 to 99"; also for no number at all, or no sum.
 *          LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_list_split(const lb_sort_task *task, const char *text, size_t length,
                                    lb_symbols *symbols, lb_error *error);

/* ---- model_path.c: names of files, also for messages. ---- */

/** The file of a model: `path`, or, if that is a folder, the model in it. Memory: release it with lb_release; NULL
 *  after an error. Errors: LB_ERROR_OPEN for a folder without one; LB_ERROR_MEMORY. */
char *lb_model_path(const char *path, lb_error *error);

/** Where a model is written in a folder. Memory and errors: as lb_folder_path. */
char *lb_model_place(const char *folder, bool sorts, lb_error *error);

/** Refuses to `use` the model in the file `path` if `what` would overwrite it in this folder.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_model_check_place(const char *path, const char *folder, bool sorts, const char *use,
                                           const char *what, lb_error *error);

/** The limit, or how many positions the model has, if that is less. */
static inline int64_t lb_text_model_most(const lb_text_model *model, int64_t limit)
{
    const int64_t positions = model->model->positions;
    return positions && positions < limit ? positions : limit;
}

/* ---- text_model.c: what a model is called, and its settings. ---- */

enum { LB_LABEL = 64 };

/** Writes the attention of a seq2seq, otherwise the kind of the model, then "-copy" if it copies, and "-backward" if it
 *  writes from the end, such as "additive", "transformer-copy" or "general-backward". Returns `text`. */
const char *lb_model_label(const lb_model *model, char text[LB_LABEL]);

/** The configuration of a seq2seq or a transformer as JSON, as in its file; release it with lb_release. NULL if there
 *  is no memory, and for other models. */
char *lb_model_settings(const lb_model *model);

#endif
