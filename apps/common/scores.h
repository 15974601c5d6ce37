/* The picture of what else a model might have written. */
#ifndef APP_SCORES_H
#define APP_SCORES_H

#include "common/maps.h"

/** Draws the likeliest symbols at each step of the best output for `text`, with their probabilities, into the file
 *  `path`, and says so on standard error. `font` begins the chain of fonts; of the style count its colours, resolution
 *  and background.
 *  Errors: those of lb_translator_open; LB_ERROR_FORMAT if the model cannot read `text` or its output is too long for a
 *          picture; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_scores_save(const app_maps_style *style, const lb_font *font, const char *model,
                                      const char *text, const char *path, lb_error *error);

#endif
