#include "plot/heatmap_layout.h"

#include "base/format.h"
#include "plot/canvas.h"
#include "plot/color_bar.h"
#include "plot/panel.h"
#include "plot/text.h"

#include <math.h>
#include <stdio.h>

lb_color_bar lb_heatmap_scale(const lb_heatmap *map)
{
    lb_color_bar bar = {.min = 0, .max = 1, .colormap = map->colormap, .label = map->bar_label};
    if (map->range == LB_RANGE_GIVEN) {
        bar.min = map->min;
        bar.max = map->max;
    }
    if (map->range != LB_RANGE_DATA) return bar;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        if (!isfinite(map->values[i])) continue;
        low = fmin(low, map->values[i]);
        high = fmax(high, map->values[i]);
    }
    if (!(low <= high)) return bar;
    double widen = low < high ? 0 : fmax(0.5, fabs(low) / 2);
    bar.min = low - widen;
    bar.max = high + widen;
    return bar;
}

const lb_heatmap_gaps lb_heatmap_gap = {.tick = 3.5, .label = 4, .axis = 7, .title = 11, .bar = 14};

/* Points. */
static const double single_span = 576,
                    shared_span = 400;                  /* preferred length of the longer side of all cells */
static const double single_cell = 58, shared_cell = 50; /* the largest cell */
static const double readable_cell = 11, smallest_cell = 1.5;
static const double least_gridded = 16; /* pixels */
static const double smallest_label = 6, thinned_label = 8.5, smallest_text = 6;

const char *lb_heatmap_wrong(const lb_heatmap *map)
{
    if (!map->values || map->rows == 0 || map->columns == 0) return "heat map: there are no values";
    if (map->rows > LB_CANVAS_MAX_SIDE || map->columns > LB_CANVAS_MAX_SIDE)
        return "heat map: found more rows or columns than a picture has pixels";
    bool rising = isfinite(map->min) && isfinite(map->max) && map->min < map->max;
    if (map->range == LB_RANGE_GIVEN && !rising) return "heat map: min must be less than max";
    return NULL;
}

const char *lb_heatmap_label(const char *const *labels, size_t index, char buffer[LB_CELL_LABEL])
{
    if (labels) return labels[index] ? labels[index] : "";
    snprintf(buffer, LB_CELL_LABEL, "%zu", index);
    return buffer;
}

const char *lb_heatmap_cell_text(double value, char buffer[LB_CELL_LABEL])
{
    if (fabs(value) < 0.005) value = 0; /* no "-0.00" */
    lb_snprintf(buffer, LB_CELL_LABEL, fabs(value) < 1e5 ? "%.2f" : "%.1e", value);
    return buffer;
}

const char *lb_heatmap_cell_label(const lb_heatmap *map, size_t index)
{
    return map->cell_labels && map->cell_labels[index] ? map->cell_labels[index] : "";
}

lb_text_style lb_heatmap_column_style(const lb_heatmap_layout *l, const lb_style *style)
{
    return (lb_text_style){.font = style->regular,
                           .size = l->label_size,
                           .angle = l->slanted ? 45 : 0,
                           .align = l->slanted ? LB_ALIGN_RIGHT : LB_ALIGN_CENTER,
                           .valign = l->slanted ? LB_VALIGN_MIDDLE : LB_VALIGN_TOP,
                           .color = lb_rgb(0x262626)};
}

/* Single characters stand upright. Among longer labels they do what those do, which stand upright if all fit. */
static bool slants(const lb_heatmap *map, const lb_style *style, double cell)
{
    double size = LB_SIZE_TICK * style->point, widest = 0;
    size_t single = 0;
    for (size_t i = 0; i < map->columns; i++) {
        char buffer[LB_CELL_LABEL];
        const char *label = lb_heatmap_label(map->column_labels, i, buffer);
        single += lb_text_is_one_character(label);
        widest = fmax(widest, lb_text_measure(style->regular, size, label).width);
    }
    if (map->slant != LB_LABEL_SLANTED || single == map->columns) return false;
    return single == 0 || widest + size / 2 > cell;
}

static double cell_side(const lb_heatmap *map, const lb_style *style)
{
    double p = style->point, count = (double)(map->rows > map->columns ? map->rows : map->columns);
    if (map->cell > 0) return fmax(1, round(map->cell * p));
    double span = (style->single ? single_span : shared_span) * p;
    double side = fmin(span / count, (style->single ? single_cell : shared_cell) * p);
    if (side < readable_cell * p) side = fmin(readable_cell * p, 1.4 * span / count);
    return fmax(floor(side), fmax(1, floor(smallest_cell * p)));
}

/* The first of 1, 2, 5, 10, 20 ... that is at least `least`. */
static size_t nice_every(double least)
{
    size_t power = 1;
    least -= 1e-9; /* rounding */
    for (;; power *= 10) {
        if ((double)power >= least) return power;
        if (2 * (double)power >= least) return 2 * power;
        if (5 * (double)power >= least) return 5 * power;
    }
}

static double widest_label(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l,
                           bool rows)
{
    double widest = 0;
    size_t count = rows ? map->rows : map->columns, every = rows ? l->row_every : l->column_every;
    for (size_t i = 0; i < count; i += every) {
        char buffer[LB_CELL_LABEL];
        const char *label = lb_heatmap_label(rows ? map->row_labels : map->column_labels, i, buffer);
        widest = fmax(widest, lb_text_measure(style->regular, l->label_size, label).width);
    }
    return widest;
}

/* Text size of the labels: small enough to show all of them, or larger with only every n-th shown. */
static void fit_labels(const lb_heatmap *map, const lb_style *style, lb_heatmap_layout *l)
{
    const double line = 1.15, across = 0.67; /* sin 45 / 1.05: a slanted line is 1.05 sizes thick */
    l->slanted = slants(map, style, l->cell_w);
    double fits = fmin(l->cell_h / line, l->slanted ? l->cell_w * across : INFINITY);
    bool all = fits >= smallest_label * style->point;
    l->label_size = all ? fmin(fits, LB_SIZE_TICK * style->point) : thinned_label * style->point;
    l->row_every = nice_every(l->label_size * line / l->cell_h);
    l->column_every = 1;
    double needed =
        l->slanted ? l->label_size / across : widest_label(map, style, l, false) + l->label_size / 2;
    l->column_every = nice_every(needed / l->cell_w);
}

static double text_size(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l)
{
    if (map->cell_text == LB_CELL_TEXT_NONE) return 0;
    double widest = 0;
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        char buffer[LB_CELL_LABEL];
        if (!isfinite(map->values[i])) continue;
        widest = fmax(widest,
                      lb_text_measure(style->regular, 1, lb_heatmap_cell_text(map->values[i], buffer)).width);
        if (map->cell_labels)
            widest = fmax(widest, lb_text_measure(style->regular, 1, lb_heatmap_cell_label(map, i)).width);
    }
    double lines = map->cell_labels ? 0.3 : 0.5;
    double fits = fmin(0.82 * l->cell_w / fmax(widest, 1), lines * l->cell_h);
    double size = fmin(fits, LB_SIZE_TICK * style->point);
    return size >= smallest_text * style->point ? size : 0;
}

/* How far slanted labels extend to the left of the cells, and column labels below their ticks. */
static lb_size column_label_reach(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l)
{
    lb_size reach = {0, 0};
    lb_text_style look = lb_heatmap_column_style(l, style);
    for (size_t i = 0; i < map->columns; i += l->column_every) {
        char buffer[LB_CELL_LABEL];
        lb_rect bounds = lb_text_bounds(&look, lb_heatmap_label(map->column_labels, i, buffer));
        reach.width = fmax(reach.width, -bounds.x - ((double)i + 0.5) * l->cell_w);
        reach.height = fmax(reach.height, bounds.y + bounds.height);
    }
    return reach;
}

static lb_size measure(const lb_font *font, double size, const char *text)
{
    return text ? lb_text_measure(font, size, text) : (lb_size){0, 0};
}

/* `center`, shifted to keep a title of this width within [first, limit]. */
static double inside(double center, double width, double first, double limit)
{
    return fmax(first + width / 2, fmin(center, limit - width / 2));
}

lb_heatmap_layout lb_heatmap_arrange(const lb_heatmap *map, const lb_style *style)
{
    const lb_heatmap_gaps *gap = &lb_heatmap_gap;
    lb_heatmap_layout l = {.cell_w = cell_side(map, style)};
    double p = style->point;
    lb_color_bar bar = lb_heatmap_scale(map);
    lb_size bar_size = map->hide_bar ? (lb_size){0, 0} : lb_color_bar_measure(&bar, style);
    l.cell_h = fmax(l.cell_w, ceil(bar_size.height / (double)map->rows));
    l.grid = l.cell_w >= least_gridded ? round(fmin(2 * p, fmax(1, l.cell_w / 16))) : 0;
    fit_labels(map, style, &l);
    l.text_size = text_size(map, style, &l);

    lb_size title = measure(style->bold, LB_SIZE_TITLE * p, map->title);
    lb_size x_label = measure(style->bold, LB_SIZE_AXIS * p, map->x_label);
    lb_size y_label = measure(style->bold, LB_SIZE_AXIS * p, map->y_label);
    lb_size reach = column_label_reach(map, style, &l);
    double half_line = map->hide_bar ? 0 : LB_SIZE_TICK * p / 2;
    double left = widest_label(map, style, &l, true) + (gap->tick + gap->label) * p;
    if (map->y_label) left += y_label.height + gap->axis * p;
    left = ceil(fmax(left, reach.width));
    double top = ceil(map->title ? title.height + gap->title * p : half_line);
    double below = (gap->tick + gap->label) * p + reach.height;

    l.plot = (lb_rect){left, top, l.cell_w * (double)map->columns, l.cell_h * (double)map->rows};
    l.bar = (lb_rect){left + l.plot.width + round(gap->bar * p), top, bar_size.width, l.plot.height};
    double right = map->hide_bar ? left + l.plot.width : l.bar.x + l.bar.width;
    l.x_label_y = top + l.plot.height + below + gap->axis * p;
    double bottom =
        map->x_label ? l.x_label_y + x_label.height : top + l.plot.height + fmax(below, half_line);
    double center = left + l.plot.width / 2;
    l.size.width = ceil(fmax(right, fmax(title.width, x_label.width)));
    l.title_x = inside(center, title.width, 0, l.size.width);
    l.x_label_x = inside(center, x_label.width, 0, l.size.width);
    l.y_label_x =
        left - (gap->tick + gap->label + gap->axis) * p - widest_label(map, style, &l, true) - y_label.height;

    /* A label longer than its axis extends up next to the title, unless the title is wide enough to meet it. */
    bool meet = l.title_x - title.width / 2 < l.y_label_x + y_label.height + gap->axis * p;
    double first = map->title && meet ? ceil(title.height + gap->axis * p) : 0;
    l.size.height = ceil(fmax(bottom, first + y_label.width));
    l.y_label_y = inside(top + l.plot.height / 2, y_label.width, first, l.size.height);
    return l;
}
