#include "support/picture.h"

#include "plot/png.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

unsigned char *support_picture_read(const char *path, int *width, int *height)
{
    int channels;
    return stbi_load(path, width, height, &channels, 3);
}

/* The largest difference of a channel; 256 if the sizes differ. */
static int difference(const lb_canvas *canvas, const unsigned char *expected, int width, int height)
{
    if (!expected || width != lb_canvas_width(canvas) || height != lb_canvas_height(canvas)) return 256;
    int largest = 0;
    for (size_t i = 0; i < (size_t)width * (size_t)height * 3; i++) {
        int d = abs(lb_canvas_pixels(canvas)[i] - expected[i]);
        if (d > largest) largest = d;
    }
    return largest;
}

void support_picture_equals(const lb_canvas *canvas, const char *name)
{
    char path[512];
    int width = 0, height = 0;
    snprintf(path, sizeof path, SOURCE_DIR "/tests/plot/reference/%s.png", name);
    unsigned char *expected = support_picture_read(path, &width, &height);
    int largest = difference(canvas, expected, width, height);
    free(expected);
    if (largest <= 2) return;
    snprintf(path, sizeof path, TEST_OUTPUT "/%s.png", name);
    lb_status status = lb_png_write(canvas, 0, path, NULL);
    ck_abort_msg("%s differs from its reference by %d (256: in size); actual picture in %s (status %d)", name,
                 largest, path, (int)status);
}
