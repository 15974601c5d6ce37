/* Decoding options that predict and evaluate share. */
#ifndef APP_DECODING_H
#define APP_DECODING_H

#include <lookback/translate.h>

/** Checks that the beam is not wider than the model's vocabulary; it is as wide as `n_best`, if that is more.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_check_beam(const lb_translator_facts *model, int64_t beam, int64_t n_best,
                                     lb_error *error);

/** Checks that the model has attention, which copying unknown symbols needs. Errors: LB_ERROR_FORMAT, with the model's
 *  file. */
LB_MUST_USE lb_status app_check_copy(const lb_translator_facts *model, lb_error *error);

/** Converts the length penalty of the command line, where 0 is none, to that of the library. */
double app_length_penalty(double given);

/** Converts the temperature of the command line, where 0 takes the likeliest token, to that of the library. */
double app_temperature(double given);

/** Writes the attention weights as a NumPy file in float32, of shape [layers, heads, steps, source].
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error);

#endif
