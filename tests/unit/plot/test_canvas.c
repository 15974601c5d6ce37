#include "plot/canvas.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>

static lb_canvas *canvas;

static void setup(void)
{
    canvas = lb_canvas_open(&(lb_canvas_config){.width = 40, .height = 30}, NULL);
    ck_assert_ptr_nonnull(canvas);
}

static void teardown(void)
{
    lb_canvas_free(canvas);
}

static int red(int x, int y)
{
    return lb_canvas_pixel(canvas, x, y).red;
}

/* The amount of black ink on a white canvas, in pixels. */
static double ink(void)
{
    double sum = 0;
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++)
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++) sum += (255 - red(x, y)) / 255.0;
    return sum;
}

START_TEST(test_canvas_new_is_white)
{
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 40);
    ck_assert_int_eq(lb_canvas_about(canvas)->height, 30);
    ck_assert_double_eq(ink(), 0);
    ck_assert_int_eq(lb_canvas_status(canvas, NULL), LB_OK);
}
END_TEST

START_TEST(test_canvas_new_bad_size_is_an_argument_error)
{
    const int sizes[][2] = {{0, 5}, {5, -1}, {LB_CANVAS_MAX_SIDE + 1, 1}, {1, LB_CANVAS_MAX_SIDE + 1}};
    for (int i = 0; SUPPORT_ROW(i, sizes); i++) {
        lb_error error = {0};
        ck_assert_ptr_null(
            lb_canvas_open(&(lb_canvas_config){.width = sizes[i][0], .height = sizes[i][1]}, &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    }
}
END_TEST

START_TEST(test_canvas_new_out_of_memory_leaks_nothing)
{
    for (long n = 0; n < 2; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_ptr_null(lb_canvas_open(&(lb_canvas_config){.width = 10, .height = 10}, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST

START_TEST(test_rect_on_whole_pixels_is_exact)
{
    lb_canvas_rect(canvas, (lb_rect){3, 4, 5, 6}, lb_rgb(0x102030));
    for (int y = 0; y < 30; y++) {
        for (int x = 0; x < 40; x++) {
            bool inside = x >= 3 && x < 8 && y >= 4 && y < 10;
            lb_color c = lb_canvas_pixel(canvas, x, y);
            ck_assert_int_eq(c.red, inside ? 0x10 : 255);
            ck_assert_int_eq(c.green, inside ? 0x20 : 255);
            ck_assert_int_eq(c.blue, inside ? 0x30 : 255);
        }
    }
}
END_TEST

START_TEST(test_rect_translucent_mixes_in_proportion)
{
    lb_canvas_rect(canvas, (lb_rect){0, 0, 2, 1}, (lb_color){200, 100, 0, 51}); /* one fifth */
    lb_color c = lb_canvas_pixel(canvas, 0, 0);
    ck_assert_int_eq(c.red, 244);
    ck_assert_int_eq(c.green, 224);
    ck_assert_int_eq(c.blue, 204);
    lb_canvas_rect(canvas, (lb_rect){0, 0, 1, 1}, (lb_color){0, 0, 0, 0});
    ck_assert_int_eq(red(0, 0), 244);
}
END_TEST

START_TEST(test_rect_part_of_pixel_covers_in_proportion)
{
    lb_canvas_rect(canvas, (lb_rect){2.25, 3.5, 1.5, 1}, lb_rgb(0));
    ck_assert_int_eq(red(2, 3), (int)lround(255 * (1 - 0.75 * 0.5)));
    ck_assert_int_eq(red(3, 4), (int)lround(255 * (1 - 0.75 * 0.5)));
    ck_assert_int_eq(red(4, 3), 255);
    ck_assert_double_eq_tol(ink(), 1.5, 0.02);
}
END_TEST

START_TEST(test_rect_beyond_the_canvas_is_cut)
{
    lb_canvas_rect(canvas, (lb_rect){-5, -5, 7, 6}, lb_rgb(0));
    ck_assert_double_eq(ink(), 2);
    lb_canvas_rect(canvas, (lb_rect){39, 29, 1e9, 1e9}, lb_rgb(0));
    ck_assert_double_eq(ink(), 3);
    lb_canvas_rect(canvas, (lb_rect){100, 100, 5, 5}, lb_rgb(0));
    ck_assert_double_eq(ink(), 3);
}
END_TEST

START_TEST(test_clip_protects_what_is_outside)
{
    lb_canvas_clip(canvas, &(lb_rect){10, 10, 5, 5});
    lb_canvas_rect(canvas, (lb_rect){0, 0, 40, 30}, lb_rgb(0));
    ck_assert_double_eq(ink(), 25);
    lb_canvas_line(canvas, (lb_point){0, 2}, (lb_point){40, 2}, 3, lb_rgb(0));
    ck_assert_double_eq(ink(), 25);
    lb_canvas_clip(canvas, NULL);
    lb_canvas_rect(canvas, (lb_rect){0, 0, 1, 1}, lb_rgb(0));
    ck_assert_double_eq(ink(), 26);
}
END_TEST

START_TEST(test_border_lies_inside_and_its_corners_once)
{
    lb_canvas_border(canvas, (lb_rect){5, 5, 10, 8}, 2, (lb_color){0, 0, 0, 128});
    ck_assert_int_eq(red(5, 5), 127);
    ck_assert_int_eq(red(14, 12), 127);
    ck_assert_int_eq(red(6, 8), 127);
    ck_assert_int_eq(red(7, 8), 255);
    ck_assert_int_eq(red(4, 5), 255);
    ck_assert_int_eq(red(15, 12), 255);
}
END_TEST

START_TEST(test_polygon_covers_its_area_either_way_round)
{
    lb_point triangle[] = {{3.3, 4.1}, {30.7, 8.9}, {11.2, 25.6}};
    double area = fabs((30.7 - 3.3) * (25.6 - 4.1) - (11.2 - 3.3) * (8.9 - 4.1)) / 2;
    lb_canvas_polygon(canvas, triangle, 3, lb_rgb(0));
    ck_assert_double_eq_tol(ink(), area, 0.005 * area);
    ck_assert_int_eq(red(14, 12), 0);
    ck_assert_int_eq(red(3, 20), 255);
    lb_point back[] = {triangle[2], triangle[1], triangle[0]};
    lb_canvas *other = lb_canvas_open(&(lb_canvas_config){.width = 40, .height = 30}, NULL);
    lb_canvas_polygon(other, back, 3, lb_rgb(0));
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 40; x++) ck_assert_int_eq(lb_canvas_pixel(other, x, y).red, red(x, y));
    lb_canvas_free(other);
}
END_TEST

START_TEST(test_polygon_half_a_pixel_is_half_dark)
{
    lb_point corners[] = {{5, 5}, {6, 5}, {6, 6}};
    lb_canvas_polygon(canvas, corners, 3, lb_rgb(0));
    ck_assert_double_eq_tol(red(5, 5), 127.5, 1);
    ck_assert_double_eq_tol(ink(), 0.5, 0.01);
}
END_TEST

START_TEST(test_polygon_beyond_the_canvas_is_cut)
{
    lb_point corners[] = {{-20, -10}, {60, -10}, {60, 15}, {-20, 15}};
    lb_canvas_polygon(canvas, corners, 4, lb_rgb(0));
    ck_assert_double_eq(ink(), 40 * 15);
    ck_assert_int_eq(red(0, 14), 0);
    ck_assert_int_eq(red(39, 15), 255);
}
END_TEST

START_TEST(test_line_on_whole_pixels_is_crisp)
{
    lb_canvas_line(canvas, (lb_point){5, 10}, (lb_point){25, 10}, 2, lb_rgb(0));
    ck_assert_int_eq(red(15, 9), 0);
    ck_assert_int_eq(red(15, 10), 0);
    ck_assert_int_eq(red(15, 8), 255);
    ck_assert_int_eq(red(15, 11), 255);
    ck_assert_double_eq_tol(ink(), 40 + 3.14, 0.3); /* and the two round ends */
}
END_TEST

START_TEST(test_line_slanted_has_its_width)
{
    lb_canvas_line(canvas, (lb_point){5, 5}, (lb_point){29, 23}, 3, lb_rgb(0));
    ck_assert_double_eq_tol(ink(), 30 * 3 + 3.14159 * 1.5 * 1.5, 0.8);
}
END_TEST

START_TEST(test_stroke_blends_joints_once)
{
    lb_canvas_move_to(canvas, (lb_point){5, 5});
    lb_canvas_line_to(canvas, (lb_point){15, 5});
    lb_canvas_line_to(canvas, (lb_point){15, 20});
    lb_canvas_stroke(canvas, 4, (lb_color){0, 0, 0, 128});
    ck_assert_int_eq(red(10, 5), 127);
    ck_assert_int_eq(red(14, 5), 127);
    ck_assert_int_eq(red(15, 10), 127);
    double before = ink();
    lb_canvas_stroke(canvas, 4, lb_rgb(0)); /* nothing is left to draw */
    ck_assert_double_eq(ink(), before);
}
END_TEST

START_TEST(test_arrow_points_to_its_target)
{
    lb_canvas_arrow(canvas, (lb_point){5, 15}, (lb_point){35, 15}, 2, 10, lb_rgb(0));
    ck_assert_int_eq(red(10, 14), 0);
    ck_assert_int_eq(red(10, 16), 255);
    ck_assert_int_eq(red(26, 12), 0); /* the head is wider */
    ck_assert_int_eq(red(36, 15), 255);
    ck_assert_double_eq_tol(ink(), 20 * 2 + 10 * 8 / 2.0, 0.3);
    lb_canvas_arrow(canvas, (lb_point){5, 5}, (lb_point){5, 5}, 2, 10, lb_rgb(0));
    ck_assert_int_eq(red(5, 5), 255);
}
END_TEST

START_TEST(test_shapes_not_a_number_draw_nothing_wild)
{
    lb_canvas_line(canvas, (lb_point){NAN, 5}, (lb_point){10, NAN}, 2, lb_rgb(0));
    lb_point corners[] = {{NAN, 0}, {10, NAN}, {INFINITY, 20}};
    lb_canvas_polygon(canvas, corners, 3, lb_rgb(0));
    lb_canvas_line(canvas, (lb_point){-1e30, 5}, (lb_point){1e30, 5}, 2, lb_rgb(0));
    ck_assert_int_eq(red(20, 25), 255);
}
END_TEST

START_TEST(test_status_keeps_the_first_failure)
{
    lb_error error = {0};
    lb_canvas_fail(canvas, LB_ERROR_MEMORY, "first");
    lb_canvas_fail(canvas, LB_ERROR_ARGUMENT, "second");
    ck_assert_int_eq(lb_canvas_status(canvas, &error), LB_ERROR_MEMORY);
    ck_assert_str_eq(error.message, "first");
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, teardown);
}
