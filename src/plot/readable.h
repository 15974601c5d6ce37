/* Readable labels: text with its invisible and missing characters made visible. */
#ifndef LB_READABLE_H
#define LB_READABLE_H

#include "plot/font.h"
#include <stddef.h>

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

#endif
