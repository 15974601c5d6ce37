/* What predict and evaluate ask of decoding. */
#ifndef APP_DECODING_H
#define APP_DECODING_H

#include <lookback/translate.h>

/** Checks that the beam of the command line is not wider than the model's vocabulary. Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_check_beam(const lb_translator_facts *model, int64_t beam, lb_error *error);

/** Checks that there is an attention to copy unknown symbols by. Errors: LB_ERROR_FORMAT, with the model's file. */
LB_MUST_USE lb_status app_check_copy(const lb_translator_facts *model, lb_error *error);

/** The length penalty of the command line, where 0 is none, as the library has it. */
double app_length_penalty(double given);

/** The temperature of the command line, where 0 takes the likeliest, as the library has it. */
double app_temperature(double given);

/** Writes where the model looked as a NumPy file in float32, of shape [layers, heads, steps, source].
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error);

#endif
