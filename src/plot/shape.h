/* Text shaping: turns a line of text into glyphs. HarfBuzz joins letters and places marks, FriBidi finds the
 * direction, and each character comes from the first font of the chain that has it. */
#ifndef LB_SHAPE_H
#define LB_SHAPE_H

#include "plot/font.h"
#include <stddef.h>
#include <stdint.h>

/** The width of the box in place of a missing character, as a fraction of the size. */
#define LB_GLYPH_BOX_ADVANCE 0.6

/** The same for a full-width character, such as a Chinese one. */
#define LB_GLYPH_WIDE_BOX_ADVANCE 1.0

/** A glyph and its position. */
typedef struct lb_glyph {
    const lb_font *font; /* NULL: no font has the character */
    uint32_t id;
    double x, y;       /* of its origin, to the right and upwards, as fractions of the text size */
    size_t begin, end; /* the bytes of its cluster in the text */
    int run;           /* equal for neighbours with the same font and direction */
} lb_glyph;

/** A line, from left to right. */
typedef struct lb_line {
    const char *text;
    size_t bytes;
    lb_glyph *glyph;
    size_t count;
    double width;  /* as a fraction of the size */
    bool leftward; /* the line as a whole reads from right to left */
} lb_line;

/** Shapes the text up to its end or the first "\n". Invalid bytes become U+FFFD.
 *  Errors: LB_ERROR_MEMORY; the line is then empty.    Memory: free with lb_line_free; points into `text`. */
LB_MUST_USE lb_status lb_line_shape(const lb_font *font, const char *text, lb_line *line);

void lb_line_free(lb_line *line);

#endif
