/* PNG files. */
#ifndef LB_PNG_H
#define LB_PNG_H

#include "plot/canvas.h"

/** Writes the canvas to the file `path` as an 8-bit PNG, RGB or, with transparency, RGBA. The write is atomic: the old
 *  file stays until the new one is complete. `dpi` (dots per inch; 0: not stored) is the printed resolution.
 *  Errors:  the status of the canvas if drawing failed; LB_ERROR_WRITE; LB_ERROR_MEMORY.
 *  Source:  W3C 2003, "Portable Network Graphics (PNG) Specification", second edition. */
LB_MUST_USE lb_status lb_png_write(const lb_canvas *canvas, double dpi, const char *path, lb_error *error);

#endif
