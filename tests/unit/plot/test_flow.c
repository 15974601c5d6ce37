#include "lookback/plot.h"

#include "plot/figure.h"
#include "support/picture.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DPI = 72, MARGIN = 12, SIDE = 36, BESIDE = 24, BELOW = 44 };

static lb_canvas *draw(const lb_flow *flow)
{
    lb_panel panel = lb_flow_panel(flow);
    lb_error error = {0};
    lb_canvas *canvas =
        lb_figure_draw(&(lb_figure){.panels = &panel, .count = 1, .dpi = DPI}, LB_FORMAT_PNG, &error);
    ck_assert_msg(canvas != NULL, "%s", error.message);
    return canvas;
}

START_TEST(test_draw_boxes_and_arrows_equals_the_reviewed_picture)
{
    static const lb_flow_box boxes[] = {{"queries", 0, 0, {0}},
                                        {"keys", 1, 0, {0}},
                                        {"values", 2, 0, {0}},
                                        {"weights", 0.5, 1, {0}},
                                        {"\xc3\xa9t\xc3\xa9", 1.25, 2, {144, 238, 144, 255}},
                                        {NULL, 1.25, 3, {0, 0, 0, 255}}};
    static const lb_flow_arrow arrows[] = {{0, 3}, {1, 3}, {2, 4}, {3, 4}, {4, 5}};
    lb_flow flow = {.boxes = boxes, .box_count = 6, .arrows = arrows, .arrow_count = 5, .title = "Attention"};
    lb_canvas *canvas = draw(&flow);
    support_picture_equals(canvas, "flow");
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_size_follows_columns_rows_and_the_longest_label)
{
    lb_flow_box boxes[] = {{"a", 3, 1, {0}}, {"b", 4.5, 3, {0}}};
    lb_flow flow = {.boxes = boxes, .box_count = 2};
    lb_canvas *canvas = draw(&flow);
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 2 * MARGIN + SIDE + 3 * (SIDE + BESIDE) / 2);
    ck_assert_int_eq(lb_canvas_about(canvas)->height, 2 * MARGIN + SIDE + 2 * (SIDE + BELOW));
    lb_canvas_free(canvas);
    boxes[1].label = "Donaudampfschifffahrtsgesellschaft";
    canvas = draw(&flow);
    ck_assert_int_gt(lb_canvas_about(canvas)->width, 2 * 200);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_at_twice_the_resolution_has_twice_the_size)
{
    static const lb_flow_box boxes[] = {{"a", 0, 0, {0}}, {"b", 1, 3, {0}}};
    const lb_flow flow = {.boxes = boxes, .box_count = 2, .title = "A title that is wide"};
    lb_panel panel = lb_flow_panel(&flow);
    support_picture_grows_with_dpi(&panel, DPI);
}
END_TEST

/* The columns of row `y` that are not white, as the first and the last one. */
static void ink_at(const lb_canvas *canvas, int y, int *first, int *last)
{
    *first = *last = -1;
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        if (lb_canvas_pixel(canvas, x, y).blue == 255) continue;
        if (*first < 0) *first = x;
        *last = x;
    }
}

START_TEST(test_draw_arrow_leads_from_box_to_box)
{
    static const lb_flow_box boxes[] = {{"a", 0, 0, {0}}, {"b", 2, 0, {0}}, {"c", 2, 1, {0}}};
    static const lb_flow_arrow arrow = {0, 2};
    lb_flow flow = {.boxes = boxes, .box_count = 3, .arrows = &arrow, .arrow_count = 1};
    lb_canvas *canvas = draw(&flow);
    int first, last, middle = MARGIN + SIDE / 2, right = middle + 2 * (SIDE + BESIDE);
    ink_at(canvas, MARGIN + SIDE + 1, &first, &last);
    ck_assert_int_ge(first, middle - 3);
    ck_assert_int_le(last, middle + 9);
    ink_at(canvas, MARGIN + SIDE + BELOW - 2, &first, &last);
    ck_assert_int_ge(first, right - 9);
    ck_assert_int_le(last, right + 3);
    lb_canvas_free(canvas);
}
END_TEST

/* Number of separate strokes in row `y`. */
static int strokes_at(const lb_canvas *canvas, int y)
{
    int strokes = 0;
    bool inside = false;
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        bool ink = lb_canvas_pixel(canvas, x, y).blue < 250;
        strokes += ink && !inside;
        inside = ink;
    }
    return strokes;
}

START_TEST(test_draw_arrows_of_one_box_are_ordered_by_their_other_ends)
{
    static const lb_flow_box boxes[] = {
        {"a", 1, 0, {0}}, {"b", 0, 1, {0}}, {"c", 1, 1, {0}}, {"d", 2, 1, {0}}};
    static const lb_flow_arrow arrows[] = {{0, 3}, {0, 1}, {0, 2}}; /* right, left, middle */
    lb_flow flow = {.boxes = boxes, .box_count = 4, .arrows = arrows, .arrow_count = 3};
    lb_canvas *canvas = draw(&flow);
    for (int y = MARGIN + SIDE + 2; y < MARGIN + SIDE + BELOW - 8; y++)
        ck_assert_int_eq(strokes_at(canvas, y), 3); /* they never meet */
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_impossible_flow_is_an_argument_error)
{
    static const lb_flow_box boxes[] = {{"a", 0, 0, {0}}, {"b", 1, 0.5, {0}}, {"c", 0, 1, {0}}};
    static const lb_flow_box nowhere[] = {{"a", NAN, 0, {0}}, {"a", -1, 0, {0}}, {"a", 0, INFINITY, {0}}};
    static const lb_flow_arrow up = {2, 0}, to_itself = {1, 1}, half_down = {0, 1}, gone = {0, 3};
    const lb_flow flows[] = {{.boxes = boxes},
                             {.box_count = 1},
                             {.boxes = boxes, .box_count = 3, .arrow_count = 1},
                             {.boxes = nowhere, .box_count = 1},
                             {.boxes = nowhere + 1, .box_count = 1},
                             {.boxes = nowhere + 2, .box_count = 1},
                             {.boxes = boxes, .box_count = 3, .arrows = &up, .arrow_count = 1},
                             {.boxes = boxes, .box_count = 3, .arrows = &to_itself, .arrow_count = 1},
                             {.boxes = boxes, .box_count = 3, .arrows = &half_down, .arrow_count = 1},
                             {.boxes = boxes, .box_count = 3, .arrows = &gone, .arrow_count = 1}};
    for (size_t i = 0; i < sizeof flows / sizeof flows[0]; i++) {
        lb_panel panel = lb_flow_panel(&flows[i]);
        lb_error error = {0};
        ck_assert_ptr_null(lb_figure_draw(&(lb_figure){.panels = &panel, .count = 1}, LB_FORMAT_PNG, &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.message, "flow: ") != NULL, "%s", error.message);
    }
}
END_TEST
