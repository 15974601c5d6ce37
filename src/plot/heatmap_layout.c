#include "plot/heatmap_layout.h"

#include "base/format.h"
#include "plot/axis.h"
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>

lb_color_bar lb_heatmap_scale(const lb_heatmap *map)
{
    lb_color_bar bar = {.min = 0, .max = 1, .colormap = map->colormap, .label = map->bar_label};
    if (map->range == LB_RANGE_GIVEN) {
        bar.min = map->min;
        bar.max = map->max;
    }
    if (map->range != LB_RANGE_DATA && map->range != LB_RANGE_SIGNED) return bar;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < map->rows * map->columns; i++) {
        if (!isfinite(map->values[i])) continue;
        low = fmin(low, map->values[i]);
        high = fmax(high, map->values[i]);
    }
    if (!(low <= high)) return bar;
    if (map->range == LB_RANGE_SIGNED) low = -(high = fmax(high, -low));
    double widen = low < high ? 0 : fmax(0.5, fabs(low) / 2);
    bar.min = low - widen;
    bar.max = high + widen;
    return bar;
}

/* Sizes in points, 1/72 inch. */
static const double axis_gap = 7, title_gap = 11, bar_gap = 14;
static const double single_span = 576, shared_span = 400; /* preferred, of the longer side of all cells */
static const double single_cell = 46, shared_cell = 38;   /* the largest cell */
static const double readable_cell = 11, smallest_cell = 1.5;
static const double least_gridded = 16; /* pixels */
static const double smallest_label = 6, thinned_label = 8.5, smallest_text = 6;
static const double smallest_title = 9, least_title_room = 288;
static const double longest = 2.5; /* of the preferred lengths, where labels need it */

/* Distances of labels, by the size of their text. A slanted line is 1.05 sizes thick, over sin 45. */
static const double line_height = 1.15, slanted_width = 1 / 0.67, upright_gap = 0.25, roomy_gap = 0.5;

const char *lb_heatmap_wrong(const lb_heatmap *map)
{
    if (!map->values || map->rows < 1 || map->columns < 1) return "heat map: there are no values";
    if (map->rows > LB_CANVAS_MAX_SIDE || map->columns > LB_CANVAS_MAX_SIDE)
        return "heat map: found more rows or columns than a picture has pixels";
    if (!lb_colormap_exists(map->colormap)) return "heat map: there is no such colour map";
    bool rising = isfinite(map->min) && isfinite(map->max) && map->min < map->max;
    if (map->range == LB_RANGE_GIVEN && !rising) return "heat map: min must be less than max";
    return NULL;
}

const char *lb_heatmap_label(const char *const *labels, int64_t index, char buffer[LB_CELL_LABEL])
{
    if (labels) return labels[index] ? labels[index] : "";
    snprintf(buffer, LB_CELL_LABEL, "%lld", (long long)index);
    return buffer;
}

const char *lb_heatmap_cell_text(double value, char buffer[LB_CELL_LABEL])
{
    if (fabs(value) < 0.005) value = 0; /* no "-0.00" */
    lb_snprintf(buffer, LB_CELL_LABEL, fabs(value) < 1e5 ? "%.2f" : "%.1e", value);
    return buffer;
}

const char *lb_heatmap_cell_label(const lb_heatmap *map, int64_t index)
{
    return map->cell_labels && map->cell_labels[index] ? map->cell_labels[index] : "";
}

lb_text_style lb_heatmap_column_style(const lb_heatmap_layout *l, const lb_style *style)
{
    bool upright = l->angle == 0;
    lb_text_style look =
        lb_style_label(style, upright ? LB_ALIGN_CENTER : LB_ALIGN_RIGHT,
                       upright ? LB_VALIGN_TOP : LB_VALIGN_MIDDLE, lb_style_grey(style, 0x26));
    look.size = l->label_size;
    look.angle = l->angle;
    return look;
}

/* The width of the widest label, by the size of the text. */
static double widest_label(const lb_heatmap *map, const lb_style *style, bool rows)
{
    double widest = 0;
    int64_t count = rows ? map->rows : map->columns;
    for (int64_t i = 0; i < count; i++) {
        char buffer[LB_CELL_LABEL];
        const char *label = lb_heatmap_label(rows ? map->row_labels : map->column_labels, i, buffer);
        widest = fmax(widest, lb_text_measure(style->regular, 1, label).width);
    }
    return widest;
}

/* Labels stand upright if they are single characters, or if all fit. */
static double column_angle(const lb_heatmap *map, const lb_style *style, double cell)
{
    double size = LB_SIZE_TICK * style->point;
    int64_t single = 0;
    for (int64_t i = 0; i < map->columns; i++) {
        char buffer[LB_CELL_LABEL];
        single += lb_text_is_one_character(lb_heatmap_label(map->column_labels, i, buffer));
    }
    if (map->slant != LB_LABEL_SLANTED || single == map->columns) return 0;
    if (size * (widest_label(map, style, false) + roomy_gap) <= cell) return 0;
    bool turned = map->column_labels && cell < smallest_label * style->point * slanted_width;
    return turned ? 90 : 45;
}

/* The width that a column label takes, by its size. */
static double column_width(const lb_heatmap *map, const lb_style *style, double angle)
{
    if (angle == 0) return widest_label(map, style, false) + upright_gap;
    return angle == 45 ? slanted_width : line_height;
}

/* The least cell in which all given labels can be read, or `cell` if that would make the picture too large. */
static double labelled_cell(const lb_heatmap *map, const lb_style *style, double cell, double longest_side)
{
    double least = smallest_label * style->point, needed = cell;
    if (map->row_labels) needed = fmax(needed, ceil(least * line_height));
    if (map->column_labels)
        needed = fmax(needed, ceil(least * column_width(map, style, column_angle(map, style, 0))));
    return needed * (double)(map->rows > map->columns ? map->rows : map->columns) <= longest_side ? needed
                                                                                                  : cell;
}

static double cell_side(const lb_heatmap *map, const lb_style *style)
{
    double p = style->point, count = (double)(map->rows > map->columns ? map->rows : map->columns);
    if (map->cell > 0) return fmax(1, round(map->cell * p));
    double span = (style->single ? single_span : shared_span) * p;
    double side = fmin(span / count, (style->single ? single_cell : shared_cell) * p);
    if (side < readable_cell * p) side = fmin(readable_cell * p, 1.4 * span / count);
    side = fmax(floor(side), fmax(1, floor(smallest_cell * p)));
    return labelled_cell(map, style, side, longest * span);
}

/* Text size of the labels: small enough to show all of them, or larger with only every n-th shown. */
static void fit_labels(const lb_heatmap *map, const lb_style *style, lb_heatmap_layout *l)
{
    double least = smallest_label * style->point;
    l->angle = column_angle(map, style, l->cell_w);
    double width = column_width(map, style, l->angle), fits = l->cell_h / line_height;
    if (l->angle != 0 || l->cell_w / width >= least) fits = fmin(fits, l->cell_w / width);
    l->label_size = fits >= least ? fmin(fits, LB_SIZE_TICK * style->point) : thinned_label * style->point;
    l->row_every = (int64_t)lb_nice_step(fmax(1, l->label_size * line_height / l->cell_h));
    l->column_every = (int64_t)lb_nice_step(fmax(1, l->label_size * width / l->cell_w));
}

static double text_size(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l)
{
    double widest = 0, lines = map->cell_labels ? 0.3 : 0.5;
    bool low = lines * l->cell_h < smallest_text * style->point;
    if (map->cell_text == LB_CELL_TEXT_NONE || low) return 0;
    for (int64_t i = 0; i < map->rows * map->columns; i++) {
        char buffer[LB_CELL_LABEL];
        if (!isfinite(map->values[i])) continue;
        widest = fmax(widest,
                      lb_text_measure(style->regular, 1, lb_heatmap_cell_text(map->values[i], buffer)).width);
        if (map->cell_labels)
            widest = fmax(widest, lb_text_measure(style->regular, 1, lb_heatmap_cell_label(map, i)).width);
    }
    double fits = fmin(0.82 * l->cell_w / fmax(widest, 1), lines * l->cell_h);
    double size = fmin(fits, LB_SIZE_TICK * style->point);
    return size >= smallest_text * style->point ? size : 0;
}

/* How far slanted labels extend to the left of the cells, and column labels below their ticks. */
static lb_size column_label_reach(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l)
{
    lb_size reach = {0, 0};
    lb_text_style look = lb_heatmap_column_style(l, style);
    for (int64_t i = 0; i < map->columns; i += l->column_every) {
        char buffer[LB_CELL_LABEL];
        lb_rect bounds = lb_text_bounds(&look, lb_heatmap_label(map->column_labels, i, buffer));
        reach.width = fmax(reach.width, -bounds.x - ((double)i + 0.5) * l->cell_w);
        reach.height = fmax(reach.height, bounds.y + bounds.height);
    }
    return reach;
}

/* The title of an axis, no longer than that. It says so if some of the labels that were given are not shown. */
static lb_fitted_text axis_title(const lb_style *style, const char *title, double length, bool given,
                                 int64_t every)
{
    char noted[LB_FITTED_TEXT];
    double p = style->point;
    if (given && every > 1) {
        snprintf(noted, sizeof noted, "%s%s1 label in %lld", title ? title : "", title ? ": " : "",
                 (long long)every);
        title = noted;
    }
    return lb_text_fit(style->bold, (lb_text_room){length, 3, LB_SIZE_AXIS * p, smallest_label * p}, title);
}

/* `center`, shifted to keep a title of this width within [0, limit]. */
static double inside(double center, double width, double limit)
{
    return fmax(width / 2, fmin(center, limit - width / 2));
}

static lb_heatmap_layout arrange(const lb_heatmap *map, const lb_style *style)
{
    lb_heatmap_layout l = {.scale = lb_heatmap_scale(map), .cell_w = cell_side(map, style)};
    double p = style->point;
    lb_size bar_size = map->hide_bar ? (lb_size){0, 0} : lb_color_bar_measure(&l.scale, style);
    l.cell_h = fmax(l.cell_w, ceil(bar_size.height / (double)map->rows));
    l.grid = l.cell_w >= least_gridded ? round(fmin(2 * p, fmax(1, l.cell_w / 16))) : 0;
    fit_labels(map, style, &l);
    l.text_size = text_size(map, style, &l);

    l.plot.width = l.cell_w * (double)map->columns;
    l.plot.height = l.cell_h * (double)map->rows;
    l.x_label = axis_title(style, map->x_label, l.plot.width, map->column_labels, l.column_every);
    l.y_label = axis_title(style, map->y_label, l.plot.height, map->row_labels, l.row_every);
    lb_size reach = column_label_reach(map, style, &l);
    double half_line = map->hide_bar ? 0 : LB_SIZE_TICK * p / 2;
    double beside =
        (LB_HEATMAP_TICK + LB_HEATMAP_LABEL_GAP) * p + l.label_size * widest_label(map, style, true);
    double title_room = l.y_label.extent.height > 0 ? l.y_label.extent.height + axis_gap * p : 0;
    l.plot.x = ceil(fmax(beside + title_room, reach.width));
    double bars = map->hide_bar ? 0 : round(bar_gap * p) + bar_size.width;
    double right = l.plot.x + l.plot.width + bars;
    double room = fmax(right, least_title_room * p);
    l.title =
        lb_text_fit(style->bold, (lb_text_room){room, 3, LB_SIZE_TITLE * p, smallest_title * p}, map->title);
    l.plot.y = ceil(map->title ? l.title.extent.height + title_gap * p : half_line);
    l.bar = (lb_rect){l.plot.x + l.plot.width + round(bar_gap * p), l.plot.y, bar_size.width, l.plot.height};

    double edge = l.plot.y + l.plot.height,
           below = (LB_HEATMAP_TICK + LB_HEATMAP_LABEL_GAP) * p + reach.height;
    l.x_label_y = edge + below + axis_gap * p;
    double bottom =
        l.x_label.extent.height > 0 ? l.x_label_y + l.x_label.extent.height : edge + fmax(below, half_line);
    double center = l.plot.x + l.plot.width / 2;
    l.size.width = ceil(fmax(right, fmax(l.title.extent.width, l.x_label.extent.width)));
    l.size.height = ceil(fmax(bottom, l.y_label.extent.width));
    l.title_x = inside(center, l.title.extent.width, l.size.width);
    l.x_label_x = inside(center, l.x_label.extent.width, l.size.width);
    l.y_label_x = l.plot.x - beside - axis_gap * p - l.y_label.extent.height;
    l.y_label_y = inside(l.plot.y + l.plot.height / 2, l.y_label.extent.width, l.size.height);
    return l;
}

lb_heatmap_layout lb_heatmap_arrange(const lb_heatmap *map, const lb_style *style, double height)
{
    lb_heatmap_layout l = arrange(map, style);
    double more = fmax(0, height - l.size.height);
    l.cell_h += more / (double)map->rows;
    l.plot.height += more;
    l.bar.height += more;
    l.size.height += more;
    l.x_label_y += more;
    l.y_label_y += more / 2;
    return l;
}
