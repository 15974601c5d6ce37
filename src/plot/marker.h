/* Markers of the points of a chart: shapes that tell series apart. */
#ifndef LB_MARKER_H
#define LB_MARKER_H

#include "plot/canvas.h"

/** A series among those that are drawn in the same place: the first has rank 0. */
typedef struct lb_share {
    int64_t rank, count;
} lb_share;

/** The white rim of the marker of series `index`. Shapes repeat after seven; series that share a place have a circle.
 *  Draw the rims of all markers before the first marker: then no rim covers a marker. */
void lb_marker_rim(lb_canvas *canvas, int64_t index, lb_point center, double radius, lb_share share);

/** The marker, or the sector of the circle that is its share, clockwise from above. */
void lb_marker_draw(lb_canvas *canvas, int64_t index, lb_point center, double radius, lb_share share,
                    lb_color color);

#endif
