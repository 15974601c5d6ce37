/* Colour maps: from a number in [0, 1] to a colour. */
#ifndef LB_COLORMAP_H
#define LB_COLORMAP_H

#include "lookback/plot.h"
#include "plot/color.h"

/** The colour of `value`, clamped to [0, 1]. NaN is light grey.
 *  A map has 256 colours, and equals the map of this name in matplotlib to 1/255 per channel.
 *  Source:  viridis, plasma: Smith, van der Walt, Firing 2015, public domain (CC0).
 *           The others: Brewer, Harrower 2003, colorbrewer2.org, nine classes with linear interpolation. */
lb_color lb_colormap_at(lb_colormap map, double value);

/** Whether there is such a map: a caller may pass any number. */
bool lb_colormap_exists(lb_colormap map);

/** All names, separated by ", ". */
const char *lb_colormap_names(void);

#endif
