/* What a training reads: its pairs, the model that it starts from, and the batches that it makes of them. */
#ifndef LB_TRAINING_DATA_H
#define LB_TRAINING_DATA_H

#include "base/buffer.h"
#include "base/progress.h"
#include "data/pairs/pair_index.h"
#include "data/pairs/pairs.h"
#include "data/text/subwords.h"
#include "io/scratch_file.h"
#include "lookback/translate.h"
#include "translate/batches/evaluate.h"
#include "translate/file/text_model.h"
#include "translate/plan/recipe.h"

/* ---- The model that a training starts from, on other pairs or with other settings (warm_start.c). ---- */

typedef struct lb_warm_start {
    lb_text_model model; /* params are NULL if the training starts afresh */
    uint64_t hash;       /* of its parameters and vocabularies */
} lb_warm_start;

/** Opens `config->from`, if it is set, and sets architecture and symbol rules where the configuration has not.
 *  Memory: freed by lb_warm_start_free, also after an error; the configuration points into it.
 *  Errors: those of lb_model_file_open and lb_text_model_load; LB_ERROR_ARGUMENT for an ensemble, a model of another
 *          task, one that `config->out` would overwrite, or one that contradicts the configuration. */
LB_MUST_USE lb_status lb_warm_start_open(lb_warm_start *start, lb_training_config *config, lb_error *error);

void lb_warm_start_free(lb_warm_start *start);

/** Puts `old`, a vocabulary of the model, in front of `*symbols`: old ids stay, new symbols follow in their order. Does
 *  nothing without a model. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_warm_start_grow(const lb_warm_start *start, const lb_vocabulary *old,
                                         lb_vocabulary **symbols, lb_error *error);

/** Copies its parameters into those of a new model. If that has more symbols, their rows are not changed.
 *  Errors: LB_ERROR_ARGUMENT if the new model differs in anything else. */
LB_MUST_USE lb_status lb_warm_start_copy(const lb_warm_start *start, const lb_training_config *config,
                                         const lb_model *model, lb_params *params, lb_error *error);

/* ---- The pairs to train on: in memory, or a file with its index, if it has one or shall have one (pairs.c). ---- */

/** Tells how far a pass over pairs is, if somebody listens. The configuration must outlive the counter. */
lb_counter lb_training_counter(const lb_training_config *config);

/** The pairs of the file `path` or, if they are given, those in memory. It tells how much has been read, and of each
 *  pass over them until their counter is empty.
 *  Memory and errors: as lb_pairs_open and lb_pairs_from_memory. */
LB_MUST_USE lb_pairs *lb_training_pairs_find(const char *path, const lb_pair_texts *texts,
                                             const lb_pair_format *format, const lb_training_config *config,
                                             lb_error *error);

/** Opens `config->train` and counts its symbols; without pairs for development, also holds some out. Uses the index of
 *  the file, which only the first process of a group makes; its folder must exist, and be ours if that is
 *  `config->out`. An index that cannot be made is no error, but noted.
 *  Memory: free `pairs` with lb_indexed_pairs_free and then `*index` with lb_release, both also after an error.
 *  Errors: as lb_indexed_pairs_read; those of the exchange. */
LB_MUST_USE lb_status lb_training_pairs_open(lb_indexed_pairs *pairs, char **index,
                                             const lb_training_config *config, const lb_pair_format *format,
                                             lb_error *error);

/* ---- Both files, their vocabularies, and the sample for measuring (data.c). ---- */

/** Pairs to measure by, or the lists of a task. */
typedef struct lb_tested_pairs {
    lb_pairs *pairs;
    lb_pair_sample sample; /* of lists only `count` */
    lb_sort_task task;     /* without pairs */
    lb_counter counter;    /* of a join: hears how far it is */
} lb_tested_pairs;

typedef struct lb_training_data {
    lb_pairs *train;
    lb_tested_pairs dev; /* its pairs are `train` if nothing is held out */
    lb_tested_pairs test[LB_MOST_TESTS];
    int tests;
    lb_text_model text; /* all that a model has in its file but for itself; if it sorts, there are no pairs */
    lb_recipe_facts facts; /* of `train`; zero for lists */
    lb_pair_format format;
    const lb_warm_start *start;
    lb_scratch index; /* a copy, of `train`, if it has one */
    char *index_path;
} lb_training_data;

/** Opens the files, if there are any, reports on them, creates the vocabularies, and fills in what the recipe chooses
 *  for them. The configuration, after lb_recipe_fill_in, and the model to start from, if there is one, must outlive the
 *  data.
 *  Memory: free it with lb_training_data_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT without a file to train on; LB_ERROR_FORMAT if no symbol is frequent enough; as
 *          lb_sort_check, lb_pairs_open, lb_pairs_hold_out, lb_pair_report. */
LB_MUST_USE lb_status lb_training_data_open(lb_training_data *data, lb_training_config *config,
                                            const lb_warm_start *start, lb_error *error);

void lb_training_data_close(lb_training_data *data);

/** Opens the pairs of each test, or its lists, with the format of the data, for a model with these symbols. The caller
 *  sets `longest` of their samples.
 *  Memory: freed by lb_training_data_close, also after an error.
 *  Errors: those of opening dev pairs, and of lb_sort_check. */
LB_MUST_USE lb_status lb_training_tests_open(lb_training_data *data, const lb_training_config *config,
                                             const lb_vocabulary *target, bool copies, lb_error *error);

/** Takes the sample of some pairs, at most `most`, or of their sources, as the configuration says.
 *  Memory and errors: those of lb_pair_sample_make. */
LB_MUST_USE lb_status lb_training_sample(const lb_training_config *config, lb_tested_pairs *on,
                                         const lb_vocabulary *target, bool copies, int64_t most,
                                         lb_error *error);

/** A model that was trained on the data, as it will be in its file, without a record. It points into the data. */
lb_text_model lb_training_data_model(const lb_training_data *data, lb_model *model, lb_params *params);

/* ---- The lexicon of the model (lexicon.c). ---- */

/** Makes the lexicon that the configuration asks for; none if it asks for none. It tells if entries have several
 *  answers.
 *  Model:  its rules and vocabularies decide the keys.
 *  Train:  the pairs to train on, for lexicon_from_train; may be NULL without it.
 *  Format: of the lines of a file.
 *  Memory: freed by lb_lexicon_free.
 *  Errors: as lb_training_pairs_find; those of lb_lexicon_add and lb_lexicon_finish. */
LB_MUST_USE lb_status lb_training_lexicon_make(const lb_training_config *config, const lb_text_model *model,
                                               lb_pairs *train, const lb_pair_format *format,
                                               lb_lexicon *lexicon, lb_error *error);

/* ---- Subwords (subwords.c). ---- */

/** Learns the subwords of a training from its pairs, whose symbols are characters until then, and counts them. A piece
 *  that a side has less than `least` times, but at least twice, is taken apart there: once, it teaches less than its
 *  parts. Errors: as lb_pairs_read; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_subwords(lb_training_data *data, const lb_training_config *config,
                                           int least, lb_error *error);

/* ---- Lists (lists.c). ---- */

/** The measures of lb_tally_add on the first `lists` held-out lists of the task, `edits` as there; tallies, tape and
 *  errors as in lb_pair_evaluate. */
LB_MUST_USE lb_status lb_sort_measure(const lb_model *model, const lb_sort_task *task, lb_tape *tape,
                                      int64_t lists, bool edits, lb_tallies *tallies, lb_evaluation *found);

/* ---- The batches of one model's training, of the files or of the sort task, which draws them (data_loader.c). ---- */

typedef struct lb_data_loader {
    lb_training_data *data;
    int64_t batch;        /* pairs per step */
    int shards;           /* parts of a batch */
    int64_t *pair;        /* [batch]: the pairs of a part */
    lb_pair_order *order; /* of pairs from files; NULL for the sort task */
    lb_sort_task task;    /* without files: draws the pairs from its seed */
} lb_data_loader;

/** Begins with a seed and opened data. Memory: freed by lb_data_loader_free, also after an error.
 *  Errors: those of lb_pair_order_new. */
LB_MUST_USE lb_status lb_data_loader_init(lb_data_loader *loader, lb_training_data *data,
                                          const lb_training_config *config, uint64_t seed, int shards,
                                          lb_error *error);

void lb_data_loader_free(lb_data_loader *loader);

/** The number of steps of a training. */
int64_t lb_data_loader_steps(const lb_data_loader *loader, const lb_training_config *config);

/** The pairs of part number `part` of the training, step * shards + its number within the step, on the tape: every
 *  shards-th pair of the batch, whose lengths are then those of the whole batch. There may be none.
 *  Errors: those of lb_pair_batch or lb_sort_batch. */
lb_batch lb_data_loader_batch(lb_data_loader *loader, lb_tape *tape, int64_t part);

/** At most `count` pairs that are kept out of the training, evenly spaced, on the tape. `number[row]` receives the
 *  number of each pair, in the dev file or the split of the task. Errors: as lb_data_loader_batch. */
lb_batch lb_data_loader_held_out(lb_data_loader *loader, lb_tape *tape, int64_t count, int64_t *number);

/** Evaluates the model on pairs or lists of the data, as lb_pair_evaluate. */
LB_MUST_USE lb_status lb_data_loader_measure(const lb_data_loader *loader, const lb_tested_pairs *on,
                                             const lb_model *model, lb_tape *tape, lb_tallies *tallies,
                                             lb_evaluation *found);

/** Prints the members of a JSON object that identify these pairs. */
void lb_data_loader_print(const lb_data_loader *loader, const lb_test *tests, lb_buffer *json);

#endif
