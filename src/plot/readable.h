/* Labels that can be read: symbols of texts as a font can show them. */
#ifndef LB_READABLE_H
#define LB_READABLE_H

#include "plot/font.h"

/** The text, UTF-8, with whatever one could not read in a picture told apart: a mark that follows no letter stands on a
 *  dotted circle; what the font does not have is composed if that helps, or else named, as "U+1112"; so are control
 *  characters, and a text that is nothing but a blank, for which the space has its own sign, U+2423.
 *  Memory: a string, to be given to lb_release; NULL if there is none. */
char *lb_text_readable(const lb_font *font, const char *text);

#endif
