/* Titles that are no longer than what they name: in lines, or smaller. */
#ifndef LB_FITTED_TEXT_H
#define LB_FITTED_TEXT_H

#include "plot/text.h"

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
