/* The picture of alternatives for an output. */
#ifndef APP_SCORES_H
#define APP_SCORES_H

#include "figures/maps.h"

/** Draws the likeliest symbols at each step of the best output for `text`, with their probabilities, into the file
 *  `path`, and reports that on standard error. `font` begins the chain of fonts; of the style, only colours, resolution
 *  and background are used.
 *  Errors: those of lb_translator_open; LB_ERROR_FORMAT if `text` is invalid for the model or the output is too long
 *          for a picture; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_scores_save(const app_maps_style *style, const lb_font *font, const char *model,
                                      const char *text, const char *path, lb_error *error);

#endif
