/* Colours, colour maps from a number in [0, 1] to a colour, and the bar that shows such a map. */
#ifndef LB_COLOR_H
#define LB_COLOR_H

#include "lookback/plot.h"

/** Relative luminance of an opaque colour, 0 (black) to 1 (white).
 *  Source: Web Content Accessibility Guidelines 2.1, "relative luminance". */
double lb_color_luminance(lb_color color);

/** Black or white, whichever is readable on an opaque `background`: white if its contrast ratio is at least 3.5 to 1,
 *  otherwise black, whose ratio is then at least 6. On deep reds and greens black has the larger ratio, but white looks
 *  clearer.
 *  Source: Web Content Accessibility Guidelines 2.1, "contrast ratio". */
lb_color lb_color_contrast(lb_color background);

/** From `a` at 0 to `b` at 1. */
lb_color lb_color_mix(lb_color a, lb_color b, double t);

/** Colour `index` of a palette that is distinguishable with any colour blindness; it repeats after fifteen.
 *  Source: Okabe, Ito 2008, "Color Universal Design"; without its yellow, which is too pale for a line on white. */
lb_color lb_color_series(int index);

/** The colour of `value`, clamped to [-1, 1]: 0 to 1 is the map, and below 0 it goes into other colours. NaN is light
 *  grey.
 *  A map has 256 colours, and equals the map of this name in matplotlib to 1/255 per channel.
 *  Source:  viridis, plasma: Smith, van der Walt, Firing 2015, public domain (CC0).
 *           The others: Brewer, Harrower 2003, colorbrewer2.org, nine classes with linear interpolation. */
lb_color lb_colormap_at(lb_colormap map, double value);

/** Whether there is such a map: a caller may pass any number. */
bool lb_colormap_exists(lb_colormap map);

/* ---- color_bar.c: which colour means which number. ---- */

/** The colour of a value. A bar from -x to x has 0, the first colour of the map, in its middle. */
lb_color lb_color_bar_at(const lb_color_bar *bar, double value);

/** The size in pixels that the bar wants: its width with ticks and label; the smallest height that fits the label and
 *  at least two ticks. */
lb_size lb_color_bar_measure(const lb_color_bar *bar, const lb_style *style);

/** Draws the bar at the left edge of `area`, over its whole height. Tick labels extend half a line above and below. */
void lb_color_bar_draw(const lb_color_bar *bar, const lb_style *style, lb_canvas *canvas, lb_rect area);

#endif
