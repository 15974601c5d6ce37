/* The pairs of a training: both files, their vocabularies, and the sample for measuring. */
#ifndef LB_TRAINING_DATA_H
#define LB_TRAINING_DATA_H

#include "base/progress.h"
#include "io/scratch_file.h"
#include "lookback/translate.h"
#include "train/evaluate.h"
#include "translate/training/start.h"

typedef struct lb_training_data {
    lb_pairs *train, *dev; /* the same if nothing is held out */
    lb_vocabulary *source, *target;
    lb_pair_sample sample; /* of dev */
    lb_pair_format format;
    lb_pair_columns columns; /* of `train`: what the model remembers */
    bool sorts;              /* no files: lists of `task` */
    lb_sort_task task;       /* if `sorts` */
    const lb_start *start;
    lb_counter counter; /* hears how far a join is */
    lb_scratch index;   /* a copy, of `train`, if it has one */
    char *index_path;
} lb_training_data;

/** Opens the files, if there are any, reports them to the listener, and creates the vocabularies. The settled
 *  configuration, and the model to start from, if there is one, must outlive the data.
 *  Memory: free it with lb_training_data_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT without a file to train on; LB_ERROR_FORMAT if no symbol is frequent enough; as
 *          lb_sort_check, lb_pairs_open, lb_pairs_hold_out, lb_pair_report_make. */
LB_MUST_USE lb_status lb_training_data_open(lb_training_data *data, const lb_training_config *config,
                                            const lb_start *start, lb_error *error);

void lb_training_data_close(lb_training_data *data);

/** The pairs of a file to measure by, at most `most`, or its sources, as the configuration says.
 *  Memory and errors: those of lb_pair_sample_make. */
LB_MUST_USE lb_status lb_training_sample(const lb_training_config *config, lb_pairs *pairs,
                                         const lb_vocabulary *target, bool copies, int64_t most,
                                         lb_pair_sample *sample, lb_error *error);

/** The number of pairs to train on; 0 for lists, of which there are as many as one wants. */
int64_t lb_training_data_pairs(const lb_training_data *data);

/** A model that was trained on the data, as it will be in its file, without a record. */
lb_text_model lb_training_data_model(const lb_training_data *data, lb_model *model, lb_params *params);

#endif
