/* The configurations of the built-in kinds in files. They lie in files of their own, which a build without files leaves out:
 * it has nothing that reads JSON. */
#ifndef LB_MODEL_FORMATS_H
#define LB_MODEL_FORMATS_H

#include "lookback/kinds.h"

#ifdef LB_NO_FILES
#    define LB_IN_FILES(function) NULL
#else
#    define LB_IN_FILES(function) function
#endif

char *lb_seq2seq_config_json(const lb_model *model);
lb_model *lb_seq2seq_restore(lb_params *params, const char *name, const char *config,
                             const lb_extensions *own, lb_error *error);

char *lb_transformer_config_json(const lb_model *model);
lb_model *lb_transformer_restore(lb_params *params, const char *name, const char *config,
                                 const lb_extensions *own, lb_error *error);

char *lb_ensemble_config_json(const lb_model *model);
lb_model *lb_ensemble_restore(lb_params *params, const char *name, const char *config,
                              const lb_extensions *own, lb_error *error);

#endif
