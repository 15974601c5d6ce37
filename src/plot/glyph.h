/* Outlines of glyphs: what letters on a canvas are made of where they are pixels. */
#ifndef LB_GLYPH_H
#define LB_GLYPH_H

#include "plot/canvas.h"
#include "plot/font.h"

/** Where a glyph goes: a point (x, y) of its outline, with y upwards and 1 = the size of the font, is drawn at
 *  origin + x' * right + y' * up. The pen is at the origin. `x'` is x; `y'` is y, but with capitals and small letters
 *  `capital` and `small` high where those are not 0, so that their tops can fall on the edges of pixels. */
typedef struct lb_glyph_place {
    lb_point origin, right, up;
    double capital, small;
} lb_glyph_place;

/** Adds the outline of a glyph to the canvas's path. */
void lb_glyph_draw(const lb_font *font, uint32_t glyph, const lb_glyph_place *place, lb_canvas *canvas);

/** Adds the box that stands for a missing character. */
void lb_glyph_draw_box(const lb_font *font, const lb_glyph_place *place, lb_canvas *canvas);

/** How far the pen moves after such a box, as a part of the size. */
#define LB_GLYPH_BOX_ADVANCE 0.6

/** The same for a character that is twice as wide as a letter, as Chinese ones are. */
#define LB_GLYPH_WIDE_BOX_ADVANCE 1.0

#endif
