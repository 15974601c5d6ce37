#include "plot/figure.h"
#include "support/suite.h"

#include "lookback/plot.h"
#include "support/picture.h"

#include <stdbool.h>
#include <string.h>

/* A panel that asks for a size and records where it was drawn. */
typedef struct probe {
    lb_size wanted;
    lb_rect area;
    bool single;
} probe;

static probe probes[5];
static lb_panel panels[5];

static lb_size measure_probe(const void *content, const lb_style *style)
{
    (void)style;
    return ((const probe *)content)->wanted;
}

static void draw_probe(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    probe *p = &probes[(const probe *)content - probes];
    p->area = area;
    p->single = style->single;
    lb_canvas_rect(canvas, area, lb_rgb(0x00FF00));
}

static void setup(void)
{
    static const lb_size sizes[5] = {{100, 50}, {60, 90}, {30, 30}, {40, 20.5}, {80, 10}};
    for (int i = 0; i < 5; i++) {
        probes[i] = (probe){.wanted = sizes[i]};
        panels[i] = (lb_panel){&probes[i], measure_probe, draw_probe};
    }
}

static void is_area(int index, double x, double y, double width, double height)
{
    lb_rect a = probes[index].area;
    ck_assert_msg(a.x == x && a.y == y && a.width == width && a.height == height, "panel %d: %g %g %g %g",
                  index, a.x, a.y, a.width, a.height);
}

START_TEST(test_draw_panels_form_a_grid)
{
    lb_canvas *canvas = support_draw((lb_figure){.panels = panels, .count = 5, .columns = 2, .dpi = 72});
    is_area(0, 12, 12, 100, 90); /* margin 12, gutter 24; as wide as its column, as high as its row */
    is_area(1, 12 + 100 + 24, 12, 60, 90);
    is_area(2, 12, 12 + 90 + 24, 100, 30);
    is_area(3, 136, 126, 60, 30);
    is_area(4, 12, 126 + 30 + 24, 100, 10);
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 136 + 60 + 12);
    ck_assert_int_eq(lb_canvas_about(canvas)->height, 180 + 10 + 12);
    ck_assert(!probes[0].single);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_no_columns_means_one_row)
{
    lb_canvas *canvas = support_draw((lb_figure){.panels = panels, .count = 3, .dpi = 72});
    is_area(0, 12, 12, 100, 90);
    is_area(2, 12 + 100 + 24 + 60 + 24, 12, 30, 90);
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_one_panel_is_single)
{
    lb_canvas *canvas = support_draw((lb_figure){.panels = panels, .count = 1, .columns = 9});
    ck_assert(probes[0].single);
    ck_assert_int_eq(lb_canvas_about(canvas)->width, 100 + 2 * 17);
    lb_canvas_free(canvas);
}
END_TEST

static lb_canvas *draw_all(lb_panel panel, bool dark, bool transparent)
{
    return support_draw(
        (lb_figure){.panels = &panel, .count = 1, .title = "T", .dark = dark, .transparent = transparent});
}

/* The background is that of GitHub's dark pages. White is at most what is written on dark cells and boxes. */
START_TEST(test_draw_dark_figures_have_light_text_on_a_dark_background)
{
    static const double y[] = {1, 3, 2}, cells[] = {0.5, -1, NAN, 1};
    const lb_series series[] = {{.name = "a", .y = y, .count = 3}, {.name = "b", .y = cells, .count = 2}};
    const lb_chart chart = {.series = series, .count = 2, .title = "t", .x.label = "x", .left.label = "y"};
    const lb_heatmap map = {
        .values = cells, .rows = 2, .columns = 2, .title = "t", .x_label = "x", .range = LB_RANGE_SIGNED};
    const lb_diagram diagram = {.sources = 2, .targets = 1, .title = "t"};
    const lb_panel all[] = {lb_chart_panel(&chart), lb_heatmap_panel(&map), lb_diagram_panel(&diagram)};
    for (int i = 0; SUPPORT_ROW(i, all); i++) {
        lb_canvas *canvas = draw_all(all[i], true, false), *clear = draw_all(all[i], true, true);
        const int width = lb_canvas_about(canvas)->width, height = lb_canvas_about(canvas)->height;
        const lb_color paper = lb_rgb(0x0D1117);
        lb_color corner = lb_canvas_pixel(canvas, 0, 0);
        int light = 0, white = 0;
        for (int k = 0; k < width * height; k++) {
            lb_color c = lb_canvas_pixel(canvas, k % width, k / width);
            light += c.red > 0xC0 && c.green > 0xC0 && c.blue > 0xC0;
            white += c.red == 255 && c.green == 255 && c.blue == 255;
        }
        ck_assert_mem_eq(&corner, &paper, sizeof paper);
        ck_assert_int_eq(lb_canvas_pixel(clear, 0, 0).alpha, 0);
        ck_assert_int_gt(light, 100);
        ck_assert_int_lt(white, width * height / 50);
        lb_canvas_free(canvas);
        lb_canvas_free(clear);
    }
}
END_TEST

START_TEST(test_draw_title_and_bar_have_room_of_their_own)
{
    lb_color_bar bar = {.min = 0, .max = 1, .label = "w"};
    lb_figure figure = {
        .panels = panels, .count = 2, .title = "A title\nof two lines", .bar = &bar, .dpi = 72};
    lb_canvas *canvas = support_draw(figure);
    ck_assert_double_gt(probes[0].area.y, 12 + 2 * 16);
    ck_assert_double_gt(lb_canvas_about(canvas)->width, probes[1].area.x + 60 + 24 + 15 + 12);
    for (int y = (int)probes[0].area.y; y < (int)probes[0].area.y + 90; y++) { /* nothing was drawn over */
        lb_color c = lb_canvas_pixel(canvas, (int)probes[0].area.x + 50, y);
        ck_assert_int_eq(c.green, 255);
        ck_assert_int_eq(c.red, 0);
    }
    lb_canvas_free(canvas);
}
END_TEST

START_TEST(test_draw_heads_with_one_bar_equals_the_reviewed_picture)
{
    static const char *const tokens[] = {"The", "cat", "sat"};
    static const double weights[4][9] = {{0.8, 0.1, 0.1, 0.2, 0.6, 0.2, 0.1, 0.3, 0.6},
                                         {0.1, 0.8, 0.1, 0.1, 0.1, 0.8, 0.3, 0.4, 0.3},
                                         {0.3, 0.3, 0.4, 0.3, 0.4, 0.3, 0.4, 0.3, 0.3},
                                         {1, 0, 0, 1, 0, 0, 0.5, 0.5, 0}};
    static const char *const titles[] = {"Head 0", "Head 1", "Head 2", "Head 3"};
    lb_heatmap heads[4];
    lb_panel grid[4];
    for (int i = 0; i < 4; i++) {
        heads[i] = (lb_heatmap){
            .values = weights[i], .rows = 3, .columns = 3, .title = titles[i], .bar_label = "Attention"};
        heads[i].row_labels = heads[i].column_labels = tokens;
        grid[i] = lb_heatmap_panel(&heads[i]);
    }
    lb_color_bar bar = lb_heatmap_share_scale(heads, 4);
    lb_figure figure = {
        .panels = grid, .count = 4, .columns = 2, .title = "All heads", .bar = &bar, .dpi = 72};
    support_picture_equals(support_draw(figure), "figure");
}
END_TEST

START_TEST(test_draw_with_another_font_looks_different)
{
    lb_font *bold = lb_font_builtin(LB_FONT_BOLD, NULL);
    lb_heatmap map = {.values = (double[]){0.5}, .rows = 1, .columns = 1};
    lb_panel panel = lb_heatmap_panel(&map);
    lb_figure figure = {.panels = &panel, .count = 1};
    lb_canvas *one = support_draw(figure);
    figure.font = bold;
    lb_canvas *other = support_draw(figure);
    bool same = lb_canvas_about(one)->width == lb_canvas_about(other)->width;
    for (int y = 0; y < lb_canvas_about(one)->height && same; y++)
        for (int x = 0; x < lb_canvas_about(one)->width && same; x++)
            same = lb_canvas_pixel(one, x, y).red == lb_canvas_pixel(other, x, y).red;
    ck_assert(!same);
    lb_canvas_free(one);
    lb_canvas_free(other);
    lb_font_close(bold);
}
END_TEST

START_TEST(test_draw_impossible_figure_is_an_argument_error)
{
    static const char empty[] = "figure: found no panels", blurred[] = "figure: dpi must be from 10 to 1200";
    const struct {
        lb_figure figure;
        const char *message;
    } cases[] = {{{.panels = NULL, .count = 1}, empty},
                 {{.panels = panels, .count = 0, .dpi = 1200}, empty},
                 {{.panels = panels, .count = 0, .dpi = 10}, empty},
                 {{.panels = panels, .count = 1, .dpi = -3}, blurred},
                 {{.panels = panels, .count = 1, .dpi = 5000}, blurred}};
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_error error = {0};
        ck_assert_ptr_null(lb_figure_draw(&cases[i].figure, LB_FORMAT_PNG, &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert_str_eq(error.message, cases[i].message);
    }
}
END_TEST

START_TEST(test_draw_too_large_figure_is_an_argument_error)
{
    probes[0].wanted.width = 1e12;
    lb_error error = {0};
    ck_assert_ptr_null(lb_figure_draw(&(lb_figure){.panels = panels, .count = 1}, LB_FORMAT_PNG, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, NULL);
}
