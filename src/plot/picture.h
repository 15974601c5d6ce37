/* Pictures as files. */
#ifndef LB_PICTURE_H
#define LB_PICTURE_H

#include "plot/canvas.h"

/** The format that the end of a name asks for: .svg and .pdf in any case; all else is PNG. */
lb_format lb_picture_format(const char *path);

/** Writes the canvas to the file `path` in its format, whole or not at all: an older file stays until the new one is
 *  safe.    Errors: the status of the canvas if its drawing failed; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_picture_write(lb_canvas *canvas, const char *path, lb_error *error);

#endif
