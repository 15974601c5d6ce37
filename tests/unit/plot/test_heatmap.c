#include "lookback/plot.h"
#include "support/suite.h"

#include "plot/figure.h"
#include "plot/heatmap_layout.h"
#include "support/alloc.h"
#include "support/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_style style;
static double *values;

static void setup(void)
{
    style = (lb_style){.regular = lb_font_builtin(LB_FONT_REGULAR, NULL),
                       .bold = lb_font_builtin(LB_FONT_BOLD, NULL),
                       .point = 100.0 / 72,
                       .single = true};
    values = malloc(300 * 300 * sizeof *values);
    for (int i = 0; i < 300 * 300; i++) values[i] = 0.5 + 0.5 * sin(i * 0.37);
}

static void teardown(void)
{
    lb_font_close((lb_font *)(uintptr_t)style.regular);
    lb_font_close((lb_font *)(uintptr_t)style.bold);
    free(values);
}

static const char *const spanish[] = {"El", "gato", "est\xc3\xa1", "."};
static const char *const english[] = {"The", "cat", "is", "here"};
static const double alignment[] = {0.91, 0.05, 0.03, 0.01, 0.08, 0.55, 0.25, 0.12,
                                   0.02, 0.13, 0.7,  0.15, 0.0,  1.0,  NAN,  0.4};

static lb_heatmap translation(void)
{
    return (lb_heatmap){.values = alignment,
                        .rows = 4,
                        .columns = 4,
                        .row_labels = spanish,
                        .column_labels = english,
                        .title = "Attention weights",
                        .x_label = "Source",
                        .y_label = "Target",
                        .bar_label = "Weight"};
}

static lb_canvas *draw_one(const lb_heatmap *map, double dpi)
{
    lb_panel panel = lb_heatmap_panel(map);
    return support_draw((lb_figure){.panels = &panel, .count = 1, .dpi = dpi});
}

START_TEST(test_draw_translation_equals_the_reviewed_picture)
{
    lb_heatmap map = translation();
    support_picture_equals(draw_one(&map, 72), "heatmap");
}
END_TEST

START_TEST(test_draw_without_labels_equals_the_reviewed_picture)
{
    lb_heatmap map = {.values = alignment,
                      .rows = 1,
                      .columns = 14,
                      .colormap = LB_COLORMAP_VIRIDIS,
                      .range = LB_RANGE_DATA,
                      .slant = LB_LABEL_FLAT};
    support_picture_equals(draw_one(&map, 72), "heatmap_row");
}
END_TEST

START_TEST(test_draw_cells_have_the_color_of_their_value)
{
    lb_heatmap map = translation();
    map.cell_text = LB_CELL_TEXT_NONE;
    lb_canvas *canvas = draw_one(&map, 100);
    lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
    double margin = round(12 * style.point);
    for (int i = 0; SUPPORT_ROW(i, alignment); i++) {
        double x = margin + l.plot.x + (i % 4 + 0.5) * l.cell_w,
               y = margin + l.plot.y + (i / 4 + 0.5) * l.cell_h;
        lb_color found = lb_canvas_pixel(canvas, (int)x, (int)y);
        lb_color wanted = lb_colormap_at(LB_COLORMAP_YLORRD, alignment[i]);
        ck_assert_mem_eq(&found, &wanted, sizeof found);
        lb_color grid = lb_canvas_pixel(canvas, (int)(x + l.cell_w / 2), (int)y);
        if (i % 4 < 3) ck_assert_int_eq(grid.red + grid.green + grid.blue, 3 * 255);
    }
    lb_canvas_free(canvas);
}
END_TEST

/* Below a wider one. */
START_TEST(test_draw_narrow_map_is_in_the_middle_of_its_area)
{
    lb_heatmap wide = {.values = values, .rows = 1, .columns = 9, .hide_bar = true}, narrow = wide;
    narrow.values = (double[]){1};
    narrow.columns = 1;
    lb_panel both[] = {lb_heatmap_panel(&wide), lb_heatmap_panel(&narrow)};
    lb_canvas *canvas = support_draw((lb_figure){.panels = both, .count = 2, .columns = 1});
    int y = lb_canvas_about(canvas)->height - (int)(2 * round(12 * style.point));
    int first = lb_canvas_about(canvas)->width, last = -1;
    for (int x = 0; x < lb_canvas_about(canvas)->width; x++) {
        if (lb_canvas_pixel(canvas, x, y).blue == 255) continue;
        first = x < first ? x : first;
        last = x;
    }
    ck_assert_int_lt(last - first, lb_canvas_about(canvas)->width / 3);
    ck_assert_int_le(abs(first - (lb_canvas_about(canvas)->width - 1 - last)), 1);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_scale_follows_the_range)
{
    lb_heatmap map = translation();
    ck_assert_double_eq(lb_heatmap_scale(&map).min, 0);
    ck_assert_double_eq(lb_heatmap_scale(&map).max, 1);
    map.range = LB_RANGE_DATA;
    map.rows = 2; /* without 0 and 1 */
    ck_assert_double_eq(lb_heatmap_scale(&map).min, 0.01);
    ck_assert_double_eq(lb_heatmap_scale(&map).max, 0.91);
    map.range = LB_RANGE_GIVEN;
    map.min = -2;
    map.max = 3;
    ck_assert_double_eq(lb_heatmap_scale(&map).min, -2);
    ck_assert_double_eq(lb_heatmap_scale(&map).max, 3);
}
END_TEST

/* Also where nothing is below zero, or above it, or all is zero. */
START_TEST(test_scale_of_signed_numbers_has_zero_in_its_middle)
{
    static const double maps[][2] = {{-0.29, 6.75}, {-8, 2}, {0, 28.5}, {-1, -1}, {0, 0}, {NAN, 3}};
    static const double most[] = {6.75, 8, 28.5, 1, 0.5, 3};
    for (int i = 0; SUPPORT_ROW(i, most); i++) {
        lb_heatmap map = {.values = maps[i], .rows = 1, .columns = 2, .range = LB_RANGE_SIGNED};
        lb_color_bar bar = lb_heatmap_scale(&map);
        ck_assert_double_eq(bar.min, -most[i]);
        ck_assert_double_eq(bar.max, most[i]);
        lb_color zero = lb_color_bar_at(&bar, 0), first = lb_colormap_at(map.colormap, 0);
        ck_assert_mem_eq(&zero, &first, sizeof zero);
    }
}
END_TEST

static lb_color cell_color(const lb_canvas *canvas, const lb_heatmap *map, int column)
{
    lb_heatmap_layout l = lb_heatmap_arrange(map, &style, 0);
    double margin = round(12 * style.point);
    return lb_canvas_pixel(canvas, (int)(margin + l.plot.x + (column + 0.5) * l.cell_w),
                           (int)(margin + l.plot.y + l.cell_h / 4));
}

/* Erasure: what is lost, nothing, what is won. */
START_TEST(test_draw_signed_numbers_have_the_colors_of_their_sign)
{
    static const double numbers[] = {2, 0, -2, -1};
    lb_heatmap map = {.values = numbers, .rows = 1, .columns = 4, .range = LB_RANGE_SIGNED};
    lb_canvas *canvas = draw_one(&map, 100);
    static const uint32_t wanted[] = {0x800026, 0xFFFFCC, 0x1A2565};
    for (int i = 0; SUPPORT_ROW(i, wanted); i++) {
        lb_color found = cell_color(canvas, &map, i), color = lb_rgb(wanted[i]);
        ck_assert_mem_eq(&found, &color, sizeof found);
    }
    lb_color half = cell_color(canvas, &map, 3);
    ck_assert_int_gt(half.blue, half.red);
    lb_canvas_free(canvas);
}
END_TEST

/* As far as the data goes below zero and no further: a scale that is not the same on both sides has one map. */
START_TEST(test_scale_that_was_given_has_zero_in_its_middle_if_it_is_as_long_on_both_sides)
{
    const lb_color_bar even = {.min = -2, .max = 2}, uneven = {.min = -1, .max = 3};
    lb_color zero = lb_color_bar_at(&even, 0), least = lb_color_bar_at(&uneven, -1),
             outside = lb_color_bar_at(&uneven, -9), first = lb_colormap_at(LB_COLORMAP_YLORRD, 0),
             quarter = lb_color_bar_at(&uneven, 0), expected = lb_colormap_at(LB_COLORMAP_YLORRD, 0.25);
    ck_assert_mem_eq(&zero, &first, sizeof first);
    ck_assert_mem_eq(&least, &first, sizeof first);
    ck_assert_mem_eq(&outside, &first, sizeof first);
    ck_assert_mem_eq(&quarter, &expected, sizeof first);
}
END_TEST

START_TEST(test_scale_of_constant_or_no_numbers_is_not_empty)
{
    double same[] = {3, 3}, none[] = {NAN, INFINITY};
    lb_heatmap map = {.values = same, .rows = 1, .columns = 2, .range = LB_RANGE_DATA};
    lb_color_bar bar = lb_heatmap_scale(&map);
    ck_assert(bar.min < 3 && bar.max > 3);
    map.values = none;
    bar = lb_heatmap_scale(&map);
    ck_assert(bar.min == 0 && bar.max == 1);
    lb_canvas_free(draw_one(&map, 0));
}
END_TEST

START_TEST(test_share_scale_spans_all_and_hides_the_bars)
{
    double a[] = {0.2, 0.4}, b[] = {0.1, 0.3};
    lb_heatmap maps[2] = {{.values = a, .rows = 1, .columns = 2, .range = LB_RANGE_DATA, .bar_label = "w"},
                          {.values = b, .rows = 1, .columns = 2, .range = LB_RANGE_DATA}};
    lb_color_bar bar = lb_heatmap_share_scale(maps, 2);
    ck_assert_double_eq(bar.min, 0.1);
    ck_assert_double_eq(bar.max, 0.4);
    ck_assert_str_eq(bar.label, "w");
    for (int i = 0; SUPPORT_ROW(i, maps); i++) {
        ck_assert(maps[i].hide_bar);
        ck_assert_double_eq(lb_heatmap_scale(&maps[i]).min, 0.1);
        ck_assert_double_eq(lb_heatmap_scale(&maps[i]).max, 0.4);
        ck_assert_double_eq(lb_heatmap_arrange(&maps[i], &style, 0).bar.width, 0);
    }
}
END_TEST

/* 0, 0.5 to 2.5 are six; up to 3.5, there are 0, 1, 2 and 3. */
START_TEST(test_bar_has_room_for_the_digits_of_six_ticks)
{
    const lb_color_bar six = {.min = 0, .max = 2.6}, four = {.min = 0, .max = 3.5};
    ck_assert_double_gt(lb_color_bar_measure(&six, &style).width, lb_color_bar_measure(&four, &style).width);
}
END_TEST

START_TEST(test_share_scale_takes_the_first_label_that_there_is)
{
    lb_heatmap maps[3] = {translation(), translation(), translation()};
    maps[0].bar_label = NULL;
    maps[1].bar_label = "second";
    ck_assert_str_eq(lb_heatmap_share_scale(maps, 3).label, "second");
}
END_TEST

START_TEST(test_column_labels_are_all_upright_or_all_slanted)
{
    static const struct {
        const char *labels[4];
        double angle;
    } axes[] = {
        {{"a", "\xc3\xa9", "e\xcc\x81", "\xed\x95\x9c"}, 0}, /* characters */
        {{"42", "7th", "99", "13"}, 0},                      /* all fit */
        {{"a", "b", "</s>", "d"}, 0},
        {{"a", "b", "a long label", "d"}, 45},
    };
    lb_heatmap map = translation();
    for (int i = 0; SUPPORT_ROW(i, axes); i++) {
        map.column_labels = axes[i].labels;
        lb_heatmap_layout layout = lb_heatmap_arrange(&map, &style, 0);
        ck_assert_double_eq(layout.angle, axes[i].angle);
        ck_assert_double_eq(lb_heatmap_column_style(&layout, &style).angle, axes[i].angle);
    }

    static const char *const letters[] = {"a", "b", "c", "d"};
    map.column_labels = letters;
    double all_slanted = lb_heatmap_arrange(&map, &style, 0).size.height;
    map.slant = LB_LABEL_FLAT;
    ck_assert_double_eq(lb_heatmap_arrange(&map, &style, 0).size.height, all_slanted);
}
END_TEST

START_TEST(test_draw_maps_of_one_row_of_a_figure_have_one_height)
{
    lb_heatmap maps[3];
    lb_panel panels[3];
    for (int i = 0; i < 3; i++) {
        maps[i] = (lb_heatmap){.values = values, .rows = 7 + i, .columns = 8, .hide_bar = true};
        panels[i] = lb_heatmap_panel(&maps[i]);
    }
    lb_canvas *canvas = support_draw((lb_figure){.panels = panels, .count = 3, .dpi = 72});
    int width = lb_canvas_about(canvas)->width, edges = 0;
    for (int y = 0; y < lb_canvas_about(canvas)->height; y++) {
        int dark = 0;
        for (int x = 0; x < width; x++) dark += lb_canvas_pixel(canvas, x, y).red == 0x26;
        edges += dark > width / 4;
    }
    lb_canvas_free(canvas);
    ck_assert_int_eq(edges, 2); /* above all maps, and below */
}
END_TEST

START_LOOP_TEST(test_arrange_any_size_is_sensible, 9)
{
    static const size_t sizes[][2] = {{1, 1},   {1, 10},  {10, 1},    {3, 90}, {10, 10},
                                      {34, 34}, {60, 60}, {200, 200}, {300, 7}};
    const size_t rows = sizes[_i][0], columns = sizes[_i][1];
    lb_heatmap map = {.values = values,
                      .rows = (int64_t)rows,
                      .columns = (int64_t)columns,
                      .title = "T",
                      .x_label = "x",
                      .bar_label = "w"};
    lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
    ck_assert_double_ge(l.cell_w, 2);
    ck_assert_double_ge(l.cell_h, l.cell_w);
    ck_assert_double_le(l.size.width, 1400);
    ck_assert_double_le(l.size.height, 1400);
    ck_assert_double_ge(l.size.height, 80);
    ck_assert_double_ge(l.bar.height, 5 * 2.2 * LB_SIZE_TICK * style.point); /* five ticks */
    ck_assert_double_eq(l.cell_w, floor(l.cell_w));
    ck_assert_double_eq(l.plot.x, floor(l.plot.x));
    ck_assert_double_ge(l.label_size, 6 * style.point - 1e-9);
    ck_assert_double_le(l.label_size, (double)l.row_every * l.cell_h);
    ck_assert_double_le(l.label_size, (double)l.column_every * l.cell_w * (l.angle == 45 ? sqrt(0.5) : 1));
    bool numbers = rows <= 34 && columns <= 34;
    ck_assert_msg((l.text_size > 0) == numbers, "cell of %g pixels, text of %g", l.cell_w, l.text_size);
    if (numbers)
        ck_assert_double_le(lb_text_measure(style.regular, l.text_size, "0.00").width, 0.83 * l.cell_w);
    lb_canvas_free(draw_one(&map, 0));
}
END_TEST

/* Symbols of a text: letters, or words. */
static const char *const *symbols(bool words, size_t count)
{
    static const char *labels[600];
    for (size_t i = 0; i < count; i++) labels[i] = words ? (i % 2 ? "attention" : "is") : (i % 3 ? "m" : "i");
    return labels;
}

static void assert_labels_do_not_touch(const lb_heatmap_layout *l, bool words)
{
    lb_text_style look = lb_heatmap_column_style(l, &style);
    double step = l->cell_w * (double)l->column_every, thick = 1.05 * l->label_size;
    ck_assert_double_le(thick, l->cell_h * (double)l->row_every);
    if (l->angle == 0)
        ck_assert_double_le(lb_text_bounds(&look, words ? "attention" : "m").width, step);
    else
        ck_assert_double_le(thick, step * (l->angle == 45 ? sqrt(0.5) : 1));
}

START_TEST(test_arrange_shows_every_symbol_of_a_text)
{
    static const size_t counts[] = {5, 30, 45, 60, 70, 90, 120, 180};
    for (int i = 0; i < 16; i++) {
        bool words = i % 2;
        size_t count = counts[i / 2];
        lb_heatmap map = {.values = values,
                          .rows = (int64_t)count,
                          .columns = (int64_t)count,
                          .title = "T",
                          .x_label = "x"};
        map.row_labels = map.column_labels = symbols(words, count);
        lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
        ck_assert_msg(l.row_every == 1 && l.column_every == 1, "%zu symbols", count);
        ck_assert_double_ge(l.label_size, 6 * style.point - 1e-9);
        ck_assert_str_eq(l.x_label.text, "x");
        ck_assert_msg(words || l.angle == 0, "%zu letters are turned by %g degrees", count, l.angle);
        assert_labels_do_not_touch(&l, words);
    }
}
END_TEST

START_TEST(test_arrange_says_which_symbols_are_left_out)
{
    lb_heatmap map = {.values = values, .rows = 150, .columns = 600, .x_label = "Input", .bar_label = "w"};
    map.column_labels = symbols(false, 600);
    lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
    char expected[64];
    ck_assert_int_gt(l.column_every, 1);
    assert_labels_do_not_touch(&l, false);
    snprintf(expected, sizeof expected, "Input: 1 label in %lld", (long long)l.column_every);
    ck_assert_str_eq(l.x_label.text, expected);
    ck_assert_int_gt(l.row_every, 1); /* numbers, which one can count on */
    ck_assert_str_eq(l.y_label.text, "");

    map.x_label = NULL;
    snprintf(expected, sizeof expected, "1 label in %lld", (long long)l.column_every);
    ck_assert_str_eq(lb_heatmap_arrange(&map, &style, 0).x_label.text, expected);
}
END_TEST

START_TEST(test_arrange_titles_are_no_longer_than_their_axis)
{
    for (int64_t count = 1; count <= 5; count++) {
        lb_heatmap map = {.values = values, .rows = count, .columns = 6 - count, .bar_label = "w"};
        map.hide_bar = count > 3;
        map.title =
            "A title that is much wider than the four columns and all that is beside them, and longer";
        map.x_label = "Input Tokens (Keys)";
        map.y_label = "an axis label that is much longer than the axis is";
        lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
        ck_assert_double_le(l.x_label.extent.width, l.plot.width);
        ck_assert_double_le(l.y_label.extent.width, l.plot.height);
        ck_assert_double_ge(l.x_label.size, 6 * style.point - 1e-9);
        ck_assert_double_le(l.title.extent.width, fmax(l.size.width, 288 * style.point));
        ck_assert_double_ge(l.y_label_x, 0);
        ck_assert_double_le(l.x_label_y + l.x_label.extent.height, l.size.height);
    }
}
END_TEST

/* GitHub shows no more than about 830 pixels; numbers of 13.9 pixels can be read if they become somewhat smaller. */
START_TEST(test_arrange_10_by_10_is_about_800_pixels)
{
    lb_heatmap map = {.values = values,
                      .rows = 10,
                      .columns = 10,
                      .title = "T",
                      .x_label = "x",
                      .y_label = "y",
                      .bar_label = "w"};
    lb_canvas *canvas = draw_one(&map, 0);
    ck_assert_int_ge(lb_canvas_about(canvas)->width, 740);
    ck_assert_int_le(lb_canvas_about(canvas)->width, 830);
    ck_assert_int_ge(lb_canvas_about(canvas)->height, 700);
    ck_assert_int_le(lb_canvas_about(canvas)->height, 830);
    ck_assert_double_eq(lb_heatmap_arrange(&map, &style, 0).text_size, LB_SIZE_TICK * style.point);
    lb_canvas_free(canvas);
}
END_TEST

/* Whether the outermost frame of `width` pixels is white. */
static bool has_margin(const lb_canvas *canvas, int width)
{
    int w = lb_canvas_about(canvas)->width, h = lb_canvas_about(canvas)->height;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            bool frame = x < width || y < width || x >= w - width || y >= h - width;
            lb_color c = lb_canvas_pixel(canvas, x, y);
            if (frame && c.red + c.green + c.blue < 3 * 255) return false;
        }
    }
    return true;
}

START_TEST(test_draw_long_labels_are_not_cut)
{
    const char *const labels[] = {"Donaudampfschifffahrtsgesellschaftskapit\xc3\xa4n",
                                  "W\xc3\xa4rmest\xc3\xb6\xc3\x9f", "gjpqy_______________________", "M"};
    static const char *const titles[] = {
        NULL, "A title that is much wider than the map that it stands above, really"};
    for (int i = 0; i < 8; i++) {
        lb_heatmap map = {
            .values = alignment, .rows = 4, .columns = 4, .row_labels = i & 1 ? labels : english};
        map.column_labels = i & 2 ? labels : english;
        map.slant = i & 4 ? LB_LABEL_FLAT : LB_LABEL_SLANTED;
        map.title = titles[i & 1];
        map.x_label = titles[i >> 1 & 1];
        map.y_label = map.bar_label = titles[i >> 2];
        lb_canvas *canvas = draw_one(&map, 100);
        ck_assert(has_margin(canvas, 10));
        lb_canvas_free(canvas);
    }
}
END_TEST

START_TEST(test_draw_dpi_scales_the_picture)
{
    lb_heatmap map = translation();
    lb_canvas *small = draw_one(&map, 72), *large = draw_one(&map, 144);
    ck_assert_double_eq_tol(lb_canvas_about(large)->width, 2 * lb_canvas_about(small)->width, 8);
    ck_assert_double_eq_tol(lb_canvas_about(large)->height, 2 * lb_canvas_about(small)->height, 8);
    lb_canvas_free(small);
    lb_canvas_free(large);
}
END_TEST

START_TEST(test_cell_text_has_two_decimals)
{
    char text[LB_CELL_LABEL];
    ck_assert_str_eq(lb_heatmap_cell_text(0.125001, text), "0.13");
    ck_assert_str_eq(lb_heatmap_cell_text(1, text), "1.00");
    ck_assert_str_eq(lb_heatmap_cell_text(-0.001, text), "0.00");
    ck_assert_str_eq(lb_heatmap_cell_text(-2.5, text), "-2.50");
    ck_assert_str_eq(lb_heatmap_cell_text(1e200, text), "1.0e+200");
}
END_TEST

START_TEST(test_arrange_cell_labels_fit_with_their_numbers)
{
    static const char *const words[16] = {"a", NULL, "Donaudampfschiff", ""};
    lb_heatmap map = translation();
    double alone = lb_heatmap_arrange(&map, &style, 0).text_size;
    map.cell_labels = words;
    lb_heatmap_layout l = lb_heatmap_arrange(&map, &style, 0);
    ck_assert_double_lt(l.text_size, alone);
    ck_assert(l.text_size == 0 || lb_text_measure(style.regular, l.text_size, words[2]).width <= l.cell_w);
    static const char *const letters[16] = {"a", NULL, "b", ""};
    map.cell_labels = letters;
    l = lb_heatmap_arrange(&map, &style, 0);
    ck_assert_double_gt(l.text_size, 0);
    ck_assert_double_le(2.4 * l.text_size, l.cell_h);
    lb_canvas *with = draw_one(&map, 100);
    map.cell_labels = (const char *const[16]){NULL};
    lb_canvas *without = draw_one(&map, 100);
    double margin = round(12 * style.point), x = margin + l.plot.x, y = margin + l.plot.y;
    int darker = 0; /* pixels in the upper half of the first cell */
    for (int i = 0; i < (int)l.cell_w; i++)
        for (int j = 0; j < (int)(l.cell_h / 2); j++)
            darker += lb_canvas_pixel(with, (int)x + i, (int)y + j).red !=
                      lb_canvas_pixel(without, (int)x + i, (int)y + j).red;
    ck_assert_int_gt(darker, 10);
    lb_canvas_free(with);
    lb_canvas_free(without);
}
END_TEST

/* The longer the labels beside each other, the fewer of them are shown. */
START_TEST(test_arrange_shows_every_first_second_or_fifth_label_of_ten_or_hundreds)
{
    const char *labels[300];
    char word[12] = "";
    size_t before = 1;
    bool fifty = false;
    lb_heatmap map = {.values = values, .rows = 1, .columns = 300, .cell = 0.7, .column_labels = labels};
    map.slant = LB_LABEL_FLAT;
    while (strlen(word) < sizeof word - 1) {
        strcat(word, "n");
        for (int i = 0; i < 300; i++) labels[i] = word;
        size_t every = (size_t)lb_heatmap_arrange(&map, &style, 0).column_every;
        ck_assert_uint_ge(every, before);
        ck_assert(every == 1 || every == 2 || every == 5 || every == 10 || every == 20 || every == 50 ||
                  every == 100 || every == 200);
        fifty = fifty || every == 50;
        before = every;
    }
    ck_assert(fifty && before >= 100);
}
END_TEST

START_LOOP_TEST(test_draw_impossible_map_is_an_argument_error, 7)
{
    lb_heatmap maps[] = {
        {.values = NULL, .rows = 2, .columns = 2},
        {.values = alignment, .rows = 0, .columns = 2},
        {.values = alignment, .rows = 2, .columns = 2, .range = LB_RANGE_GIVEN},
        {.values = alignment, .rows = 2, .columns = 2, .range = LB_RANGE_GIVEN, .min = NAN, .max = 1},
        {.values = alignment, .rows = 2, .columns = 2, .colormap = (lb_colormap)(LB_COLORMAP_REDS + 1)},
        {.values = alignment, .rows = 2, .columns = 2, .colormap = (lb_colormap)-1},
        {.values = values, .rows = 300, .columns = 300, .cell = 1000}};
    lb_error error = {0};
    ck_assert_int_eq(lb_heatmap_save(&maps[_i], TEST_OUTPUT "/impossible.png", &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "impossible.png: "));
}
END_TEST

START_TEST(test_save_grid_equals_panels_that_share_their_scale)
{
    lb_heatmap maps[] = {translation(), translation(), translation()};
    const char *path = TEST_OUTPUT "/grid.png", *by_hand = TEST_OUTPUT "/grid_by_hand.png";
    maps[1].values = values;
    maps[0].range = maps[1].range = LB_RANGE_DATA;
    ck_assert_int_eq(lb_heatmap_save_grid(maps, 3, 2, "Grid", path, NULL), LB_OK);
    ck_assert(maps[0].range == LB_RANGE_DATA && !maps[0].hide_bar);

    lb_color_bar bar = lb_heatmap_share_scale(maps, 3);
    lb_panel panels[] = {lb_heatmap_panel(&maps[0]), lb_heatmap_panel(&maps[1]), lb_heatmap_panel(&maps[2])};
    lb_figure figure = {.panels = panels, .count = 3, .columns = 2, .title = "Grid", .bar = &bar};
    ck_assert_int_eq(lb_figure_save(&figure, by_hand, NULL), LB_OK);
    support_pictures_equal(path, by_hand);
    remove(path);
    remove(by_hand);
}
END_TEST

START_TEST(test_save_grid_of_nothing_or_with_an_impossible_map_is_an_argument_error)
{
    lb_heatmap maps[] = {translation(), {.rows = 2, .columns = 2, .range = LB_RANGE_DATA}};
    lb_error error = {0};
    const char *path = TEST_OUTPUT "/impossible.png";
    ck_assert_int_eq(lb_heatmap_save_grid(maps, 0, 0, NULL, path, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "impossible.png: figure: found no panels"));
    error = (lb_error){0};
    ck_assert_int_eq(lb_heatmap_save_grid(maps, 2, 0, NULL, path, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "impossible.png: heat map: there are no values"));
}
END_TEST

START_TEST(test_save_grid_out_of_memory_leaks_nothing)
{
    lb_heatmap maps[] = {translation(), translation()};
    for (long n = 1; n <= 3; n++) {
        lb_error error = {0};
        support_watch_allocations();
        support_fail_allocation(n);
        ck_assert_int_eq(lb_heatmap_save_grid(maps, 2, 0, NULL, TEST_OUTPUT "/memory.png", &error),
                         LB_ERROR_MEMORY);
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST

START_TEST(test_save_unwritable_is_a_write_error)
{
    lb_heatmap map = translation();
    lb_error error = {0};
    ck_assert_int_eq(lb_heatmap_save(&map, "/nowhere/map.png", &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/map.png"));
}
END_TEST

START_TEST(test_save_out_of_memory_at_any_time_leaks_nothing)
{
    lb_heatmap map = translation();
    map.cell = 8;
    const char *path = TEST_OUTPUT "/memory.png";
    support_watch_allocations();
    ck_assert_int_eq(lb_heatmap_save(&map, path, NULL), LB_OK);
    ck_assert_int_eq(support_live_allocations(), 0);
    long needed = support_allocation_count();
    ck_assert_int_gt(needed, 50);
    for (long n = 0; n < needed; n++) {
        support_watch_allocations();
        support_fail_allocation(n + 1);
        lb_error error = {0};
        ck_assert_int_eq(lb_heatmap_save(&map, path, &error), LB_ERROR_MEMORY);
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    remove(path);
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, teardown);
}
