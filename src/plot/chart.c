/* Draws line charts, as panels of figures. */
#include "plot/axis.h"
#include "plot/figure.h"

#include <math.h>

/* Sizes in points, 1/72 inch. */
static const double single_width = 720, single_height = 432, shared_width = 504, shared_height = 324;
static const double tick_length = 3.5, tick_gap = 3.5, axis_gap = 7, title_gap = 11, line_width = 1.6;
static const double swatch = 22, swatch_gap = 6, entry_gap = 20, dot = 5, thin = 0.8;
static const double inset = 5; /* between frame and data, so that the frame covers no line */
static const double marker_radius = 4, marker_gap = 11, stripe = 6;

typedef struct drawing {
    const lb_chart *chart;
    const lb_style *style;
    lb_canvas *canvas;
    lb_rect frame; /* inside its lines; whole pixels */
    lb_rect plot;  /* from limit to limit */
    lb_axis_scale x, left, right;
    bool left_side;     /* the left axis is drawn */
    bool marked;        /* each point has a marker */
    double title_above; /* the height of the title, with its gap */
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

static lb_size chart_size(const void *content, const lb_style *style)
{
    const lb_chart *chart = content;
    double width = chart->width > 0 ? chart->width : style->single ? single_width : shared_width;
    double height = chart->height > 0 ? chart->height : style->single ? single_height : shared_height;
    return (lb_size){round(width * style->point), round(height * style->point)};
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

/* Draws the legend with its top at `y`, or only measures it if there is no canvas; returns its height. */
static double legend(const drawing *d, lb_canvas *canvas, lb_rect area, double y)
{
    const lb_chart *chart = d->chart;
    double p = d->style->point, line = 1.6 * LB_SIZE_TICK * p, height = 0;
    lb_text_style look =
        lb_style_label(d->style, LB_ALIGN_LEFT, LB_VALIGN_MIDDLE, lb_style_grey(d->style, 0x26));
    for (int64_t first = 0, next = 0; next < chart->count; first = next) {
        double width = legend_line(chart, d->style, area.width, &next);
        if (width == 0) break;
        double x = area.x + (area.width - width) / 2, middle = round(y + height + line / 2);
        for (int64_t s = first; s < next && canvas; s++) {
            if (!chart->series[s].name) continue;
            lb_color color = lb_series_color(chart, d->style, s);
            lb_point from = {x, middle}, center = {x + swatch * p / 2, middle}, to = {x + swatch * p, middle};
            lb_canvas_line(canvas, from, to, line_width * p, color);
            if (d->marked) lb_marker_draw(canvas, s, center, marker_radius * p, (lb_share){0, 1}, color);
            x += (swatch + swatch_gap) * p;
            lb_text_draw(canvas, &look, (lb_point){x, middle}, chart->series[s].name);
            x += lb_text_measure(look.font, look.size, chart->series[s].name).width + entry_gap * p;
        }
        height += line;
    }
    return ceil(height);
}

/* The title of an axis, no longer than `length`. */
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
    lb_text_style look = lb_style_label(d->style, LB_ALIGN_CENTER, LB_VALIGN_TOP, d->x.ink);
    for (int i = 0; i < d->x.ticks.count; i++) {
        double x = d->plot.x + lb_axis_position(&d->x, d->x.ticks.value[i]) * d->plot.width;
        lb_canvas_rect(d->canvas, (lb_rect){round(x - line / 2), bottom, line, tick}, d->x.ink);
        char text[LB_TICK_TEXT];
        lb_text_draw(d->canvas, &look, (lb_point){x, bottom + tick + tick_gap * p - 0.15 * look.size},
                     lb_tick_format(&d->x.ticks, i, text));
    }
    look.color = lb_style_grey(d->style, 0);
    double y = bottom + tick + (tick_gap + LB_SIZE_TICK * 1.1 + axis_gap) * p;
    draw_axis_title(d, look, (lb_point){d->plot.x + d->plot.width / 2, y}, d->frame.width, d->chart->x.label);
}

static void draw_y_axis(const drawing *d, const lb_axis_scale *scale, const char *label, bool right)
{
    double p = d->style->point, line = lb_style_pixels(d->style, thin);
    double tick = lb_style_pixels(d->style, tick_length), sign = right ? 1 : -1;
    double edge = right ? d->frame.x + d->frame.width : d->frame.x;
    const lb_align beside = right ? LB_ALIGN_LEFT : LB_ALIGN_RIGHT;
    lb_text_style look = lb_style_label(d->style, beside, LB_VALIGN_MIDDLE, scale->ink);
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
    if (!d->right.used) look.color = lb_style_grey(d->style, 0);
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

/* The share of a series in what is drawn at point i. The others there are less than `near` away from it, and so are
 * their points before, if `line` asks for those who share the line between the two. */
static lb_share share_at(const drawing *d, int64_t index, int64_t i, double near, bool line)
{
    const lb_series *series = d->chart->series;
    lb_share share = {0, 0};
    for (int64_t s = 0; s < d->chart->count; s++) {
        bool same = true;
        for (int64_t k = line ? i - 1 : i; k <= i && s != index; k++) {
            lb_point own, other;
            same = same && place_point(d, &series[index], k, &own) && place_point(d, &series[s], k, &other) &&
                   hypot(own.x - other.x, own.y - other.y) < near;
        }
        share.count += same;
        share.rank += same && s < index;
    }
    return share;
}

/* Adds to the path what a share of a line has: every n-th of its stripes, counted from the edge of the canvas. */
static void add_stripes(const drawing *d, lb_point from, lb_point to, lb_share share)
{
    bool steep = fabs(to.y - from.y) > fabs(to.x - from.x);
    double a = steep ? from.y : from.x, b = steep ? to.y : to.x;
    double least = steep ? d->frame.y : d->frame.x;
    double most = least + (steep ? d->frame.height : d->frame.width);
    double low = fmax(fmin(a, b), least), high = fmin(fmax(a, b), most);
    double length = stripe * d->style->point, period = length * (double)share.count;
    for (double n = floor(low / period); n * period < high; n++) {
        double begin = fmax(low, n * period + length * (double)share.rank);
        double end = fmin(high, n * period + length * (double)(share.rank + 1));
        if (begin >= end) continue;
        double u = (begin - a) / (b - a), v = (end - a) / (b - a);
        lb_canvas_move_to(d->canvas, (lb_point){from.x + u * (to.x - from.x), from.y + u * (to.y - from.y)});
        lb_canvas_line_to(d->canvas, (lb_point){from.x + v * (to.x - from.x), from.y + v * (to.y - from.y)});
    }
}

/* Lines that cover each other take turns, in stripes. */
static void draw_series(const drawing *d, int64_t index)
{
    const lb_series *series = &d->chart->series[index];
    lb_color color = lb_series_color(d->chart, d->style, index);
    double width = line_width * d->style->point;
    bool joined = false; /* the path ends at the point before */
    lb_point at, other;
    for (int64_t i = 0; i < series->count; i++) {
        bool before = place_point(d, series, i - 1, &other);
        if (!place_point(d, series, i, &at)) continue;
        lb_share share = before ? share_at(d, index, i, width, true) : (lb_share){0, 1};
        if (share.count > 1)
            add_stripes(d, other, at, share);
        else if (before && !joined)
            lb_canvas_move_to(d->canvas, other);
        joined = before && share.count == 1;
        if (joined) lb_canvas_line_to(d->canvas, at);
    }
    lb_canvas_stroke(d->canvas, width, color);
    for (int64_t i = 0; i < series->count && !d->marked; i++) {
        bool alone = !place_point(d, series, i - 1, &other) && !place_point(d, series, i + 1, &other);
        if (alone && place_point(d, series, i, &at))
            lb_canvas_line(d->canvas, at, at, dot * d->style->point, color);
    }
}

/* Whether the points of each series are far enough from each other for markers. */
static bool has_room_for_markers(const drawing *d)
{
    int64_t most = 0;
    for (int64_t s = 0; s < d->chart->count; s++)
        if (d->chart->series[s].count > most) most = d->chart->series[s].count;
    return (double)(most - 1) * marker_gap * d->style->point <= d->plot.width;
}

/* Markers that would hide each other share one: each has a sector. All rims are drawn first: none covers a marker. */
static void draw_markers(const drawing *d, bool rims)
{
    double radius = marker_radius * d->style->point;
    lb_color paper = lb_style_grey(d->style, 255);
    lb_point at;
    for (int64_t s = 0; s < d->chart->count; s++) {
        const lb_series *series = &d->chart->series[s];
        for (int64_t i = 0; i < series->count; i++) {
            if (!place_point(d, series, i, &at)) continue;
            lb_share share = share_at(d, s, i, radius / 2, false);
            if (rims)
                lb_marker_draw(d->canvas, share.count > 1 ? 0 : s, at, 1.35 * radius, (lb_share){0, 1},
                               paper);
            else
                lb_marker_draw(d->canvas, s, at, radius, share, lb_series_color(d->chart, d->style, s));
        }
    }
}

static void draw_grid(const drawing *d, const lb_axis_scale *scale)
{
    double line = lb_style_pixels(d->style, thin);
    for (int i = 0; i < scale->ticks.count; i++) {
        double y = d->plot.y + (1 - lb_axis_position(scale, scale->ticks.value[i])) * d->plot.height;
        lb_canvas_rect(d->canvas, (lb_rect){d->frame.x, round(y - line / 2), d->frame.width, line},
                       lb_style_grey(d->style, 0xE6));
    }
}

/* Chooses the limits, the ticks and the area of the plot. */
static void arrange(drawing *d, lb_rect area)
{
    double p = d->style->point, tick = (tick_length + tick_gap) * p;
    double axis_line = lb_text_measure(d->style->bold, LB_SIZE_AXIS * p, "x").height + axis_gap * p;
    const char *title = d->chart->title;
    if (title)
        d->title_above = lb_text_measure(d->style->bold, LB_SIZE_TITLE * p, title).height + title_gap * p / 2;
    double legend_height = legend(d, NULL, area, 0);
    double top = ceil(
        fmax(d->title_above + legend_height + (legend_height > 0 ? 4 : title_gap / 2) * p, LB_SIZE_TICK * p));
    double bottom = ceil(tick + LB_SIZE_TICK * 1.2 * p + (d->chart->x.label ? axis_line : 0));
    double height = fmax(1, area.height - top - bottom);
    int rows = (int)(height / (3.6 * LB_SIZE_TICK * p));
    d->left = lb_axis_resolve(d->chart, d->style, LB_AXIS_LEFT, rows);
    d->right = lb_axis_resolve(d->chart, d->style, LB_AXIS_RIGHT, rows);
    d->left_side = d->left.used || !d->right.used;
    double half_label = 2 * LB_SIZE_TICK * p; /* of the last tick of the x axis */
    double left = half_label, right = half_label;
    if (d->left_side)
        left = tick + lb_ticks_width(&d->left.ticks, d->style) + (d->chart->left.label ? axis_line : 0);
    if (d->right.used)
        right = tick + lb_ticks_width(&d->right.ticks, d->style) + (d->chart->right.label ? axis_line : 0);
    double width = fmax(1, area.width - ceil(left) - ceil(right));
    d->x = lb_axis_resolve(d->chart, d->style, LB_AXIS_X, (int)(width / (7 * LB_SIZE_TICK * p)));
    d->frame = (lb_rect){area.x + ceil(left), area.y + top, width, height};
    double room = fmin(round(inset * p), fmin(width, height) / 4);
    d->plot = (lb_rect){d->frame.x + room, d->frame.y + room, width - 2 * room, height - 2 * room};
}

static void draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    drawing d = {.chart = content, .style = style, .canvas = canvas};
    if (lb_canvas_refuses(canvas, wrong_with(d.chart))) return;
    arrange(&d, area);
    double line = lb_style_pixels(style, thin);
    draw_grid(&d, d.left_side ? &d.left : &d.right);
    lb_rect frame = {d.frame.x - line, d.frame.y - line, d.frame.width + 2 * line, d.frame.height + 2 * line};
    lb_canvas_border(canvas, frame, line, lb_style_grey(style, 0x26));
    draw_x_axis(&d);
    if (d.left_side) draw_y_axis(&d, &d.left, d.chart->left.label, false);
    if (d.right.used) draw_y_axis(&d, &d.right, d.chart->right.label, true);

    lb_text_style look = lb_style_title(style);
    if (d.chart->title)
        lb_text_draw(canvas, &look, (lb_point){area.x + area.width / 2, area.y}, d.chart->title);
    d.marked = has_room_for_markers(&d);
    legend(&d, canvas, area, area.y + d.title_above);
    lb_canvas_clip(canvas, &d.frame);
    for (int64_t s = 0; s < d.chart->count; s++) draw_series(&d, s);
    if (d.marked) draw_markers(&d, true);
    if (d.marked) draw_markers(&d, false);
    lb_canvas_clip(canvas, NULL);
}

lb_panel lb_chart_panel(const lb_chart *chart)
{
    return (lb_panel){.content = chart, .measure = chart_size, .draw = draw};
}

lb_status lb_chart_save(const lb_chart *chart, const char *path, lb_error *error)
{
    lb_panel panel = lb_chart_panel(chart);
    return lb_figure_save(&(lb_figure){.panels = &panel, .count = 1}, path, error);
}
