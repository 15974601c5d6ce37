/* Pictures in tests: decodes PNG files and compares them with references that were checked by eye. */
#ifndef SUPPORT_PICTURE_H
#define SUPPORT_PICTURE_H

#include "lookback/plot.h"
#include "plot/canvas.h"
#include "plot/figure.h"

/** The pixels of a PNG file, [height, width, 3], to be freed with free; NULL if it is not a PNG file. */
unsigned char *support_picture_read(const char *path, int *width, int *height);

/** The same with an alpha channel, 255 if the file has none. */
unsigned char *support_picture_read_rgba(const char *path, int *width, int *height);

/** The pixels of a canvas, [height, width, 3], to be freed with free. */
unsigned char *support_canvas_pixels(const lb_canvas *canvas);

/** Draws a figure as pixels. Fails the test if there is an error. */
lb_canvas *support_draw(lb_figure figure);

/** Fails the test unless the canvas, which it frees, equals tests/data/pictures/NAME.png to 2/255 per channel. On
 *  failure, the actual picture is written to the folder of the test programs: look at both, and copy it over the
 *  reference if it is better. */
void support_picture_equals(lb_canvas *canvas, const char *name);

/** Fails the test unless a panel drawn with twice the pixels per inch has twice the width and height and four
 *  times the ink, but for rounding. */
void support_picture_grows_with_dpi(const lb_panel *panel, double dpi);

/** Fails the test unless two PNG files are equal to 2/255 per channel. */
void support_pictures_equal(const char *path, const char *expected);

/** Compares a PNG file written by a program with a reference. */
void support_picture_file_equals(const char *path, const char *name);

#endif
