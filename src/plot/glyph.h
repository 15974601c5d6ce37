/* Outlines of glyphs, for text on a canvas of pixels. */
#ifndef LB_GLYPH_H
#define LB_GLYPH_H

#include "plot/canvas.h"
#include "plot/font.h"

/** The placement of a glyph: a point (x, y) of its outline, with y upwards and 1 = the size of the font, is drawn at
 *  origin + x * right + y' * up. The pen is at the origin. y' is y, stretched so that capitals and small letters are
 *  `capital` and `small` high, unless those are 0: their tops can then fall on pixel edges. */
typedef struct lb_glyph_place {
    lb_point origin, right, up;
    double capital, small;
} lb_glyph_place;

/** Adds the outline of a glyph to the canvas's path. */
void lb_glyph_draw(const lb_font *font, uint32_t glyph, const lb_glyph_place *place, lb_canvas *canvas);

/** Adds the box that replaces a missing character. */
void lb_glyph_draw_box(const lb_font *font, const lb_glyph_place *place, lb_canvas *canvas);

#endif
