/* Pictures as files. */
#ifndef LB_PICTURE_H
#define LB_PICTURE_H

#include "plot/canvas.h"

/** The format for a file name: SVG or PDF for .svg or .pdf, in any letter case; any other name gives PNG. */
lb_format lb_picture_format(const char *path);

/** Writes the canvas to the file `path` in its format, atomically: the old file stays until the new one is complete.
 *  Errors:  the status of the canvas if drawing failed; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_picture_write(lb_canvas *canvas, const char *path, lb_error *error);

#endif
