/* Diagrams of an encoder and a decoder: boxes, and arrows for what flows between them. They show the same weights as a
 * heat map does, or what there is instead without attention: one vector that all has to pass through. */
#ifndef LB_DIAGRAM_H
#define LB_DIAGRAM_H

#include "plot/panel.h"

#include <stddef.h>

/** A diagram. Zero is the default of everything but the first line. */
typedef struct lb_diagram {
    size_t sources, targets;          /* boxes of the encoder, above, and of the decoder, below */
    const char *const *source_labels; /* [sources], left to right; NULL: x0, x1 ... */
    const char *const *target_labels; /* [targets], left to right; NULL: y0, y1 ... */
    /* [targets, sources]: an arrow from each source to each target, the stronger the larger its weight; below 0 counts as
     * 0, which is no arrow, above 1 as 1. What is not finite is no arrow either. NULL: no attention, a bottleneck. */
    const double *weights;
    const char *title; /* NULL: none */
} lb_diagram;

/** The diagram as a panel of a figure. All boxes are as wide as the longest label needs.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if there are no sources or no targets, or more than a picture has pixels. */
lb_panel lb_diagram_panel(const lb_diagram *diagram);

#endif
