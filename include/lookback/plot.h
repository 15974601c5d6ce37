/* Figures: heat maps, line charts and diagrams as PNG, SVG or PDF. The file name decides the format: .svg and .pdf give
 * a document whose text can be searched and copied; any other name gives PNG. */
#ifndef LOOKBACK_PLOT_H
#define LOOKBACK_PLOT_H

#include "lookback/base.h"

LB_BEGIN_DECLS

/* ---- Colours, points and rectangles: the vocabulary of drawing. ---- */

/** An sRGB colour; alpha 255 is opaque, 0 transparent. In options, a colour of all zeros means the default. */
typedef struct lb_color {
    uint8_t red, green, blue, alpha;
} lb_color;

/** A point in pixels: x to the right, y downwards; (0, 0) is the outer corner of the first pixel. */
typedef struct lb_point {
    double x, y;
} lb_point;

/** Width and height in pixels. */
typedef struct lb_size {
    double width, height;
} lb_size;

/** A rectangle in pixels; (x, y) is its top left corner. */
typedef struct lb_rect {
    double x, y, width, height;
} lb_rect;

/** The opaque colour 0xRRGGBB. */
static inline lb_color lb_rgb(uint32_t hex)
{
    lb_color color = {(uint8_t)(hex >> 16), (uint8_t)(hex >> 8), (uint8_t)hex, 255};
    return color;
}

/* ---- Colour maps: from a number in [0, 1] to a colour. ---- */

/** Constant, name; color.c has a table for each name */
#define LB_COLORMAP_LIST(X)                                                                                  \
    X(LB_COLORMAP_YLORRD, ylorrd)                                                                            \
    X(LB_COLORMAP_VIRIDIS, viridis)                                                                          \
    X(LB_COLORMAP_PLASMA, plasma)                                                                            \
    X(LB_COLORMAP_BLUES, blues)                                                                              \
    X(LB_COLORMAP_GREENS, greens)                                                                            \
    X(LB_COLORMAP_REDS, reds)

/** The default is YlOrRd: pale yellow, orange, dark red. */
typedef enum lb_colormap {
#define LB_COLORMAP_CONSTANT(constant, name) constant,
    LB_COLORMAP_LIST(LB_COLORMAP_CONSTANT)
#undef LB_COLORMAP_CONSTANT
} lb_colormap;

/** The map called `name`, such as "viridis"; letter case does not matter.
 *  Errors:  LB_ERROR_ARGUMENT with the list of names; `*map` is then unchanged. */
LB_MUST_USE lb_status lb_colormap_find(const char *name, lb_colormap *map, lb_error *error);

/* ---- Fonts: where the outlines and widths of characters come from. ---- */

/** A font, ready to draw with. */
typedef struct lb_font lb_font;

/** The weights of the built-in font. */
typedef enum lb_font_weight { LB_FONT_REGULAR, LB_FONT_BOLD } lb_font_weight;

/** A built-in font, DejaVu Sans or DejaVu Sans Bold; NULL after an error.
 *  Errors:  LB_ERROR_MEMORY.    Memory: closed and freed by lb_font_close. */
LB_MUST_USE lb_font *lb_font_builtin(lb_font_weight weight, lb_error *error);

/** The TrueType or OpenType font in the file `path` (.ttf, .otf, or the first of a .ttc; "NAME.ttc#2" is number 2,
 *  counted from 0); NULL after an error. Characters it lacks come from the built-in font, in bold if the font is bold.
 *  Errors:  LB_ERROR_OPEN; LB_ERROR_FORMAT if it is not a font with outlines and a Unicode character map, or if the
 *           number does not exist; LB_ERROR_MEMORY.
 *  Memory:  closed and freed by lb_font_close. */
LB_MUST_USE lb_font *lb_font_open(const char *path, lb_error *error);

/** Closes and frees the font. NULL is allowed. */
void lb_font_close(lb_font *font);

/* ---- Panels: the parts of a figure. A panel knows how large it wants to be and can draw itself. Heat maps and charts
 * are panels; write two functions to add your own. ---- */

/** The surface that a panel draws on. */
typedef struct lb_canvas lb_canvas;
/** The style that all panels of a figure share. */
typedef struct lb_style lb_style;

/** Something to draw. `measure` gives the pixels it wants; `draw` draws it within `area`, which is no smaller.
 *  Neither changes `content`, which must live as long as the panel. */
typedef struct lb_panel {
    const void *content; /* what is drawn; passed to the two functions */
    /* The size in pixels that it wants. */
    lb_size (*measure)(const void *content, const lb_style *style);
    /* Draws it within `area`. */
    void (*draw)(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area);
} lb_panel;

/* ---- A colour bar: which colour means which number. ---- */

/** A colour scale from `min` (bottom) to `max` (top). */
typedef struct lb_color_bar {
    double min, max;
    lb_colormap colormap;
    const char *label; /* next to the bar, read from top to bottom; NULL: none */
} lb_color_bar;

/* ---- Heat maps: a matrix of numbers as a matrix of colours. Made for attention weights: one row per query, one column
 * per key. ---- */

/** The range of values that the colours span. */
typedef enum lb_range {
    LB_RANGE_UNIT,  /* 0 to 1, as attention weights are */
    LB_RANGE_DATA,  /* the smallest to the largest finite value */
    LB_RANGE_GIVEN, /* .min to .max */
    /* From -x to x, the largest finite value without its sign. Such a scale, also a given one, has zero in its middle,
     * in the first colour of the map, and other colours below it. */
    LB_RANGE_SIGNED,
} lb_range;

/** Whether each cell shows its value, with two decimals. */
typedef enum lb_cell_text {
    LB_CELL_TEXT_AUTO, /* if numbers of at least 6 points fit into the cells: up to about 34 rows or columns */
    LB_CELL_TEXT_NONE,
} lb_cell_text;

/** The direction of column labels. */
typedef enum lb_label_slant {
    /* Horizontal if all are single characters or all fit. Otherwise at 45 degrees, or at 90 where they are close. */
    LB_LABEL_SLANTED,
    LB_LABEL_FLAT, /* all horizontal: for short labels */
} lb_label_slant;

/** A heat map. Zero is the default of every field except values, rows and columns. */
typedef struct lb_heatmap {
    const double *values; /* [rows, columns]; non-finite values are grey, without a number */
    int64_t rows, columns;
    const char *const *row_labels;    /* [rows], top to bottom; NULL: 0, 1, 2 ... */
    const char *const *column_labels; /* [columns], left to right; NULL: 0, 1, 2 ... */
    const char *const *cell_labels;   /* [rows, columns], above the values where they fit; NULL: none */
    const char *title, *x_label, *y_label, *bar_label; /* NULL: none */
    lb_range range;
    double min, max; /* with LB_RANGE_GIVEN; values outside have the colour of the nearer end */
    lb_colormap colormap;
    lb_cell_text cell_text;
    lb_label_slant slant;
    bool hide_bar; /* no colour bar: the figure has one for all its panels */
    double cell;   /* side of a cell in points; 0: depends on the number of cells, at most 46 */
} lb_heatmap;

/** The heat map as a panel of a figure. Cells are square unless there are too few rows for the colour bar to fit next
 *  to them, or another panel in the same row of the figure is higher: then they are stretched. Labels become smaller,
 *  turn, and enlarge the cells until all fit. If the map would be too large, only every n-th is shown, and the title of
 *  the axis says so. Titles are broken into lines, and become smaller, to fit.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if there are no values or min < max does not hold. */
lb_panel lb_heatmap_panel(const lb_heatmap *map);

/** Gives `count` maps, at least 1, a common scale and hides their bars. With LB_RANGE_DATA the scale spans all maps.
 *  Returns the colour bar for the figure that shows them: with the colours of the first map, and the first label that
 *  is set. */
lb_color_bar lb_heatmap_share_scale(lb_heatmap *maps, int64_t count);

/** Draws one heat map into a file, at 100 dots per inch. For other options see lb_figure_save.
 *  Errors:  LB_ERROR_ARGUMENT; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_heatmap_save(const lb_heatmap *map, const char *path, lb_error *error);

/** Draws `count` maps as one figure, `columns` per row (0: all), below a title (NULL: none), with one scale and one
 *  colour bar, as from lb_heatmap_share_scale. The maps are not changed.    Errors: as lb_heatmap_save. */
LB_MUST_USE lb_status lb_heatmap_save_grid(const lb_heatmap *maps, int64_t count, int64_t columns,
                                           const char *title, const char *path, lb_error *error);

/* ---- Line charts: series over one x axis and one or two y axes, such as loss and exact match over steps. ---- */

/** One line. Points that are not finite, or not positive on a logarithmic axis, are left out and interrupt the line.
 *  Each point has a marker if no series has its points too close for that. Otherwise only a point without neighbours
 *  has one, a dot. Lines that cover each other take turns in stripes, and their markers are sectors of one circle. A
 *  series may be empty. */
typedef struct lb_series {
    const char *name; /* in the legend; NULL: not in the legend */
    const double *x;  /* [count]; NULL: 0, 1, 2 ... */
    const double *y;  /* [count] */
    int64_t count;
    bool right;     /* belongs to the right y axis */
    lb_color color; /* all zeros: the next of the 15 colours of charts */
} lb_series;

/** One axis. */
typedef struct lb_axis {
    const char *label; /* NULL: none */
    double min, max;   /* both 0: from the data; for y, rounded outwards to ticks */
    bool log;          /* logarithmic */
} lb_axis;

/** A line chart. Zero is the default of every field except series and count. */
typedef struct lb_chart {
    const lb_series *series;
    int64_t count;
    const char *title; /* NULL: none */
    lb_axis x, left, right;
    double width, height; /* points; 0: 720 x 432, which is 10 x 6 inches; several in a figure: 504 x 324 */
} lb_chart;

/** The chart as a panel of a figure. The right axis is drawn if a series belongs to it. With two axes, an axis with a
 *  single series has the colour of that series.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if the limits of an axis are not finite or not min < max, or not
 *           positive on a logarithmic axis, or if `series` or `y` is NULL although its count is above 0. */
lb_panel lb_chart_panel(const lb_chart *chart);

/** Draws one chart into a file, at 100 dots per inch. For other options see lb_figure_save.
 *  Errors:  LB_ERROR_ARGUMENT; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_chart_save(const lb_chart *chart, const char *path, lb_error *error);

/* ---- Diagrams of an encoder and a decoder: boxes, and arrows for what flows between them. They show the same weights
 * as a heat map, or, without attention, the one vector that everything has to pass through. ---- */

/** A diagram. Zero is the default of every field except sources and targets. */
typedef struct lb_diagram {
    int64_t sources, targets;         /* boxes of the encoder, above, and of the decoder, below */
    const char *const *source_labels; /* [sources], left to right; NULL: x0, x1 ... */
    const char *const *target_labels; /* [targets], left to right; NULL: y0, y1 ... */
    /* [targets, sources]: an arrow from each source to each target, stronger for larger weights. Weights above 1 count
     * as 1. Weights of at most 0 and non-finite weights have no arrow. NULL: no attention, a bottleneck. */
    const double *weights;
    const char *title; /* NULL: none */
} lb_diagram;

/** The diagram as a panel of a figure. All boxes are as wide as the longest label needs.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if there are no sources or no targets, or more than a picture can
 *           have pixels. */
lb_panel lb_diagram_panel(const lb_diagram *diagram);

/* ---- Diagrams of a computation: boxes, and arrows from the inputs, above, to the results, below. ---- */

/** A box. Zero is the default of `fill`. */
typedef struct lb_flow_box {
    const char *label;  /* NULL: none */
    double column, row; /* its place, in boxes: columns to the right, rows downwards; halves are allowed */
    lb_color fill;      /* all zeros: light blue */
} lb_flow_box;

/** An arrow from one box to another that is at least one row below it. */
typedef struct lb_flow_arrow {
    int64_t from, to; /* indices of boxes */
} lb_flow_arrow;

/** A diagram of a computation. Zero is the default of every field except boxes and box_count. */
typedef struct lb_flow {
    const lb_flow_box *boxes; /* [box_count] */
    int64_t box_count;
    const lb_flow_arrow *arrows; /* [arrow_count] */
    int64_t arrow_count;
    const char *title; /* NULL: none */
} lb_flow;

/** The diagram as a panel of a figure. All boxes are as wide as the longest label needs. Arrows that share an edge of a
 *  box are side by side there, in the order of their other ends.
 *  Errors: drawing fails with LB_ERROR_ARGUMENT if there are no boxes, if a place is not from 0 to 1000, or if an arrow
 *           does not lead downwards from one box to another. */
lb_panel lb_flow_panel(const lb_flow *flow);

/* ---- Figures: panels in rows and columns, with a title and, if they share a scale, one colour bar. ---- */

/** A figure. Zero is the default of every field except panels and count. */
typedef struct lb_figure {
    const lb_panel *panels; /* row by row */
    int64_t count;
    int64_t columns;            /* 0: all panels in one row */
    const char *title;          /* NULL: none */
    const lb_color_bar *bar;    /* one colour bar on the right, for all panels; NULL: none */
    double dpi;                 /* pixels per inch, 10 to 1200; scales text and lines. 0: 100 */
    const lb_font *font, *bold; /* NULL: built-in DejaVu Sans; `bold` NULL: `font` */
    bool transparent;           /* nothing behind the panels */
    bool dark;                  /* light text on a dark background, for a dark page */
} lb_figure;

/** Draws the figure into a file: SVG or PDF if its name ends in .svg or .pdf, otherwise PNG. A PDF embeds the fonts it
 *  uses. An SVG only names them, and the viewer substitutes fonts that it has.
 *  Errors:  LB_ERROR_ARGUMENT (no panels, too large, an invalid panel); LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_figure_save(const lb_figure *figure, const char *path, lb_error *error);

LB_END_DECLS

#endif
