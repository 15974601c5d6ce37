/* Colour maps: from a number in [0, 1] to a colour. */
#ifndef LB_COLORMAP_H
#define LB_COLORMAP_H

#include "plot/color.h"
#include "tensor/status.h"

/* constant, name; colormap_tables.h has a table of each name */
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

/** The colour of `value`; below 0 counts as 0, above 1 as 1. What is not a number is light grey.
 *  A map has 256 colours, as matplotlib's have, and equals those of the same name to 1/255 per channel.
 *  Source:  viridis, plasma: Smith, van der Walt, Firing 2015, public domain (CC0).
 *           The others: Brewer, Harrower 2003, colorbrewer2.org, nine classes, in between linear. */
lb_color lb_colormap_at(lb_colormap map, double value);

/** The map called `name`, such as "viridis"; letter case does not matter.
 *  Errors:  LB_ERROR_ARGUMENT with the list of names; then `*map` is untouched. */
LB_MUST_USE lb_status lb_colormap_find(const char *name, lb_colormap *map, lb_error *error);

/** The name of a map. */
const char *lb_colormap_name(lb_colormap map);

/** All names, separated by a comma and a space. */
const char *lb_colormap_names(void);

#endif
