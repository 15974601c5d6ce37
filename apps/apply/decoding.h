/* Decoding options that predict and evaluate share. */
#ifndef APP_DECODING_H
#define APP_DECODING_H

#include "base/buffer.h"
#include <lookback/translate.h>

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

/** Whether a file of attention has a line for each text: its name ends in .jsonl. */
bool app_attention_has_lines(const char *path);

/** Adds a line of JSON with the attention of the best output of a text: {"source": its symbols, "output": the symbols,
 *  "finished": whether an end follows them, "attention": [layer][head][step][source]}; null if there is no output. */
void app_add_attention(lb_buffer *lines, const lb_translations *found, const lb_translation *text);

/** Writes lines to a file, at once. Errors: LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_write_lines(const char *path, const lb_buffer *lines, lb_error *error);

/** Adds the alignment of an output, "0-0 2-1": for each of its symbols, the position in the source with the largest
 *  attention, as a mean over the heads of the last layer; of equal ones, the first. Source: the format of
 *  fast_align. */
void app_add_alignment(lb_buffer *line, const lb_translations *found, const lb_translation *text,
                       const lb_output *output);

#endif
