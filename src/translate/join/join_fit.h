/* Members of an ensemble on pairs that were kept out of training: how good each is, and what weight it gets. */
#ifndef LB_JOIN_FIT_H
#define LB_JOIN_FIT_H

#include "translate/file/text_model.h"
#include "translate/input/data.h"

/** How many of the outputs are right that a model finds by beam search, as in lb_translate_all. The loss is that of
 *  the targets. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_join_measure(const lb_text_model *text, const lb_model *model,
                                      const lb_tested_pairs *on, lb_evaluation *found, lb_error *error);

/** Fits the weights of the members, whose parameters are in `params`: lb_ensemble_fit. Errors: as there. */
LB_MUST_USE lb_status lb_join_fit(const lb_text_model *text, lb_ensemble *ensemble, lb_params *params,
                                  const lb_tested_pairs *on, lb_error *error);

/* ---- Whether two models can be joined (join_compare.c). ---- */

/** Checks that the model `b` of the file `other` can be joined with the model `a` of the file `path`.
 *  Errors: LB_ERROR_ARGUMENT, with the first difference. */
LB_MUST_USE lb_status lb_join_compare(const char *path, const lb_text_model *a, const char *other,
                                      const lb_text_model *b, lb_error *error);

/* ---- Models that are joined (join.c). ---- */

/** What models that differ only in their seed were trained on, in this process. They vote with equal weights, are
 *  measured together as each of them was, and keep the bytes of their records. */
typedef struct lb_joined_seeds {
    lb_training_data *data;
    const lb_training_config *config;
    lb_training_result *result; /* receives the measures */
} lb_joined_seeds;

/** lb_translator_join, in a folder `out` that the caller may keep locked. `seeds` is NULL for any other models. */
LB_MUST_USE lb_status lb_join_models(const lb_join_config *config, const lb_joined_seeds *seeds, bool locked,
                                     lb_join_result *result, lb_error *error);

#endif
