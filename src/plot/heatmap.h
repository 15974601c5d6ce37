/* Heat maps: a matrix of numbers as a matrix of colours. Made for attention weights: one row per query, one column
 * per key. */
#ifndef LB_HEATMAP_H
#define LB_HEATMAP_H

#include "plot/color_bar.h"
#include "plot/panel.h"

#include <stdbool.h>
#include <stddef.h>

/** Which numbers the colours span. */
typedef enum lb_range {
    LB_RANGE_UNIT,  /* 0 to 1, what attention weights are */
    LB_RANGE_DATA,  /* the smallest to the largest finite value */
    LB_RANGE_GIVEN, /* .min to .max */
} lb_range;

/** Whether each cell shows its value, with two decimals. */
typedef enum lb_cell_text {
    LB_CELL_TEXT_AUTO, /* where numbers of at least 6 points fit into the cells: up to some 34 rows or columns */
    LB_CELL_TEXT_NONE,
} lb_cell_text;

/** How the labels of the columns stand. */
typedef enum lb_label_slant {
    LB_LABEL_SLANTED, /* at 45 degrees */
    LB_LABEL_FLAT,    /* upright: for short labels */
} lb_label_slant;

/** A heat map. Zero is the default of everything but the first line. */
typedef struct lb_heatmap {
    const double *values; /* [rows, columns]; what is not finite is drawn grey and without a number */
    size_t rows, columns;
    const char *const *row_labels;                     /* [rows], top to bottom; NULL: 0, 1, 2 ... */
    const char *const *column_labels;                  /* [columns], left to right; NULL: 0, 1, 2 ... */
    const char *title, *x_label, *y_label, *bar_label; /* NULL: none */
    lb_range range;
    double min, max; /* with LB_RANGE_GIVEN; values beyond have the colour of the end */
    lb_colormap colormap;
    lb_cell_text cell_text;
    lb_label_slant slant;
    bool hide_bar; /* no colour bar: the figure has one for all of its panels */
    double cell;   /* side of a cell in points; 0: from the number of cells, 58 points at most */
} lb_heatmap;

/** The heat map as a panel of a figure. Cells are square unless there are so few rows that the colour bar would not fit
 *  beside them. Labels that would touch each other are left out at regular distances.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if there are no values or min < max does not hold. */
lb_panel lb_heatmap_panel(const lb_heatmap *map);

/** The scale of colours that the map uses, with its label. */
lb_color_bar lb_heatmap_scale(const lb_heatmap *map);

/** Gives `count` maps one scale, that spans all of them if they have LB_RANGE_DATA, hides their own bars,
 *  and returns the bar for the figure that shows them. `count` is at least 1; colours and label are those of the first. */
lb_color_bar lb_heatmap_share_scale(lb_heatmap *maps, size_t count);

/** Draws one heat map into a PNG file, at 100 dots per inch. For more see plot/figure.h.
 *  Errors:  LB_ERROR_ARGUMENT; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_heatmap_save(const lb_heatmap *map, const char *path, lb_error *error);

/** Draws `count` maps as one figure, `columns` in a row (0: all), below a title (NULL: none), with one scale and one
 *  colour bar, as lb_heatmap_share_scale gives them. The maps stay as they are.    Errors: as lb_heatmap_save. */
LB_MUST_USE lb_status lb_heatmap_save_grid(const lb_heatmap *maps, size_t count, size_t columns,
                                           const char *title, const char *path, lb_error *error);

#endif
