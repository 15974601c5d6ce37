#include "support/picture.h"

#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

enum { TOLERANCE = 4 }; /* Cairo 1.18 rounds the edges of a line otherwise than 1.16 */

unsigned char *support_picture_read(const char *path, int *width, int *height)
{
    int channels;
    return stbi_load(path, width, height, &channels, 3);
}

unsigned char *support_picture_read_rgba(const char *path, int *width, int *height)
{
    int channels;
    return stbi_load(path, width, height, &channels, 4);
}

/* The data for comparing pictures. */
typedef struct pixels {
    int width, height;
    const unsigned char *rgb; /* NULL: no picture */
} pixels;

/* The largest difference in any channel; 256 if the sizes differ. */
static int difference(pixels a, pixels b)
{
    if (!a.rgb || !b.rgb || a.width != b.width || a.height != b.height) return 256;
    int largest = 0;
    for (size_t i = 0; i < (size_t)a.width * (size_t)a.height * 3; i++) {
        int d = abs(a.rgb[i] - b.rgb[i]);
        if (d > largest) largest = d;
    }
    return largest;
}

static pixels read_pixels(const char *path)
{
    pixels read = {0};
    read.rgb = support_picture_read(path, &read.width, &read.height);
    return read;
}

static int difference_from_file(pixels actual, const char *path)
{
    pixels expected = read_pixels(path);
    int largest = difference(actual, expected);
    free((void *)expected.rgb);
    return largest;
}

static const char *reference_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/data/pictures/%s.png", name);
    return path;
}

unsigned char *support_canvas_pixels(const lb_canvas *canvas)
{
    int width = lb_canvas_about(canvas)->width, height = lb_canvas_about(canvas)->height;
    unsigned char *rgb = malloc((size_t)width * (size_t)height * 3), *to = rgb;
    ck_assert_ptr_nonnull(rgb);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            lb_color color = lb_canvas_pixel(canvas, x, y);
            *to++ = color.red;
            *to++ = color.green;
            *to++ = color.blue;
        }
    return rgb;
}

lb_canvas *support_draw(lb_figure figure)
{
    lb_error error = {0};
    lb_canvas *canvas = lb_figure_draw(&figure, LB_FORMAT_PNG, &error);
    ck_assert_msg(canvas != NULL, "%s", error.message);
    return canvas;
}

void support_picture_equals(lb_canvas *canvas, const char *name)
{
    unsigned char *rgb = support_canvas_pixels(canvas);
    int largest = difference_from_file(
        (pixels){lb_canvas_about(canvas)->width, lb_canvas_about(canvas)->height, rgb}, reference_path(name));
    free(rgb);
    if (largest <= TOLERANCE) {
        lb_canvas_free(canvas);
        return;
    }
    char path[512];
    snprintf(path, sizeof path, TEST_OUTPUT "/%s.png", name);
    lb_status status = lb_picture_write(canvas, path, NULL);
    ck_abort_msg("%s differs from its reference by %d (256: in size); actual picture in %s (status %d)", name,
                 largest, path, (int)status);
}

/* How much has been drawn: the sum of what pixels lack to be white. */
static double ink_of(const lb_canvas *canvas)
{
    double ink = 0;
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++)
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
            lb_color c = lb_canvas_pixel(canvas, x, y);
            ink += 3 * 255 - c.red - c.green - c.blue;
        }
    return ink;
}

void support_picture_grows_with_dpi(const lb_panel *panel, double dpi)
{
    enum { ROUNDED = 4 };
    int width[2], height[2];
    double ink[2];
    for (int i = 0; i < 2; i++) {
        lb_canvas *canvas = support_draw((lb_figure){.panels = panel, .count = 1, .dpi = (i + 1) * dpi});
        width[i] = lb_canvas_about(canvas)->width;
        height[i] = lb_canvas_about(canvas)->height;
        ink[i] = ink_of(canvas);
        lb_canvas_free(canvas);
    }
    ck_assert_int_le(abs(width[1] - 2 * width[0]), ROUNDED);
    ck_assert_int_le(abs(height[1] - 2 * height[0]), ROUNDED);
    ck_assert_double_eq_tol(ink[1] / ink[0], 4, 0.1);
}

void support_pictures_equal(const char *path, const char *expected)
{
    pixels actual = read_pixels(path);
    int largest = difference_from_file(actual, expected);
    free((void *)actual.rgb);
    ck_assert_msg(largest <= TOLERANCE, "%s differs from %s by %d (256: in size, or there is none)", path,
                  expected, largest);
}

void support_picture_file_equals(const char *path, const char *name)
{
    support_pictures_equal(path, reference_path(name));
}
