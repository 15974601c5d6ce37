/* A font file, or the first two of a collection: opened, measured, and drawn with, into pixels. Not into PDF:
 * SECURITY.md says why. */
#include "fuzz.h"
#include "plot/text.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 96, HEIGHT = 40, SIZE = 20, PATH = 64 };

static void draw(const lb_font *font)
{
    static const char *const texts[] = {"Afi\xc3\xa9",
                                        "\xd7\xa9\xd9\x85\n\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7"};
    lb_error error = {0};
    lb_canvas *canvas = lb_canvas_new(WIDTH, HEIGHT, &error);
    fuzz_require(canvas != NULL, "there is memory for a small picture");
    for (int i = 0; i < 2; i++) {
        lb_text_style style = {.font = font, .size = SIZE, .angle = 45 * i};
        lb_rect bounds = lb_text_bounds(&style, texts[i]);
        fuzz_require(isfinite(bounds.width) && isfinite(bounds.height), "a text has a size");
        lb_text_draw(canvas, &style, (lb_point){2, HEIGHT / 2.0}, texts[i]);
    }
    fuzz_require(lb_canvas_status(canvas, &error) == LB_OK, "a text can be drawn");
    lb_canvas_free(canvas);
}

static void open_and_draw(const char *path)
{
    lb_error error = {0};
    lb_font *font = lb_font_open(path, &error);
    fuzz_require_told(font != NULL, &error);
    if (font) draw(font);
    lb_font_close(font);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char second[PATH];
    const char *path = fuzz_file(data, size);
    open_and_draw(path);
    snprintf(second, sizeof second, "%s#1", path);
    open_and_draw(second);
    return 0;
}
