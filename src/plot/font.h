/* Fonts, and the way from a text to outlines: readable characters, lines of glyphs, and the outlines themselves. */
#ifndef LB_FONT_H
#define LB_FONT_H

#include "lookback/plot.h"
#include <stdatomic.h>

/** Vertical metrics as fractions of the size: above the baseline, below it (positive), from baseline to baseline,
 *  and the heights of capitals and of small letters such as x. */
typedef struct lb_font_metrics {
    double ascent, descent, line, capital, small;
} lb_font_metrics;

/** A font, and the next one of the chain, for characters that it lacks. */
struct lb_font {
    struct hb_font_t *hb; /* whose unit is 1 / units of the size */
    unsigned index;       /* in its file */
    double units;
    lb_font_metrics metrics;
    char family[64]; /* such as "DejaVu Sans" */
    bool bold;
    atomic_bool *failed;
    lb_font *next; /* NULL: none */
};

/** The first font of the chain that begins with `font` and has the character; NULL if none has. */
const lb_font *lb_font_find(const lb_font *font, int32_t character);

/** Measuring text returns no error: if it runs out of memory, the font remembers that until lb_font_failed. */
void lb_font_fail(const lb_font *font);
bool lb_font_failed(const lb_font *font);

/* ---- readable.c: text with its invisible and missing characters made visible. ---- */

/** The next character of a text that is not at its end, after which `*text` moves. An invalid byte is one, too. */
enum { LB_TEXT_INVALID = 0xFFFD };
int32_t lb_text_next(const char **text);

/** A copy of the UTF-8 text that is readable in a picture. A combining mark without a letter gets a dotted circle.
 *  Characters that no font of the chain has are composed if that helps, otherwise written as "U+1112". Control
 *  characters, and a text of only one blank, are written like this, too, except that a single space becomes U+2423.
 *  `font` NULL: the fonts are not known, as in an SVG document; every character is assumed to exist.
 *  Memory: free with lb_release; NULL if memory runs out. */
char *lb_text_readable(const lb_font *font, const char *text);

/** Appends the characters of the text that no font of the chain has to the `count` in `missing`, without duplicates and
 *  up to `most` in all. Returns the new count. */
size_t lb_text_missing(const lb_font *font, const char *text, int32_t *missing, size_t count, size_t most);

/* ---- shape.c: from a line of text to glyphs. HarfBuzz joins letters and places marks, FriBidi finds the direction,
 * and each character comes from the first font of the chain that has it. ---- */

/** The width of the box in place of a missing character, as a fraction of the size. */
#define LB_GLYPH_BOX_ADVANCE 0.6

/** The same for a full-width character, such as a Chinese one. */
#define LB_GLYPH_WIDE_BOX_ADVANCE 1.0

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

/* ---- glyph.c: outlines of glyphs, for text on a canvas of pixels. ---- */

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
