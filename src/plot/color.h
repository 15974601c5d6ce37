/* Colours, points and rectangles: the vocabulary of drawing. */
#ifndef LB_COLOR_H
#define LB_COLOR_H

#include "lookback/plot.h"
#include <stdint.h>

/** Relative luminance of an opaque colour, 0 (black) to 1 (white).
 *  Source: Web Content Accessibility Guidelines 2.1, "relative luminance". */
double lb_color_luminance(lb_color color);

/** Black or white, whichever is readable on an opaque `background`: white if its contrast ratio is at least 3.5 to 1,
 *  otherwise black, whose ratio is then at least 6. On deep reds and greens black has the larger ratio, but white looks
 *  clearer.
 *  Source: Web Content Accessibility Guidelines 2.1, "contrast ratio". */
lb_color lb_color_contrast(lb_color background);

/** Colour `index` of a palette that is distinguishable with any colour blindness; it repeats after seven.
 *  Source: Okabe, Ito 2008, "Color Universal Design"; without its yellow, which is too pale for a line on white. */
lb_color lb_color_series(int index);

#endif
