/* Colours, points and rectangles: the vocabulary of drawing. */
#ifndef LB_COLOR_H
#define LB_COLOR_H

#include <stdint.h>

/** An sRGB colour; alpha 255 covers what is below, 0 leaves it. In options a colour of all zeros means the default. */
typedef struct lb_color {
    uint8_t red, green, blue, alpha;
} lb_color;

/** A point in pixels: x to the right, y downwards, (0, 0) is the outer corner of the first pixel. */
typedef struct lb_point {
    double x, y;
} lb_point;

/** Width and height in pixels. */
typedef struct lb_size {
    double width, height;
} lb_size;

/** A rectangle in pixels; (x, y) is its top left corner. */
typedef struct lb_rect {
    double x, y, width, height;
} lb_rect;

/** The opaque colour 0xRRGGBB. */
static inline lb_color lb_rgb(uint32_t hex)
{
    return (lb_color){(uint8_t)(hex >> 16), (uint8_t)(hex >> 8), (uint8_t)hex, 255};
}

/** Relative luminance of an opaque colour, 0 (black) to 1 (white).
 *  Source: Web Content Accessibility Guidelines 2.1, "relative luminance". */
double lb_color_luminance(lb_color color);

/** Black or white, to be read on an opaque `background`: white where its contrast ratio is at least 3.5 to 1, else
 *  black, whose ratio is then at least 6. On deep reds and greens the larger ratio would be black's, but not to the eye.
 *  Source: Web Content Accessibility Guidelines 2.1, "contrast ratio". */
lb_color lb_color_contrast(lb_color background);

/** Colour `index` of a palette that stays distinguishable with any colour blindness; after seven it starts again.
 *  Source: Okabe, Ito 2008, "Color Universal Design"; without its yellow, which is too pale for a line on white. */
lb_color lb_color_series(int index);

#endif
