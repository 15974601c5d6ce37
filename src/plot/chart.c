#include "lookback/plot.h"

#include "plot/chart_axis.h"
#include "plot/figure.h"
#include "plot/fitted_text.h"

#include <math.h>
#include <stdio.h>

/* Points. */
static const double single_width = 720, single_height = 432, shared_width = 504, shared_height = 324;
static const double tick_length = 3.5, tick_gap = 3.5, axis_gap = 7, title_gap = 11, line_width = 1.6;
static const double swatch = 22, swatch_gap = 6, entry_gap = 20, dot = 5, thin = 0.8;
static const double inset = 5; /* between frame and data, so that the frame covers no line */
static const double marker_radius = 4, marker_gap = 14;

/* A chart being drawn. */
typedef struct drawing {
    const lb_chart *chart;
    const lb_style *style;
    lb_canvas *canvas;
    lb_rect frame; /* inside its lines; whole pixels */
    lb_rect plot;  /* from limit to limit */
    lb_axis_scale x, left, right;
    bool marked; /* markers tell lines apart that cover each other */
} drawing;

static const char *wrong_with(const lb_chart *chart)
{
    const char *wrong = lb_axis_wrong(&chart->x);
    if (!wrong) wrong = lb_axis_wrong(&chart->left);
    if (!wrong) wrong = lb_axis_wrong(&chart->right);
    if (chart->count && !chart->series) wrong = "chart: found no series";
    for (int64_t s = 0; s < chart->count && !wrong; s++)
        if (chart->series[s].count && !chart->series[s].y) wrong = "chart: a series has no values";
    return wrong;
}

static lb_size measure(const void *content, const lb_style *style)
{
    const lb_chart *chart = content;
    double width = chart->width > 0 ? chart->width : style->single ? single_width : shared_width;
    double height = chart->height > 0 ? chart->height : style->single ? single_height : shared_height;
    return (lb_size){round(width * style->point), round(height * style->point)};
}

static lb_text_style tick_look(const lb_style *style, lb_color ink)
{
    return (lb_text_style){.font = style->regular, .size = LB_SIZE_TICK * style->point, .color = ink};
}

/* Finds the legend entries that fit into one line, from `*next` on; which moves past them. Returns their width. */
static double legend_line(const lb_chart *chart, const lb_style *style, double room, int64_t *next)
{
    double p = style->point, width = 0;
    for (; *next < chart->count; (*next)++) {
        const char *name = chart->series[*next].name;
        if (!name) continue;
        double entry =
            (swatch + swatch_gap) * p + lb_text_measure(style->regular, LB_SIZE_TICK * p, name).width;
        double longer = width > 0 ? width + entry_gap * p + entry : entry;
        if (width > 0 && longer > room) break;
        width = longer;
    }
    return width;
}

enum { CORNERS = 16 };

/* A marker: a regular polygon, or a star if every second corner is `inner`. Turned by an angle in degrees; at 0, a
 * corner is above. */
typedef struct marker {
    int corners;
    double turn, inner, scale;
} marker;

static const marker markers[] = {
    {16, 0, 1, 1},       /* circle */
    {4, 45, 1, 1.25},    /* square */
    {3, 0, 1, 1.35},     /* triangle */
    {4, 0, 1, 1.25},     /* diamond */
    {3, 180, 1, 1.35},   /* triangle, downwards */
    {10, 0, 0.45, 1.45}, /* star */
    {8, 45, 0.35, 1.45}, /* cross */
};

static void fill_marker(lb_canvas *canvas, const marker *s, lb_point center, double radius, lb_color color)
{
    lb_point corner[CORNERS];
    for (int i = 0; i < s->corners; i++) {
        double angle = (s->turn + 360.0 * i / s->corners) * 3.14159265358979323846 / 180;
        double length = radius * s->scale * (i % 2 ? s->inner : 1);
        corner[i] = (lb_point){center.x + length * sin(angle), center.y - length * cos(angle)};
    }
    lb_canvas_polygon(canvas, corner, (size_t)s->corners, color);
}

/* Draws the marker of series `index`, in its colour on a white rim; shapes repeat after seven. */
static void draw_marker(lb_canvas *canvas, int64_t index, lb_point center, double radius, lb_color color)
{
    const marker *s = &markers[(size_t)index % (sizeof markers / sizeof *markers)];
    fill_marker(canvas, s, center, 1.35 * radius, lb_rgb(0xFFFFFF));
    fill_marker(canvas, s, center, radius, color);
}

/* Draws the legend with its top at `y`, or only measures it if there is no canvas; returns its height. */
static double legend(const drawing *d, lb_canvas *canvas, lb_rect area, double y)
{
    const lb_chart *chart = d->chart;
    double p = d->style->point, line = 1.6 * LB_SIZE_TICK * p, height = 0;
    lb_text_style look = tick_look(d->style, lb_rgb(0x262626));
    look.valign = LB_VALIGN_MIDDLE;
    for (int64_t first = 0, next = 0; next < chart->count; first = next) {
        double width = legend_line(chart, d->style, area.width, &next);
        if (width == 0) break;
        double x = area.x + (area.width - width) / 2, middle = round(y + height + line / 2);
        for (int64_t s = first; s < next && canvas; s++) {
            if (!chart->series[s].name) continue;
            lb_color color = lb_series_color(chart, s);
            lb_point from = {x, middle}, center = {x + swatch * p / 2, middle}, to = {x + swatch * p, middle};
            lb_canvas_line(canvas, from, to, line_width * p, color);
            if (d->marked) draw_marker(canvas, s, center, marker_radius * p, color);
            x += (swatch + swatch_gap) * p;
            lb_text_draw(canvas, &look, (lb_point){x, middle}, chart->series[s].name);
            x += lb_text_measure(look.font, look.size, chart->series[s].name).width + entry_gap * p;
        }
        height += line;
    }
    return ceil(height);
}

/* The title of an axis, no longer than that. */
static void draw_axis_title(const drawing *d, lb_text_style look, lb_point at, double length,
                            const char *title)
{
    double size = LB_SIZE_AXIS * d->style->point;
    lb_fitted_text fitted = lb_text_fit(d->style->bold, (lb_text_room){length, 1, size, size / 2}, title);
    look.font = d->style->bold;
    lb_fitted_text_draw(d->canvas, look, at, &fitted);
}

static void draw_x_axis(const drawing *d)
{
    double p = d->style->point, line = lb_style_pixels(d->style, thin);
    double tick = lb_style_pixels(d->style, tick_length), bottom = d->frame.y + d->frame.height;
    lb_text_style look = tick_look(d->style, d->x.ink);
    look.align = LB_ALIGN_CENTER;
    look.valign = LB_VALIGN_TOP;
    for (int i = 0; i < d->x.ticks.count; i++) {
        double x = d->plot.x + lb_axis_position(&d->x, d->x.ticks.value[i]) * d->plot.width;
        lb_canvas_rect(d->canvas, (lb_rect){round(x - line / 2), bottom, line, tick}, d->x.ink);
        char text[LB_TICK_TEXT];
        lb_text_draw(d->canvas, &look, (lb_point){x, bottom + tick + tick_gap * p - 0.15 * look.size},
                     lb_tick_format(&d->x.ticks, i, text));
    }
    look.color = lb_rgb(0x000000);
    double y = bottom + tick + (tick_gap + LB_SIZE_TICK * 1.1 + axis_gap) * p;
    draw_axis_title(d, look, (lb_point){d->plot.x + d->plot.width / 2, y}, d->frame.width, d->chart->x.label);
}

static void draw_y_axis(const drawing *d, const lb_axis_scale *scale, const char *label, bool right)
{
    double p = d->style->point, line = lb_style_pixels(d->style, thin);
    double tick = lb_style_pixels(d->style, tick_length), sign = right ? 1 : -1;
    double edge = right ? d->frame.x + d->frame.width : d->frame.x;
    lb_text_style look = tick_look(d->style, scale->ink);
    look.align = right ? LB_ALIGN_LEFT : LB_ALIGN_RIGHT;
    look.valign = LB_VALIGN_MIDDLE;
    for (int i = 0; i < scale->ticks.count; i++) {
        double y = d->plot.y + (1 - lb_axis_position(scale, scale->ticks.value[i])) * d->plot.height;
        double top = round(y - line / 2);
        lb_canvas_rect(d->canvas, (lb_rect){right ? edge : edge - tick, top, tick, line}, scale->ink);
        char text[LB_TICK_TEXT];
        lb_text_draw(d->canvas, &look, (lb_point){edge + sign * (tick + tick_gap * p), top + line / 2},
                     lb_tick_format(&scale->ticks, i, text));
    }
    look.angle = right ? 270 : 90;
    look.align = LB_ALIGN_CENTER;
    look.valign = LB_VALIGN_BOTTOM;
    double away = tick + (tick_gap + axis_gap) * p + lb_ticks_width(&scale->ticks, d->style);
    if (!d->right.used) look.color = lb_rgb(0x000000);
    lb_point at = {edge + sign * away, d->plot.y + d->plot.height / 2};
    draw_axis_title(d, look, at, d->frame.height, label);
}

/* The position of a point; false if it cannot be drawn or does not exist, as before the first and after the last. */
static bool place_point(const drawing *d, const lb_series *series, int64_t i, lb_point *at)
{
    if (i < 0 || i >= series->count) return false;
    double x = lb_axis_position(&d->x, lb_series_x(series, i));
    double y = lb_axis_position(series->right ? &d->right : &d->left, series->y[i]);
    *at = (lb_point){d->plot.x + x * d->plot.width, d->plot.y + (1 - y) * d->plot.height};
    return isfinite(x) && isfinite(y);
}

static void draw_series(const drawing *d, int64_t index)
{
    const lb_series *series = &d->chart->series[index];
    lb_color color = lb_series_color(d->chart, index);
    lb_point at, other;
    for (int64_t i = 0; i < series->count; i++) {
        if (!place_point(d, series, i, &at)) continue;
        if (place_point(d, series, i - 1, &other))
            lb_canvas_line_to(d->canvas, at);
        else if (place_point(d, series, i + 1, &other))
            lb_canvas_move_to(d->canvas, at);
    }
    lb_canvas_stroke(d->canvas, line_width * d->style->point, color);
    for (int64_t i = 0; i < series->count; i++) {
        bool joined = place_point(d, series, i - 1, &other) || place_point(d, series, i + 1, &other);
        if (!joined && place_point(d, series, i, &at))
            lb_canvas_line(d->canvas, at, at, dot * d->style->point, color);
    }
}

/* Whether half of the points that two series have at the same places are drawn on each other. */
static bool cover(const drawing *d, const lb_series *a, const lb_series *b)
{
    int64_t both = 0, covered = 0;
    lb_point p, q;
    for (int64_t i = 0; i < a->count && i < b->count; i++) {
        if (!place_point(d, a, i, &p) || !place_point(d, b, i, &q)) continue;
        both++;
        covered += hypot(p.x - q.x, p.y - q.y) < line_width * d->style->point;
    }
    return covered > 1 && 2 * covered >= both;
}

static bool any_cover(const drawing *d)
{
    const lb_series *series = d->chart->series;
    for (int64_t b = 1; b < d->chart->count; b++)
        for (int64_t a = 0; a < b; a++)
            if (cover(d, &series[a], &series[b])) return true;
    return false;
}

/* The series take turns, so that the markers of lines that cover each other are side by side. */
static void draw_markers(const drawing *d, int64_t index)
{
    const lb_series *series = &d->chart->series[index];
    double p = d->style->point;
    lb_point at;
    int64_t drawn = 0, nth = 0, step = 1;
    for (int64_t i = 0; i < series->count; i++) drawn += place_point(d, series, i, &at);
    if (drawn == 0) return;
    while ((double)step * d->plot.width < marker_gap * p * (double)drawn) step++;
    int64_t places = (drawn + step - 1) / step, turns = d->chart->count < places ? d->chart->count : places;
    for (int64_t i = 0; i < series->count; i++) {
        if (!place_point(d, series, i, &at)) continue;
        if (nth % step == 0 && nth / step % turns == index % turns)
            draw_marker(d->canvas, index, at, marker_radius * p, lb_series_color(d->chart, index));
        nth++;
    }
}

static void draw_grid(const drawing *d, const lb_axis_scale *scale)
{
    double line = lb_style_pixels(d->style, thin);
    for (int i = 0; i < scale->ticks.count; i++) {
        double y = d->plot.y + (1 - lb_axis_position(scale, scale->ticks.value[i])) * d->plot.height;
        lb_canvas_rect(d->canvas, (lb_rect){d->frame.x, round(y - line / 2), d->frame.width, line},
                       lb_rgb(0xE6E6E6));
    }
}

/* Chooses the limits, the ticks and the area of the plot. */
static void arrange(drawing *d, lb_rect area)
{
    double p = d->style->point, tick = (tick_length + tick_gap) * p;
    double axis_line = lb_text_measure(d->style->bold, LB_SIZE_AXIS * p, "x").height + axis_gap * p;
    double title = 0;
    if (d->chart->title)
        title =
            lb_text_measure(d->style->bold, LB_SIZE_TITLE * p, d->chart->title).height + title_gap * p / 2;
    double legend_height = legend(d, NULL, area, 0);
    double top =
        ceil(fmax(title + legend_height + (legend_height > 0 ? 4 : title_gap / 2) * p, LB_SIZE_TICK * p));
    double bottom = ceil(tick + LB_SIZE_TICK * 1.2 * p + (d->chart->x.label ? axis_line : 0));
    double height = fmax(1, area.height - top - bottom);
    int rows = (int)(height / (3.6 * LB_SIZE_TICK * p));
    d->left = lb_axis_resolve(d->chart, LB_AXIS_LEFT, rows);
    d->right = lb_axis_resolve(d->chart, LB_AXIS_RIGHT, rows);
    bool left_side = d->left.used || !d->right.used;
    double half_label = 2 * LB_SIZE_TICK * p; /* of the last tick of the x axis */
    double left = half_label, right = half_label;
    if (left_side)
        left = tick + lb_ticks_width(&d->left.ticks, d->style) + (d->chart->left.label ? axis_line : 0);
    if (d->right.used)
        right = tick + lb_ticks_width(&d->right.ticks, d->style) + (d->chart->right.label ? axis_line : 0);
    double width = fmax(1, area.width - ceil(left) - ceil(right));
    d->x = lb_axis_resolve(d->chart, LB_AXIS_X, (int)(width / (7 * LB_SIZE_TICK * p)));
    d->frame = (lb_rect){area.x + ceil(left), area.y + top, width, height};
    double room = fmin(round(inset * p), fmin(width, height) / 4);
    d->plot = (lb_rect){d->frame.x + room, d->frame.y + room, width - 2 * room, height - 2 * room};
}

static void draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    drawing d = {.chart = content, .style = style, .canvas = canvas};
    if (lb_canvas_refuses(canvas, wrong_with(d.chart))) return;
    arrange(&d, area);
    bool left_side = d.left.used || !d.right.used;
    double p = style->point, line = lb_style_pixels(style, thin), title = 0;
    draw_grid(&d, left_side ? &d.left : &d.right);
    lb_rect frame = {d.frame.x - line, d.frame.y - line, d.frame.width + 2 * line, d.frame.height + 2 * line};
    lb_canvas_border(canvas, frame, line, lb_rgb(0x262626));
    draw_x_axis(&d);
    if (left_side) draw_y_axis(&d, &d.left, d.chart->left.label, false);
    if (d.right.used) draw_y_axis(&d, &d.right, d.chart->right.label, true);

    lb_text_style look = {.font = style->bold, .size = LB_SIZE_TITLE * p, .align = LB_ALIGN_CENTER};
    look.valign = LB_VALIGN_TOP;
    if (d.chart->title) {
        lb_text_draw(canvas, &look, (lb_point){area.x + area.width / 2, area.y}, d.chart->title);
        title = lb_text_measure(look.font, look.size, d.chart->title).height + title_gap * p / 2;
    }
    d.marked = any_cover(&d);
    legend(&d, canvas, area, area.y + title);
    lb_canvas_clip(canvas, &d.frame);
    for (int64_t s = 0; s < d.chart->count; s++) draw_series(&d, s);
    for (int64_t s = 0; s < d.chart->count && d.marked; s++) draw_markers(&d, s);
    lb_canvas_clip(canvas, NULL);
}

lb_panel lb_chart_panel(const lb_chart *chart)
{
    return (lb_panel){.content = chart, .measure = measure, .draw = draw};
}

lb_status lb_chart_save(const lb_chart *chart, const char *path, lb_error *error)
{
    lb_panel panel = lb_chart_panel(chart);
    return lb_figure_save(&(lb_figure){.panels = &panel, .count = 1}, path, error);
}
