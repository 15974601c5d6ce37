/* A line of text as glyphs: HarfBuzz joins letters and puts marks on them, FriBidi says what runs from right to left,
 * and each character comes from the first font of the chain that has it. */
#ifndef LB_SHAPE_H
#define LB_SHAPE_H

#include "plot/font.h"
#include <stddef.h>
#include <stdint.h>

/** A glyph and where it goes. */
typedef struct lb_glyph {
    const lb_font *font; /* NULL: no font has the character */
    uint32_t id;
    double x, y;       /* of its origin, to the right and upwards, as parts of the size of the text */
    size_t begin, end; /* the bytes of the text that it stands for, maybe together with its neighbours */
    int run;           /* equal for neighbours of one font and one direction */
} lb_glyph;

/** A line, from left to right. */
typedef struct lb_line {
    const char *text;
    size_t bytes;
    lb_glyph *glyph;
    size_t count;
    double width;  /* as a part of the size */
    bool leftward; /* the line as a whole reads from right to left */
} lb_line;

/** Shapes the text up to its end or the first "\n". A byte that starts no character is U+FFFD.
 *  Errors: LB_ERROR_MEMORY; then the line is empty.    Memory: `text` stays the caller's; lb_line_free. */
LB_MUST_USE lb_status lb_line_shape(const lb_font *font, const char *text, lb_line *line);

/** Frees what lb_line_shape has made. */
void lb_line_free(lb_line *line);

#endif
