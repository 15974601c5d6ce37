/* Markers: shapes on the lines of a chart, which tell them apart where they cover each other. */
#ifndef LB_MARKER_H
#define LB_MARKER_H

#include "plot/canvas.h"

/** Draws the shape of series `index`, in its colour on a white rim; shapes repeat after seven. */
void lb_marker_draw(lb_canvas *canvas, size_t index, lb_point center, double radius, lb_color color);

#endif
