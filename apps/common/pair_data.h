/* The pairs of a training: both files, their vocabularies, and what is evaluated. */
#ifndef APP_PAIR_DATA_H
#define APP_PAIR_DATA_H

#include "common/pair_settings.h"
#include "train/pair_evaluate.h"
#include "train/translator.h"

/** Pairs of dev on which a model is measured, at most. */
enum { APP_EVALUATED = 2000 };

typedef struct app_pair_data {
    lb_pairs *train, *dev;
    lb_vocabulary *source, *target;
    lb_pair_sample sample; /* of dev */
    lb_pair_format format;
} app_pair_data;

/** Opens the files, reports on them on standard error, and makes the vocabularies. The settings must outlive the data.
 *  Memory: freed by app_pair_data_close, also after an error.
 *  Errors: LB_ERROR_ARGUMENT without --train; LB_ERROR_FORMAT if no symbol is frequent enough; those of lb_pairs_open,
 *          lb_pairs_hold_out, lb_pair_report_make. */
LB_MUST_USE lb_status app_pair_data_open(app_pair_data *data, const app_pair_settings *settings,
                                         lb_error *error);

void app_pair_data_close(app_pair_data *data);

/** A translator for a model that was trained on the data, without a record. */
lb_translator app_pair_data_translator(const app_pair_data *data, lb_model *model, lb_params *params);

#endif
