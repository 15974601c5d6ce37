#include "plot/canvas.h"
#include "support/alloc.h"
#include "support/picture.h"
#include "support/suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = TEST_OUTPUT "/test_picture.png";

static void setup(void)
{
    remove(path);
}

static bool exists(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* A picture in which each filter is the best one for some rows. */
static lb_canvas *sample(int width, int height)
{
    lb_canvas *canvas = lb_canvas_open(&(lb_canvas_config){.width = width, .height = height}, NULL);
    ck_assert_ptr_nonnull(canvas);
    unsigned noise = 1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            noise = noise * 1664525 + 1013904223;
            int value = y % 4 == 0 ? x * 5 : y % 4 == 1 ? (x + y) * 3 : y % 4 == 2 ? (int)(noise >> 24) : y;
            lb_color color = {(uint8_t)value, (uint8_t)(value * 3), (uint8_t)(255 - value), 255};
            lb_canvas_rect(canvas, (lb_rect){x, y, 1, 1}, color);
        }
    }
    return canvas;
}

static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {61, 47}, {300, 200}};

START_LOOP_TEST(test_write_then_decode_gives_the_same_pixels, 5)
{
    lb_canvas *canvas = sample(sizes[_i][0], sizes[_i][1]);
    lb_error error = {0};
    ck_assert_msg(lb_png_write(canvas, 150, path, &error) == LB_OK, "%s", error.message);
    int width, height;
    unsigned char *pixels = support_picture_read(path, &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_eq(width, sizes[_i][0]);
    ck_assert_int_eq(height, sizes[_i][1]);
    unsigned char *expected = support_canvas_pixels(canvas);
    ck_assert_mem_eq(pixels, expected, (size_t)width * (size_t)height * 3);
    free(expected);
    free(pixels);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_write_transparent_has_a_fourth_channel)
{
    lb_canvas *canvas =
        lb_canvas_open(&(lb_canvas_config){.width = 4, .height = 4, .transparent = true}, NULL);
    lb_canvas_rect(canvas, (lb_rect){1, 1, 1, 1}, lb_rgb(0x102030));
    lb_canvas_rect(canvas, (lb_rect){2, 2, 1, 1}, (lb_color){200, 100, 50, 102});
    ck_assert_int_eq(lb_png_write(canvas, 100, path, NULL), LB_OK);
    unsigned char head[64];
    FILE *file = fopen(path, "rb");
    ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    ck_assert_int_eq(head[25], 6); /* RGBA */
    lb_color none = lb_canvas_pixel(canvas, 0, 0), full = lb_canvas_pixel(canvas, 1, 1),
             part = lb_canvas_pixel(canvas, 2, 2);
    ck_assert_int_eq(none.alpha, 0);
    ck_assert_mem_eq(&full, (&(lb_color){0x10, 0x20, 0x30, 255}), sizeof full);
    ck_assert_int_eq(part.alpha, 102);
    ck_assert_int_le(abs(part.red - 200), 1); /* not darker for being transparent */
    ck_assert_int_le(abs(part.blue - 50), 2);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_write_states_the_dots_per_inch)
{
    lb_canvas *canvas = sample(4, 4);
    ck_assert_int_eq(lb_png_write(canvas, 300, path, NULL), LB_OK);
    unsigned char head[64];
    FILE *file = fopen(path, "rb");
    ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    ck_assert_mem_eq(head, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\4\0\0\0\4\x08\x02\0\0\0", 29);
    /* 300 / 0.0254 = 11811 = 0x2E23 dots per metre, twice, and the checksum of that */
    ck_assert_mem_eq(head + 33, "\0\0\0\tpHYs\0\0\x2e\x23\0\0\x2e\x23\1\x78\xa5\x3f\x76", 21);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_write_no_such_folder_is_a_write_error_with_the_path)
{
    lb_canvas *canvas = sample(4, 4);
    lb_error error = {0};
    ck_assert_int_eq(lb_png_write(canvas, 0, "/nowhere/a.png", &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/a.png"));
    ck_assert_ptr_nonnull(strstr(error.message, "No such file or directory"));
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_write_failed_drawing_writes_nothing)
{
    lb_canvas *canvas = sample(4, 4);
    lb_canvas_fail(canvas, LB_ERROR_ARGUMENT, "no such thing");
    lb_error error = {0};
    ck_assert_int_eq(lb_png_write(canvas, 0, path, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "no such thing");
    ck_assert(!exists(path));
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_write_out_of_memory_leaks_nothing_and_writes_nothing)
{
    lb_canvas *canvas = sample(20, 20);
    support_watch_allocations();
    ck_assert_int_eq(lb_png_write(canvas, 0, path, NULL), LB_OK);
    long needed = support_allocation_count();
    remove(path);
    ck_assert_int_gt(needed, 3);
    for (long n = 0; n < needed; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_int_eq(lb_png_write(canvas, 0, path, &error), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
        ck_assert(!exists(path));
    }
    lb_canvas_free(canvas);
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, setup);
}
