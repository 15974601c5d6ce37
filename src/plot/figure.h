/* Figures: panels in rows and columns, with a title and, if they share a scale, one colour bar. */
#ifndef LB_FIGURE_H
#define LB_FIGURE_H

#include "lookback/plot.h"
#include "plot/text.h"
#include <math.h>

/** The style that all panels of a figure share. */
struct lb_style {
    const lb_font *regular, *bold;
    double point; /* pixels per point (1/72 inch), the unit of text sizes and line widths */
    bool single;  /* the only panel of its figure: it may be larger */
    bool dark;
};

/** In points. */
enum { LB_SIZE_FIGURE = 16, LB_SIZE_TITLE = 14, LB_SIZE_AXIS = 12, LB_SIZE_SMALL = 11, LB_SIZE_TICK = 10 };

/** A length in points as a whole number of pixels, at least 1. */
static inline double lb_style_pixels(const lb_style *style, double points)
{
    return fmax(1, round(points * style->point));
}

/** A grey from 0, black, to 255, the paper; in a dark figure, what is in its place there. */
static inline lb_color lb_style_grey(const lb_style *style, int level)
{
    return style->dark ? lb_color_mix(lb_rgb(0xF0F6FC), lb_rgb(0x0D1117), level / 255.0)
                       : lb_rgb(0x010101u * (uint32_t)level);
}

/** The look of the labels of an axis, and of a legend. */
static inline lb_text_style lb_style_label(const lb_style *style, lb_align align, lb_valign valign,
                                           lb_color ink)
{
    const double size = LB_SIZE_TICK * style->point;
    return (lb_text_style){style->regular, size, .align = align, .valign = valign, .color = ink};
}

/** The look of a title, whose upper edge has its middle where it is drawn. */
static inline lb_text_style lb_style_title(const lb_style *style)
{
    return (lb_text_style){style->bold, LB_SIZE_TITLE * style->point, .align = LB_ALIGN_CENTER,
                           .valign = LB_VALIGN_TOP, .color = lb_style_grey(style, 0)};
}

/** Draws the figure; each column is as wide and each row as high as its largest panel. NULL after an error.
 *  Errors:  LB_ERROR_ARGUMENT (no panels, too large, an invalid panel); LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_figure_draw(const lb_figure *figure, lb_format format, lb_error *error);

#endif
