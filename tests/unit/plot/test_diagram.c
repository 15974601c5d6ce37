#include "lookback/plot.h"
#include "plot/figure.h"
#include "support/picture.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DPI = 72, MARGIN = 12, SIDE = 36, GAP = 12, BETWEEN = 120, BESIDE = 24, BELOW = 44 };

static lb_canvas *draw(const lb_diagram *diagrams, size_t count)
{
    lb_panel panels[2];
    for (size_t i = 0; i < count; i++) panels[i] = lb_diagram_panel(&diagrams[i]);
    return support_draw((lb_figure){.panels = panels, .count = (int64_t)count, .dpi = DPI});
}

/* The number of pixels drawn in the lines from `first` to before `end`. */
static double ink_in(const lb_canvas *canvas, int first, int end)
{
    double ink = 0;
    for (int y = first; y < end; y++)
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++)
            ink += (255 - lb_canvas_pixel(canvas, x, y).blue) / 255.0;
    return ink;
}

/* Those between the two rows of boxes of a diagram without a title. */
static double ink_between(const lb_diagram *diagram)
{
    lb_canvas *canvas = draw(diagram, 1);
    double ink = ink_in(canvas, MARGIN + SIDE, MARGIN + SIDE + BETWEEN);
    lb_canvas_free(canvas);
    return ink;
}

static double ink_of_weight(double weight)
{
    return ink_between(&(lb_diagram){.sources = 1, .targets = 1, .weights = &weight});
}

START_TEST(test_draw_without_and_with_attention_equals_the_reviewed_picture)
{
    static const double weights[] = {0.7, 0.2, 0.1,  0,    0,    0.1, 0.1, 0.6,
                                     0.1, 0.1, 0.02, 0.03, 0.05, 0.3, 0.6};
    lb_diagram diagrams[] = {
        {.sources = 5, .targets = 3, .title = "Without Attention (Bottleneck)"},
        {.sources = 5, .targets = 3, .title = "With Attention (Dynamic Context)", .weights = weights}};
    support_picture_equals(draw(diagrams, 2), "diagram");
}
END_TEST

START_TEST(test_draw_words_in_boxes_equals_the_reviewed_picture)
{
    static const char *const english[] = {"The", "cat", "is", "sleeping"};
    static const char *const spanish[] = {"El", "gato", "est\xc3\xa1", "durmiendo", NULL};
    static const double weights[] = {1,   0,   0, 0, 0,   1,   0,    0,    0,    0,
                                     0.9, 0.1, 0, 0, 0.3, 0.7, 0.25, 0.25, 0.25, 0.25};
    lb_diagram diagram = {
        .sources = 4, .targets = 5, .source_labels = english, .target_labels = spanish, .weights = weights};
    support_picture_equals(draw(&diagram, 1), "diagram_words");
}
END_TEST

START_TEST(test_draw_larger_weights_are_stronger_arrows)
{
    double before = 0;
    for (int i = 1; i <= 10; i++) {
        double ink = ink_of_weight(0.1 * i);
        ck_assert_double_gt(ink, before * 1.05);
        before = ink;
    }
    ck_assert_double_eq(ink_of_weight(7), before);
}
END_TEST

START_TEST(test_draw_no_weight_is_no_arrow)
{
    const double none[] = {0, -0.5, NAN, INFINITY};
    for (int i = 0; SUPPORT_ROW(i, none); i++) ck_assert_double_eq(ink_of_weight(none[i]), 0);
}
END_TEST

START_TEST(test_draw_arrows_join_the_boxes_of_their_weight)
{
    static const double weights[] = {0, 0, 1, 0, 0, 0}; /* the last source to the first target */
    lb_diagram diagram = {.sources = 3, .targets = 2, .weights = weights};
    lb_canvas *canvas = draw(&diagram, 1);
    int below_sources = MARGIN + SIDE + 1, above_targets = MARGIN + SIDE + BETWEEN - 3;
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        bool third = x >= MARGIN + 2 * (SIDE + GAP) && x < MARGIN + 2 * (SIDE + GAP) + SIDE;
        bool first = x >= MARGIN + (SIDE + GAP) / 2 && x < MARGIN + (SIDE + GAP) / 2 + SIDE;
        if (!third) ck_assert_int_eq(lb_canvas_pixel(canvas, x, below_sources).blue, 255);
        if (!first) ck_assert_int_eq(lb_canvas_pixel(canvas, x, above_targets).blue, 255);
    }
    lb_canvas_free(canvas);
    ck_assert_double_gt(ink_between(&diagram), 100);
}
END_TEST

/* Those where an arrow ends, at a multiple of the usual resolution. */
static double ink_of_head(int scale)
{
    static const double weight = 1;
    const lb_diagram diagram = {.sources = 1, .targets = 1, .weights = &weight};
    lb_panel panel = lb_diagram_panel(&diagram);
    lb_canvas *canvas = support_draw((lb_figure){.panels = &panel, .count = 1, .dpi = scale * DPI});
    int end = (MARGIN + SIDE + BETWEEN) * scale;
    double ink = ink_in(canvas, end - 15 * scale, end - scale);
    lb_canvas_free(canvas);
    return ink;
}

START_TEST(test_draw_head_of_an_arrow_grows_with_the_resolution)
{
    ck_assert_double_eq_tol(ink_of_head(3) / ink_of_head(1), 9, 0.2);
}
END_TEST

/* Whether there is a red pixel. */
static bool has_bottleneck(const lb_diagram *diagram)
{
    lb_canvas *canvas = draw(diagram, 1);
    bool found = false;
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++) {
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
            lb_color c = lb_canvas_pixel(canvas, x, y);
            found = found || (c.red == 255 && c.green == 0 && c.blue == 0);
        }
    }
    lb_canvas_free(canvas);
    return found;
}

START_TEST(test_draw_bottleneck_is_there_only_without_weights)
{
    lb_diagram diagram = {.sources = 2, .targets = 1};
    ck_assert(has_bottleneck(&diagram));
    diagram.weights = (const double[]){0.5, 0.5};
    ck_assert(!has_bottleneck(&diagram));
}
END_TEST

START_TEST(test_draw_size_follows_the_longer_row_and_the_longest_label)
{
    const char *const labels[] = {"Donaudampfschifffahrtsgesellschaft", "a"};
    lb_diagram diagram = {.sources = 2, .targets = 4};
    lb_canvas *canvas = draw(&diagram, 1);
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 2 * MARGIN + 4 * SIDE + 3 * GAP);
    ck_assert_int_eq(lb_canvas_about(canvas)->height, 2 * MARGIN + 2 * SIDE + BETWEEN);
    lb_canvas_free(canvas);
    diagram.source_labels = labels;
    canvas = draw(&diagram, 1);
    ck_assert_int_gt(lb_canvas_about(canvas)->width, 4 * 200);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_at_twice_the_resolution_has_twice_the_size)
{
    const char *const labels[] = {"Donaudampfschifffahrtsgesellschaft", "a"};
    static const double weights[] = {0.1, 0.9, 0.5, 0.5, 1, 0, 0, 1};
    const lb_diagram diagram = {.sources = 2,
                                .targets = 4,
                                .source_labels = labels,
                                .title = "A title that is wide",
                                .weights = weights};
    lb_panel panel = lb_diagram_panel(&diagram);
    support_picture_grows_with_dpi(&panel, DPI);
}
END_TEST

START_TEST(test_draw_impossible_diagram_is_an_argument_error)
{
    const lb_diagram diagrams[] = {{.sources = 0, .targets = 2},         {.sources = 2, .targets = 0},
                                   {.sources = INT64_MAX, .targets = 2}, {.sources = 2, .targets = INT64_MAX},
                                   {.sources = 32767, .targets = 2},     {.sources = -1, .targets = 2}};
    for (int i = 0; SUPPORT_ROW(i, diagrams); i++) {
        lb_panel panel = lb_diagram_panel(&diagrams[i]);
        lb_error error = {0};
        ck_assert_ptr_null(lb_figure_draw(&(lb_figure){.panels = &panel, .count = 1}, LB_FORMAT_PNG, &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert((i >= 2 && i < 5) || strcmp(error.message, "diagram: there are no boxes") == 0);
    }
}
END_TEST

static lb_canvas *draw_flow(const lb_flow *flow)
{
    lb_panel panel = lb_flow_panel(flow);
    return support_draw((lb_figure){.panels = &panel, .count = 1, .dpi = DPI});
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
    support_picture_equals(draw_flow(&flow), "flow");
}
END_TEST

START_TEST(test_draw_size_follows_columns_rows_and_the_longest_label)
{
    lb_flow_box boxes[] = {{"a", 3, 1, {0}}, {"b", 4.5, 3, {0}}};
    lb_flow flow = {.boxes = boxes, .box_count = 2};
    lb_canvas *canvas = draw_flow(&flow);
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 2 * MARGIN + SIDE + 3 * (SIDE + BESIDE) / 2);
    ck_assert_int_eq(lb_canvas_about(canvas)->height, 2 * MARGIN + SIDE + 2 * (SIDE + BELOW));
    lb_canvas_free(canvas);
    boxes[1].label = "Donaudampfschifffahrtsgesellschaft";
    canvas = draw_flow(&flow);
    ck_assert_int_gt(lb_canvas_about(canvas)->width, 2 * 200);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_flow_at_twice_the_resolution_has_twice_its_size)
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
    lb_canvas *canvas = draw_flow(&flow);
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
    lb_canvas *canvas = draw_flow(&flow);
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
    for (size_t i = 0; SUPPORT_ROW(i, flows); i++) {
        lb_panel panel = lb_flow_panel(&flows[i]);
        lb_error error = {0};
        ck_assert_ptr_null(lb_figure_draw(&(lb_figure){.panels = &panel, .count = 1}, LB_FORMAT_PNG, &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.message, "flow: ") != NULL, "%s", error.message);
    }
}
END_TEST
