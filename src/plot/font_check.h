/* Is it safe to draw with this font? stb_truetype believes what a font says about itself; this does not. */
#ifndef LB_FONT_CHECK_H
#define LB_FONT_CHECK_H

#include <stddef.h>

/** Zeros that must follow the bytes of a font in memory: no offset of 16 bits inside of a checked font leads
 *  further. */
enum { LB_FONT_PADDING = 1 << 20 };

/** NULL if the `size` bytes at `data` are a sound TrueType font, else what is wrong with it, in a few words.
 *  Checks what is more than LB_FONT_PADDING away: tables, offsets of outlines, character maps, depth of composites. */
const char *lb_font_check(const unsigned char *data, size_t size);

#endif
