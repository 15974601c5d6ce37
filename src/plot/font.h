/* Fonts: where the outlines and widths of characters come from. */
#ifndef LB_FONT_H
#define LB_FONT_H

#include "lookback/plot.h"
#include "plot/canvas.h"
#include <stdint.h>

/** The same for a font of `size` bytes in memory, which is copied; `name` is for the message of an error. */
LB_MUST_USE lb_font *lb_font_from_memory(const void *data, size_t size, const char *name, lb_error *error);

/** Vertical measures as a part of the size: above the baseline, below it (positive), from baseline to baseline,
 *  and the height of capitals and of small letters such as x. */
typedef struct lb_font_metrics {
    double ascent, descent, line, capital, small;
} lb_font_metrics;

lb_font_metrics lb_font_measure(const lb_font *font);

/** The glyph of a character; 0 if the font does not have it. */
int lb_font_glyph(const lb_font *font, int32_t character);

/** How far the pen moves after a glyph, as a part of the size. Glyph 0 is a box. */
double lb_font_advance(const lb_font *font, int glyph);

/** What is added between two glyphs, as a part of the size. Source: the font's "kern" table. */
double lb_font_kerning(const lb_font *font, int glyph, int next);

/** Where a glyph goes: a point (x, y) of its outline, with y upwards and 1 = the size of the font, is drawn at
 *  origin + x' * right + y' * up. The pen is at the origin. `x'` is x; `y'` is y, but with capitals and small letters
 *  `capital` and `small` high where those are not 0, so that their tops can fall on the edges of pixels. */
typedef struct lb_glyph_place {
    lb_point origin, right, up;
    double capital, small;
} lb_glyph_place;

/** Adds the outline of a glyph to the canvas, for lb_canvas_fill. If memory runs out, the canvas remembers. */
void lb_font_draw(const lb_font *font, int glyph, const lb_glyph_place *place, lb_canvas *canvas);

#endif
