/* The figure of one or several matrices: a panel for each attention map. */
#ifndef APP_MAPS_H
#define APP_MAPS_H

#include "figures/matrix.h"

#include "plot/figure.h"
#include <lookback/models.h>

enum { APP_MODEL_NAME = 64 };

/** Writes the kind of a model: its attention, such as "multi-head" or "additive, sparsemax", or "transformer". */
void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME]);

/** Names the models by their kinds, which are in `names`, if all differ; otherwise by the parts of their paths that
 *  differ: "dot" and "general" for out/dot/sort.safetensors and out/general/sort.safetensors. */
void app_name_models(const char *const *paths, int count, char (*names)[APP_MODEL_NAME]);

/** The range of the colours. Zero: chosen from the data. */
typedef struct app_range {
    enum { APP_RANGE_CHOSEN, APP_RANGE_DATA, APP_RANGE_GIVEN } kind;
    double min, max; /* with APP_RANGE_GIVEN */
} app_range;

/** Reads "data" or "LOW..HIGH", such as "0..1"; NULL: chosen from the data.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_range_parse(const char *text, app_range *range, lb_error *error);

/** The style of the figure. */
typedef struct app_maps_style {
    const char *title;
    lb_colormap colormap;
    app_range range;
    bool no_values; /* in the cells */
    double dpi;
    lb_format format;
    bool transparent;    /* no white background */
    const lb_font *font; /* NULL: the built-in one */
    char (
        *names)[APP_MODEL_NAME]; /* [count]: the names of the matrices, for titles; NULL: there is only one */
} app_maps_style;

/** Draws every layer and head of `count` matrices: one row for each matrix or layer with several maps, otherwise about
 *  a square. Panels share one scale and one colour bar. Without a given range, the scale goes from 0 to 1, or over the
 *  data if some are outside or all are below 0.5; the bar then says so. NULL after an error.
 *  Memory: freed by lb_canvas_free. Errors: those of lb_figure_draw. */
lb_canvas *app_maps_draw(const app_maps_style *style, const app_matrix *matrices, size_t count,
                         lb_error *error);

/* ---- The picture of alternatives for an output. ---- */

/** Draws the likeliest symbols at each step of the best output for `text`, with their probabilities, into the file
 *  `path`, and reports that on standard error. `font` begins the chain of fonts; of the style, only colours, resolution
 *  and background are used.
 *  Errors: those of lb_translator_open; LB_ERROR_FORMAT if `text` is invalid for the model or the output is too long
 *          for a picture; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_scores_save(const app_maps_style *style, const lb_font *font, const char *model,
                                      const char *text, const char *path, lb_error *error);

#endif
