/* Panels: the style that they share in a figure. */
#ifndef LB_PANEL_H
#define LB_PANEL_H

#include "lookback/plot.h"
#include "plot/canvas.h"
#include "plot/text.h"
#include <math.h>
#include <stdbool.h>

/** The style that all panels of a figure share. */
struct lb_style {
    const lb_font *regular, *bold;
    double point; /* pixels per point (1/72 inch), the unit of text sizes and line widths */
    bool single;  /* the only panel of its figure: it may be larger */
};

/** In points. */
enum { LB_SIZE_FIGURE = 16, LB_SIZE_TITLE = 14, LB_SIZE_AXIS = 12, LB_SIZE_SMALL = 11, LB_SIZE_TICK = 10 };

/** A length in points as a whole number of pixels, at least 1. */
static inline double lb_style_pixels(const lb_style *style, double points)
{
    return fmax(1, round(points * style->point));
}

#endif
