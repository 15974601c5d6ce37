/* The layout of a heat map, computed before anything is drawn. */
#ifndef LB_HEATMAP_LAYOUT_H
#define LB_HEATMAP_LAYOUT_H

#include "lookback/plot.h"
#include "plot/text.h"

enum { LB_CELL_LABEL = 32 };

/** In pixels, from the top left corner of the panel. */
typedef struct lb_heatmap_layout {
    lb_size size;                    /* of the panel */
    lb_color_bar scale;              /* of the colours, with its label */
    lb_rect plot, bar;               /* the cells; the colour bar, of width 0 if there is none */
    double cell_w, cell_h;           /* whole numbers, unless the cells are stretched */
    double grid;                     /* width of the white lines, 0: none */
    double label_size;               /* text size of row and column labels */
    double text_size;                /* text size of the numbers in the cells, 0: none */
    int64_t row_every, column_every; /* every n-th label is shown */
    double angle;                    /* of the column labels, all of them: 0, 45 or 90 degrees */
    lb_fitted_text title, x_label, y_label;
    double title_x, x_label_x, y_label_y; /* centres of titles */
    double y_label_x, x_label_y;          /* left and top edges of titles */
} lb_heatmap_layout;

/** Points: the length of a tick, and the gap between it and its label. */
#define LB_HEATMAP_TICK      3.5
#define LB_HEATMAP_LABEL_GAP 4

/** NULL if the map can be drawn, otherwise an error message. */
const char *lb_heatmap_wrong(const lb_heatmap *map);

/** The layout of a valid map. The cells are stretched if the panel would be lower than `height`. */
lb_heatmap_layout lb_heatmap_arrange(const lb_heatmap *map, const lb_style *style, double height);

/** A label. Without labels it is the index, written into `buffer`. */
const char *lb_heatmap_label(const char *const *labels, int64_t index, char buffer[LB_CELL_LABEL]);

lb_text_style lb_heatmap_column_style(const lb_heatmap_layout *layout, const lb_style *style);

const char *lb_heatmap_cell_text(double value, char buffer[LB_CELL_LABEL]);

/** The label of a cell; "" if it has none. */
const char *lb_heatmap_cell_label(const lb_heatmap *map, int64_t index);

/** The colour scale of the map, with its label. */
lb_color_bar lb_heatmap_scale(const lb_heatmap *map);

#endif
