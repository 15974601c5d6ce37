/* A colour bar: which colour means which number. */
#ifndef LB_COLOR_BAR_H
#define LB_COLOR_BAR_H

#include "lookback/plot.h"
#include "plot/color.h"
#include "plot/panel.h"

/** The colour of a value on this scale. */
lb_color lb_color_bar_at(const lb_color_bar *bar, double value);

/** The size in pixels that the bar wants: its width with ticks and label; the smallest height that fits the label and
 *  at least two ticks. */
lb_size lb_color_bar_measure(const lb_color_bar *bar, const lb_style *style);

/** Draws the bar at the left edge of `area`, over its whole height. Tick labels extend half a line above and below. */
void lb_color_bar_draw(const lb_color_bar *bar, const lb_style *style, lb_canvas *canvas, lb_rect area);

#endif
