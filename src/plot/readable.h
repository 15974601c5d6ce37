/* Labels that can be read: symbols of texts as a font can show them. */
#ifndef LB_READABLE_H
#define LB_READABLE_H

#include "plot/font.h"
#include <stddef.h>

/** The text, UTF-8, with whatever one could not read in a picture told apart: a mark that follows no letter stands on a
 *  dotted circle; what neither the font nor those after it have is composed if that helps, or else named, as "U+1112";
 *  so are control characters, and a text that is nothing but a blank, for which the space has its own sign, U+2423.
 *  `font` NULL: nobody knows which fonts there will be, as in an SVG document; they have every character.
 *  Memory: a string, to be given to lb_release; NULL if there is none. */
char *lb_text_readable(const lb_font *font, const char *text);

/** Adds those characters of the text that no font of the chain has, each once, to the `count` in `missing`, as long as
 *  there is room for `most`; returns the new count. */
size_t lb_text_missing(const lb_font *font, const char *text, int32_t *missing, size_t count, size_t most);

#endif
