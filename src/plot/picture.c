#include "plot/picture.h"

#include "io/file.h"
#include "plot/png.h"

#include <string.h>

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    if (length < wanted) return false;
    for (size_t i = 0; i < wanted; i++) {
        char letter = path[length - wanted + i];
        if ((letter >= 'A' && letter <= 'Z' ? letter + 'a' - 'A' : letter) != end[i]) return false;
    }
    return true;
}

lb_format lb_picture_format(const char *path)
{
    return ends_with(path, ".svg") ? LB_FORMAT_SVG : ends_with(path, ".pdf") ? LB_FORMAT_PDF : LB_FORMAT_PNG;
}

lb_status lb_picture_write(lb_canvas *canvas, const char *path, lb_error *error)
{
    const lb_canvas_config *about = lb_canvas_about(canvas);
    if (about->format == LB_FORMAT_PNG) return lb_png_write(canvas, about->dpi, path, error);
    const void *bytes;
    size_t count;
    lb_status status = lb_canvas_document(canvas, &bytes, &count, error);
    return status ? status : lb_file_write_atomic(path, bytes, count, error);
}
