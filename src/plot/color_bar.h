/* A colour bar: which colour means which number. */
#ifndef LB_COLOR_BAR_H
#define LB_COLOR_BAR_H

#include "lookback/plot.h"
#include "plot/colormap.h"
#include "plot/panel.h"

/** The colour of a value on this scale. */
lb_color lb_color_bar_at(const lb_color_bar *bar, double value);

/** What the bar wants in pixels: its width with ticks and label; the least height at which the label is not cut and the
 *  scale has two ticks or more. */
lb_size lb_color_bar_measure(const lb_color_bar *bar, const lb_style *style);

/** Draws the bar over the whole height of `area`, its left edge at the left of `area`. Tick labels stand out by half a
 *  line above and below. */
void lb_color_bar_draw(const lb_color_bar *bar, const lb_style *style, lb_canvas *canvas, lb_rect area);

#endif
