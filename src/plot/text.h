/* Text on a canvas: one or more lines of UTF-8, at any size and angle, shaped as its script wants. */
#ifndef LB_TEXT_H
#define LB_TEXT_H

#include "plot/canvas.h"
#include "plot/font.h"
#include <stdbool.h>

/** Which side of the text is at the point where it is drawn. Zero: the left end of the baseline of the first line. */
typedef enum lb_align { LB_ALIGN_LEFT, LB_ALIGN_CENTER, LB_ALIGN_RIGHT } lb_align;
typedef enum lb_valign {
    LB_VALIGN_BASELINE,
    LB_VALIGN_TOP,    /* of the tallest letters of the first line */
    LB_VALIGN_MIDDLE, /* halfway between baseline and capitals: what looks centred */
    LB_VALIGN_BOTTOM, /* of the deepest letters of the last line */
} lb_valign;

/** How text looks. */
typedef struct lb_text_style {
    const lb_font *font;
    double size;  /* pixels: the em */
    double angle; /* degrees, counter-clockwise */
    lb_align align;
    lb_valign valign;
    lb_color color; /* all zeros: black */
} lb_text_style;

/** Width and height in pixels of `text` before it is turned: widest line; all lines, from top to bottom as
 *  LB_VALIGN_TOP and LB_VALIGN_BOTTOM define them. "\n" separates lines. Bytes that are not UTF-8 count as U+FFFD
 *  each. */
lb_size lb_text_measure(const lb_font *font, double size, const char *text);

/** The upright rectangle that holds the turned text if it is drawn at (0, 0); its x and y may be negative. */
lb_rect lb_text_bounds(const lb_text_style *style, const char *text);

/** Is the text one character to its reader: a letter with its marks, one emoji? Not so an empty text. */
bool lb_text_is_one_character(const char *text);

/** Draws the text. A character that no font of the chain has is a box.
 *  Errors:  if memory runs out, the canvas remembers. */
void lb_text_draw(lb_canvas *canvas, const lb_text_style *style, lb_point at, const char *text);

#endif
