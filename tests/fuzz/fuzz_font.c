/* A font file, or the second of a collection: opened, measured, and drawn with, into pixels. Not into PDF: SECURITY.md
 * says why. Drawing takes most of the time, so each input draws one text, and only collections have a second font. */
#include "fuzz.h"
#include "plot/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 40, SIZE = 20, PATH = 64 };

static void draw(const lb_font *font, bool slanted)
{
    static const char *const texts[] = {"Afi\xc3\xa9",
                                        "\xd7\xa9\xd9\x85\n\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7"};
    static lb_canvas
        *canvas; /* of all inputs: the memory that a new one makes sure of costs more than the drawing */
    lb_error error = {0};
    if (!canvas) canvas = lb_canvas_open(&(lb_canvas_config){.width = WIDTH, .height = HEIGHT}, &error);
    fuzz_require(canvas != NULL, "there is memory for a small picture");
    lb_text_style style = {.font = font, .size = SIZE, .angle = slanted ? 45 : 0};
    lb_rect bounds = lb_text_bounds(&style, texts[slanted]);
    fuzz_require(isfinite(bounds.width) && isfinite(bounds.height), "a text has a size");
    lb_text_draw(canvas, &style, (lb_point){2, HEIGHT / 2.0}, texts[slanted]);
    fuzz_require(lb_canvas_status(canvas, &error) == LB_OK, "a text can be drawn");
}

static void open_and_draw(const char *path, bool slanted)
{
    lb_error error = {0};
    lb_font *font = lb_font_open(path, &error);
    fuzz_require_told(font != NULL, &error);
    if (font) draw(font, slanted);
    lb_font_close(font);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char collection[] = "ttcf";
    const char *path = fuzz_file(data, size);
    open_and_draw(path, size % 2);
    if (size < sizeof collection || memcmp(data, collection, sizeof collection - 1) != 0) return 0;
    char second[PATH];
    snprintf(second, sizeof second, "%s#1", path);
    open_and_draw(second, size % 2);
    return 0;
}
