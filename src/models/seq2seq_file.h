/* A trained lb_seq2seq as one file: its parameters under PyTorch's names, and in the metadata what is needed to build
 * the model again. */
#ifndef LB_SEQ2SEQ_FILE_H
#define LB_SEQ2SEQ_FILE_H

#include "io/checkpoint.h"
#include "models/seq2seq.h"

/** Writes the model. `metadata` is written beside the model's own keys, "lookback.model" and "lookback.config".
 *  Errors: those of lb_safetensors_write. */
LB_MUST_USE lb_status lb_seq2seq_save(const char *path, const lb_seq2seq *model, const lb_params *params,
                                      const lb_safetensors_metadata *metadata, size_t metadata_count,
                                      lb_error *error);

/** Builds the model of a file that lb_seq2seq_save wrote, with its parameters in `params`, which must be empty.
 *  Errors: LB_ERROR_FORMAT if the file holds another kind of model, or if config and parameters do not fit. */
LB_MUST_USE lb_status lb_seq2seq_load(const lb_safetensors *file, lb_seq2seq *model, lb_params *params,
                                      lb_error *error);

/** The configuration as a line of JSON; to be released with lb_release; NULL if there is no memory. */
char *lb_seq2seq_config_json(const lb_seq2seq_config *config);

#endif
