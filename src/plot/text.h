/* Text on a canvas: one or more lines of UTF-8 in any script, at any size and angle. */
#ifndef LB_TEXT_H
#define LB_TEXT_H

#include "plot/canvas.h"
#include "plot/font.h"

/** Which part of the text is at the point where it is drawn. Zero: the left end of the first line's baseline. */
typedef enum lb_align { LB_ALIGN_LEFT, LB_ALIGN_CENTER, LB_ALIGN_RIGHT } lb_align;
typedef enum lb_valign {
    LB_VALIGN_BASELINE,
    LB_VALIGN_TOP,    /* of the tallest letters of the first line */
    LB_VALIGN_MIDDLE, /* halfway between baseline and capitals: what looks centred */
    LB_VALIGN_BOTTOM, /* of the deepest letters of the last line */
} lb_valign;

typedef struct lb_text_style {
    const lb_font *font;
    double size;  /* em size in pixels */
    double angle; /* degrees, counter-clockwise */
    lb_align align;
    lb_valign valign;
    lb_color color; /* all zeros: black */
} lb_text_style;

/** Width and height in pixels of `text` before rotation: of the widest line, and of all lines from LB_VALIGN_TOP to
 *  LB_VALIGN_BOTTOM. "\n" separates lines. Each invalid byte counts as U+FFFD. */
lb_size lb_text_measure(const lb_font *font, double size, const char *text);

/** The bounding box of the rotated text, drawn at (0, 0); its x and y may be negative. */
lb_rect lb_text_bounds(const lb_text_style *style, const char *text);

/** Whether the text is one grapheme: a letter with its marks, or one emoji. False for an empty text. */
bool lb_text_is_one_character(const char *text);

/** Draws the text. A character that no font of the chain has becomes a box.
 *  Errors:  LB_ERROR_MEMORY, recorded on the canvas. */
void lb_text_draw(lb_canvas *canvas, const lb_text_style *style, lb_point at, const char *text);

/* ---- Titles that are no longer than what they name: in lines, or smaller. ---- */

enum { LB_FITTED_TEXT = 512 };

/** What a text has to fit into. Lengths are in pixels. */
typedef struct lb_text_room {
    double width;
    int lines;                /* at most */
    double largest, smallest; /* em size */
} lb_text_room;

/** A text with its line breaks. */
typedef struct lb_fitted_text {
    char text[LB_FITTED_TEXT]; /* "": none */
    double size;               /* em size */
    lb_size extent;            /* as of lb_text_measure; zero: no text */
} lb_fitted_text;

/** Breaks `text` at blanks, and makes it smaller, until it fits. At its smallest, what is left is cut off with an
 *  ellipsis, and a word that is wider than the room stays. NULL: no text. */
lb_fitted_text lb_text_fit(const lb_font *font, lb_text_room room, const char *text);

/** Draws it, in its size; no text draws nothing. */
void lb_fitted_text_draw(lb_canvas *canvas, lb_text_style style, lb_point at, const lb_fitted_text *fitted);

#endif
