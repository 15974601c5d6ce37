#include "lookback/plot.h"
#include "support/suite.h"

#include "plot/axis.h"
#include "plot/figure.h"
#include "support/alloc.h"
#include "support/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double step[] = {0, 100, 200, 300, 400, 500, 600};
static const double loss[] = {4.61, 3.9, NAN, 1.2, 0.6, 0.31, 0.22};
static const double match[] = {0, 0.01, 0.1, 0.42, 0.8, 0.96, 0.99};

static const lb_series training[] = {
    {.name = "loss", .x = step, .y = loss, .count = 7},
    {.name = "exact match", .x = step, .y = match, .count = 7, .right = true},
};

static lb_chart training_chart(void)
{
    return (lb_chart){.series = training,
                      .count = 2,
                      .title = "Training",
                      .x = {.label = "Step"},
                      .left = {.label = "Loss"},
                      .right = {.label = "Exact match", .min = 0, .max = 1},
                      .width = 400,
                      .height = 260};
}

static lb_canvas *draw_one(const lb_chart *chart, double dpi)
{
    lb_panel panel = lb_chart_panel(chart);
    return support_draw((lb_figure){.panels = &panel, .count = 1, .dpi = dpi});
}

/* The number of pixels of exactly this colour. */
static int count_color(const lb_canvas *canvas, lb_color color)
{
    int count = 0;
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++) {
        for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
            lb_color c = lb_canvas_pixel(canvas, x, y);
            count += c.red == color.red && c.green == color.green && c.blue == color.blue;
        }
    }
    return count;
}

START_TEST(test_draw_training_equals_the_reviewed_picture)
{
    lb_chart chart = training_chart();
    support_picture_equals(draw_one(&chart, 72), "chart");
}
END_TEST

/* Of series without points, only the legend is drawn. */
START_TEST(test_draw_lines_of_the_legend_grow_with_the_resolution)
{
    static const double nothing[] = {NAN, NAN};
    const lb_series series = {.name = "none", .y = nothing, .count = 2};
    lb_chart chart = {
        .series = &series, .count = 1, .left = {.min = 0, .max = 1}, .width = 300, .height = 200};
    chart.x.min = 0;
    chart.x.max = 1;
    int found[2];
    for (int i = 0; i < 2; i++) {
        lb_canvas *canvas = draw_one(&chart, i ? 576 : 144);
        found[i] = count_color(canvas, lb_color_series(0));
        lb_canvas_free(canvas);
    }
    ck_assert_int_gt(found[0], 5);
    ck_assert_int_gt(found[1], 8 * found[0]);
}
END_TEST

START_TEST(test_draw_log_axis_and_long_legend_equals_the_reviewed_picture)
{
    lb_series series[4];
    for (int i = 0; i < 4; i++)
        series[i] = (lb_series){.name = "a rather long name", .y = loss, .count = 7 - i};
    lb_chart chart = {.series = series, .count = 4, .left = {.log = true}, .width = 400, .height = 260};
    support_picture_equals(draw_one(&chart, 72), "chart_log");
}
END_TEST

/* The markers of this colour on a level line: places where it is as high as half a marker. */
static int count_markers(const lb_chart *chart, lb_color color)
{
    lb_canvas *canvas = draw_one(chart, 72);
    int markers = 0;
    bool before = false;
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        int high = 0;
        for (int y = 0; y < lb_canvas_about(canvas)->height; y++) {
            lb_color c = lb_canvas_pixel(canvas, x, y);
            high += c.red == color.red && c.green == color.green && c.blue == color.blue;
        }
        markers += high >= 4 && !before;
        before = high >= 4;
    }
    lb_canvas_free(canvas);
    return markers;
}

START_TEST(test_draw_all_points_have_markers_or_none_has)
{
    double level[400], over[400];
    for (int i = 0; i < 400; i++) {
        level[i] = i == 2 ? NAN : 1;
        over[i] = i == 1 ? NAN : 1;
    }
    lb_series series[] = {{.y = level, .count = 20}, {.y = over, .count = 20}};
    lb_chart chart = {
        .series = series, .count = 1, .width = 400, .height = 260, .left = {.min = 0, .max = 2}};
    ck_assert_int_eq(count_markers(&chart, lb_color_series(0)), 19);
    chart.count = 2; /* each has its part of the markers in the same place */
    for (int s = 0; s < 2; s++) ck_assert_int_eq(count_markers(&chart, lb_color_series(s)), 19);
    series[1].count = 400;
    for (int s = 0; s < 2; s++) ck_assert_int_eq(count_markers(&chart, lb_color_series(s)), 0);
}
END_TEST

START_LOOP_TEST(test_draw_lines_that_cover_each_other_take_turns, 2)
{
    enum { SAME = 3, POINTS = 400 };
    double steep[POINTS], along[POINTS], level[POINTS];
    for (int i = 0; i < POINTS; i++) {
        along[i] = _i ? 200 : i;
        steep[i] = _i ? i : 1;
        level[i] = 0;
    }
    lb_series series[SAME + 1];
    for (int i = 0; i < SAME; i++) series[i] = (lb_series){.x = along, .y = steep, .count = POINTS};
    series[SAME] = (lb_series){.x = along, .y = level, .count = POINTS};
    lb_chart chart = {.series = series,
                      .count = 1,
                      .width = 400,
                      .height = 300,
                      .x = {.min = 0, .max = POINTS},
                      .left = {.min = _i ? -1 : 0, .max = _i ? POINTS : 2}};
    lb_canvas *canvas = draw_one(&chart, 144);
    int alone = count_color(canvas, lb_color_series(0));
    lb_canvas_free(canvas);
    chart.count = SAME + 1;
    canvas = draw_one(&chart, 144);
    for (int s = 0; s < SAME; s++)
        ck_assert_double_eq_tol(count_color(canvas, lb_color_series(s)), alone / 3.0, 0.12 * alone);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_axis_titles_are_no_longer_than_their_axis)
{
    lb_chart chart = training_chart();
    chart.title = NULL;
    lb_canvas *short_titles = draw_one(&chart, 72);
    chart.right.label = "An axis label that is a good deal longer than the axis that it stands beside";
    lb_canvas *long_title = draw_one(&chart, 72);
    int w = lb_canvas_about(short_titles)->width, h = lb_canvas_about(short_titles)->height, margin = 0;
    for (int y = 0; y < 20; y++) /* above the plot, to the right of it: only the title could be there */
        for (int x = w - 30; x < w; x++) margin += lb_canvas_pixel(long_title, x, y).red < 200;
    for (int y = h - 45; y < h; y++)
        for (int x = w - 24; x < w; x++) margin += lb_canvas_pixel(long_title, x, y).red < 200;
    ck_assert_int_eq(margin, 0);
    lb_canvas_free(short_titles);
    lb_canvas_free(long_title);
}
END_TEST

static const lb_style light = {.point = 1};

START_TEST(test_resolve_left_axis_ends_at_round_numbers)
{
    lb_chart chart = training_chart();
    lb_axis_scale left = lb_axis_resolve(&chart, &light, LB_AXIS_LEFT, 6);
    ck_assert(left.used);
    ck_assert_double_eq(left.low, 0);
    ck_assert_double_eq(left.high, 5);
    ck_assert_int_eq(left.ticks.count, 6);
    lb_axis_scale right = lb_axis_resolve(&chart, &light, LB_AXIS_RIGHT, 6);
    ck_assert_double_eq(right.low, 0);
    ck_assert_double_eq(right.high, 1);
    lb_axis_scale x = lb_axis_resolve(&chart, &light, LB_AXIS_X, 4);
    ck_assert_double_eq(x.low, 0);
    ck_assert_double_eq(x.high, 600);
    lb_color blue = lb_color_series(0), orange = lb_color_series(1);
    ck_assert_mem_eq(&left.ink, &blue, sizeof blue);
    ck_assert_mem_eq(&right.ink, &orange, sizeof orange);
}
END_TEST

START_TEST(test_resolve_degenerate_data_gives_a_range)
{
    static const double none[] = {NAN, -INFINITY}, same[] = {7, 7}, zero[] = {0, -1},
                        huge[] = {1e300, -1e300};
    const double *const data[] = {none, same, zero, huge};
    for (int i = 0; i < 8; i++) {
        lb_series series = {.y = data[i / 2], .count = 2};
        lb_chart chart = {.series = &series, .count = 1, .left = {.log = i % 2}};
        lb_axis_scale scale = lb_axis_resolve(&chart, &light, LB_AXIS_LEFT, 5);
        ck_assert(isfinite(scale.low) && isfinite(scale.high) && scale.low < scale.high);
        if (i % 2) ck_assert_double_gt(scale.low, 0);
        lb_canvas_free(draw_one(&chart, 72));
    }
}
END_TEST

START_TEST(test_position_is_linear_or_logarithmic)
{
    lb_axis_scale scale = {.low = 1, .high = 100};
    ck_assert_double_eq_tol(lb_axis_position(&scale, 50.5), 0.5, 1e-12);
    scale.log = true;
    ck_assert_double_eq_tol(lb_axis_position(&scale, 10), 0.5, 1e-12);
    ck_assert(isnan(lb_axis_position(&scale, 0)));
    ck_assert(isnan(lb_axis_position(&scale, -3)));
}
END_TEST

START_TEST(test_draw_empty_charts_are_no_error)
{
    lb_series empty = {.name = "nothing"};
    lb_chart charts[] = {
        {.title = "No series"}, {.series = &empty, .count = 1}, {.left = {.log = true}, .x = {.log = true}}};
    for (int i = 0; SUPPORT_ROW(i, charts); i++) {
        lb_canvas *canvas = draw_one(&charts[i], 0);
        ck_assert_int_eq(lb_canvas_about(canvas)->width, 1000 + 2 * 17);
        lb_canvas_free(canvas);
    }
}
END_TEST

START_TEST(test_draw_lone_point_is_a_dot)
{
    double y[100]; /* too many for markers */
    for (int i = 0; i < 100; i++) y[i] = i == 1 ? 3 : NAN;
    lb_series series = {.y = y, .count = 100, .color = lb_rgb(0x00FF00)};
    lb_chart chart = {.series = &series, .count = 1};
    lb_canvas *canvas = draw_one(&chart, 0);
    int dot = count_color(canvas, series.color);
    ck_assert_int_ge(dot, 20);
    ck_assert_int_le(dot, 60);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_missing_values_interrupt_the_line)
{
    double y[100], through[100];
    for (int i = 0; i < 100; i++) {
        through[i] = 1;
        y[i] = i > 25 && i < 75 ? NAN : 1;
    }
    lb_series series = {.y = y, .count = 100, .color = lb_rgb(0x00FF00)};
    lb_chart chart = {.series = &series, .count = 1, .left = {.min = 0, .max = 2.1}};
    lb_canvas *canvas = draw_one(&chart, 0);
    int interrupted = count_color(canvas, series.color);
    lb_canvas_free(canvas);
    series.y = through;
    canvas = draw_one(&chart, 0);
    ck_assert_double_eq_tol(interrupted, count_color(canvas, series.color) / 2.0, 20);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_beyond_the_limits_is_cut_at_the_frame)
{
    const double y[] = {-100, 100};
    lb_series series = {.y = y, .count = 2, .color = lb_rgb(0x00FF00)};
    lb_chart chart = {.series = &series, .count = 1, .left = {.min = -1, .max = 1}};
    lb_canvas *canvas = draw_one(&chart, 0);
    ck_assert_int_gt(count_color(canvas, series.color), 100);
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        ck_assert_int_eq(lb_canvas_pixel(canvas, x, 20).red, 255);
        ck_assert_int_eq(lb_canvas_pixel(canvas, x, lb_canvas_about(canvas)->height - 10).red, 255);
    }
    lb_canvas_free(canvas);
}
END_TEST

START_LOOP_TEST(test_save_impossible_chart_is_an_argument_error, 5)
{
    lb_series no_values = {.count = 3};
    lb_chart charts[] = {{.count = 1},
                         {.series = &no_values, .count = 1},
                         {.left = {.min = 2, .max = 1}},
                         {.right = {.min = NAN, .max = 1}},
                         {.x = {.min = 0, .max = 1, .log = true}}};
    lb_error error = {0};
    ck_assert_int_eq(lb_chart_save(&charts[_i], TEST_OUTPUT "/impossible.png", &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "impossible.png: chart: "));
}
END_TEST

START_TEST(test_save_out_of_memory_at_any_time_leaks_nothing)
{
    lb_chart chart = training_chart();
    const char *path = TEST_OUTPUT "/memory_chart.png";
    support_watch_allocations();
    ck_assert_int_eq(lb_chart_save(&chart, path, NULL), LB_OK);
    ck_assert_int_eq(support_live_allocations(), 0);
    long needed = support_allocation_count();
    ck_assert_int_gt(needed, 50);
    for (long n = 0; n < needed; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        ck_assert_int_eq(lb_chart_save(&chart, path, NULL), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    remove(path);
}
END_TEST
