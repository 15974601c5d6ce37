/* The chart of a comparison on pairs: what the models are chosen by, for each combination, with its 95 % interval over
 * the seeds. */
#include "compare/comparison.h"

#include "io/path.h"
#include "plot/axis.h"
#include "plot/figure.h"

#include <math.h>

/* Sizes in points. */
static const double width = 720, measure_height = 13, row_gap = 11, margin = 14, legend_height = 26,
                    axis_height = 46, widest_name = 300;
static const double radius = 4, whisker = 1.6, cap = 7, tick_length = 3.5, thin = 0.8, entry_gap = 20;

enum { TICKS = 11 };

typedef struct intervals {
    const app_result_table *table;
    app_chosen_by by;
    int measures; /* dev, and the tests if they are measured by the same */
    double most;  /* at the right end of the axis */
} intervals;

/* In the unit of the axis. */
static app_mean mean_of(const intervals *chart, size_t i, int measure)
{
    const int column = measure == 0 ? chart->by.column : APP_TESTS + measure - 1;
    app_mean mean = app_result_table_mean(chart->table, i, column);
    mean.mean *= chart->by.unit;
    mean.half *= chart->by.unit;
    return mean;
}

static intervals intervals_of(const app_result_table *table)
{
    intervals chart = {.table = table, .by = app_result_table_choice(table), .measures = 1};
    if (chart.by.column != APP_DEV_LOSS) chart.most = 100;
    if (chart.by.column == APP_EXACT) {
        chart.measures += app_result_table_tests(table);
        return chart;
    }
    for (size_t i = 0; i < table->count; i++) {
        const app_mean mean = mean_of(&chart, i, 0);
        chart.most = fmax(chart.most, fmax(mean.mean, mean.mean + mean.half));
    }
    if (!(chart.most > 0)) chart.most = 1;
    return chart;
}

static const char *measure_name(const app_result_table *table, int measure)
{
    return measure == 0 ? "dev" : table->settings->test[measure - 1].name;
}

static double row_height(const intervals *chart)
{
    return (double)chart->measures * measure_height + row_gap;
}

static lb_size chart_size(const void *content, const lb_style *style)
{
    const intervals *chart = content;
    double height = 2 * margin + (chart->measures > 1 ? legend_height : 0) +
                    (double)chart->table->count * row_height(chart) + axis_height;
    return (lb_size){round(width * style->point), round(height * style->point)};
}

static lb_fitted_text fit_name(const lb_style *style, const char *name)
{
    double size = LB_SIZE_TICK * style->point;
    return lb_text_fit(style->regular, (lb_text_room){widest_name * style->point, 1, size, size * 0.7}, name);
}

static void draw_point(lb_canvas *canvas, int64_t index, lb_point at, double size)
{
    lb_marker_draw(canvas, index, at, size, (lb_share){0, 1}, lb_color_series((int)index));
}

static void draw_legend(const intervals *chart, const lb_style *style, lb_canvas *canvas, lb_point middle)
{
    const app_result_table *table = chart->table;
    const double p = style->point;
    lb_text_style look = lb_style_label(style, LB_ALIGN_LEFT, LB_VALIGN_MIDDLE, lb_rgb(0x262626));
    double all = -entry_gap * p;
    for (int m = 0; m < chart->measures; m++)
        all += lb_text_measure(look.font, look.size, measure_name(table, m)).width +
               (3 * radius + entry_gap) * p;
    double x = middle.x - all / 2;
    for (int m = 0; m < chart->measures; m++) {
        draw_point(canvas, m, (lb_point){x + radius * p, middle.y}, radius * p);
        x += 3 * radius * p;
        lb_text_draw(canvas, &look, (lb_point){x, middle.y}, measure_name(table, m));
        x += lb_text_measure(look.font, look.size, measure_name(table, m)).width + entry_gap * p;
    }
}

/* Lines at round numbers, and what they are, below. */
static void draw_axis(const intervals *chart, const lb_style *style, lb_canvas *canvas, lb_rect plot)
{
    const double p = style->point, line = lb_style_pixels(style, thin), bottom = plot.y + plot.height;
    const lb_ticks ticks = lb_ticks_linear(0, chart->most, TICKS);
    lb_text_style look = lb_style_label(style, LB_ALIGN_CENTER, LB_VALIGN_TOP, lb_rgb(0x262626));
    char text[APP_LABEL + LB_TICK_TEXT];
    for (int i = 0; i < ticks.count; i++) {
        double x = round(plot.x + ticks.value[i] / chart->most * plot.width);
        lb_canvas_rect(canvas, (lb_rect){x, plot.y, line, plot.height}, lb_rgb(0xdddddd));
        lb_text_draw(canvas, &look, (lb_point){x, bottom + 2 * tick_length * p},
                     lb_tick_format(&ticks, i, text));
    }
    lb_canvas_border(canvas, plot, line, lb_rgb(0x262626));
    look.font = style->bold;
    look.size = LB_SIZE_AXIS * p;
    snprintf(text, sizeof text, "%s%s%s", chart->by.axis, chart->by.unit == 100 ? ", %" : "",
             chart->table->seeds > 1 ? ": mean over the seeds, with its 95 % interval" : "");
    lb_text_draw(canvas, &look, (lb_point){plot.x + plot.width / 2, bottom + 24 * p}, text);
}

/* The part of the interval that is in the plot; a point alone has none. */
static void draw_mean(const app_mean *mean, double most, int64_t index, const lb_style *style,
                      lb_canvas *canvas, lb_rect plot, double y)
{
    const double p = style->point, unit = plot.width / most;
    const lb_color color = lb_color_series((int)index);
    if (isnan(mean->mean)) return;
    if (!isnan(mean->half)) {
        const double ends[] = {mean->mean - mean->half, mean->mean + mean->half};
        double from = plot.x + fmax(ends[0], 0) * unit, to = plot.x + fmin(ends[1], most) * unit;
        lb_canvas_line(canvas, (lb_point){from, y}, (lb_point){to, y}, whisker * p, color);
        for (int end = 0; end < 2; end++) {
            double x = end ? to : from;
            if (ends[end] < 0 || ends[end] > most) continue; /* it goes on */
            lb_canvas_line(canvas, (lb_point){x, y - cap / 2 * p}, (lb_point){x, y + cap / 2 * p},
                           whisker * p, color);
        }
    }
    draw_point(canvas, index, (lb_point){plot.x + mean->mean * unit, y}, radius * p);
}

static void draw_chart(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const intervals *chart = content;
    const app_result_table *table = chart->table;
    const double p = style->point, row = row_height(chart) * p;
    double names = 0, top = area.y + margin * p;
    for (size_t i = 0; i < table->count; i++)
        names = fmax(names, fit_name(style, app_result_table_name(table, i)).extent.width);
    double left = round(area.x + 2 * margin * p + names);
    if (chart->measures > 1) top += legend_height * p;
    lb_rect plot = {left, round(top), round(area.x + area.width - 2 * margin * p) - left,
                    round((double)table->count * row)};
    if (chart->measures > 1)
        draw_legend(chart, style, canvas,
                    (lb_point){plot.x + plot.width / 2, area.y + (margin + legend_height / 3) * p});
    draw_axis(chart, style, canvas, plot);
    for (size_t i = 0; i < table->count; i++) {
        const double y = plot.y + (double)i * row;
        const lb_fitted_text name = fit_name(style, app_result_table_name(table, i));
        lb_fitted_text_draw(canvas, lb_style_label(style, LB_ALIGN_RIGHT, LB_VALIGN_MIDDLE, lb_rgb(0x262626)),
                            (lb_point){plot.x - 10 * p, y + row / 2}, &name);
        if (i > 0)
            lb_canvas_rect(canvas, (lb_rect){plot.x, round(y), plot.width, lb_style_pixels(style, thin)},
                           lb_rgb(0xdddddd));
        for (int m = 0; m < chart->measures; m++) {
            const app_mean mean = mean_of(chart, i, m);
            draw_mean(&mean, chart->most, m, style, canvas, plot,
                      y + (row_gap / 2 + (m + 0.5) * measure_height) * p);
        }
    }
}

lb_status app_draw_intervals(const app_result_table *table, const char *path, lb_error *error)
{
    const intervals chart = intervals_of(table);
    const lb_panel panel = {.content = &chart, .measure = chart_size, .draw = draw_chart};
    const lb_figure figure = {.panels = &panel, .count = 1};
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : lb_figure_save(&figure, path, error);
}
