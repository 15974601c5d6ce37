/* Draws heat maps, as panels of figures, by the layout of heatmap_layout.h. */
#include "plot/figure.h"
#include "plot/heatmap_layout.h"

#include <math.h>

lb_color_bar lb_heatmap_share_scale(lb_heatmap *maps, int64_t count)
{
    lb_color_bar shared = lb_heatmap_scale(&maps[0]);
    for (int64_t i = 1; i < count; i++) {
        lb_color_bar bar = lb_heatmap_scale(&maps[i]);
        shared.min = fmin(shared.min, bar.min);
        shared.max = fmax(shared.max, bar.max);
        if (!shared.label) shared.label = bar.label;
    }
    for (int64_t i = 0; i < count; i++) {
        maps[i].range = LB_RANGE_GIVEN;
        maps[i].min = shared.min;
        maps[i].max = shared.max;
        maps[i].colormap = shared.colormap;
        maps[i].hide_bar = true;
    }
    return shared;
}

static void draw_cells(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l,
                       lb_canvas *canvas, lb_rect plot)
{
    for (int64_t row = 0; row < map->rows; row++) {
        for (int64_t column = 0; column < map->columns; column++) {
            double value = map->values[row * map->columns + column];
            double top = floor((double)row * l->cell_h), bottom = floor((double)(row + 1) * l->cell_h);
            lb_rect cell = {plot.x + (double)column * l->cell_w, plot.y + top, l->cell_w, bottom - top};
            /* Overlaps its next neighbours by a pixel: otherwise documents would show seams. */
            if (column + 1 < map->columns) cell.width++;
            if (row + 1 < map->rows) cell.height++;
            lb_canvas_rect(canvas, cell, lb_color_bar_at(&l->scale, isfinite(value) ? value : NAN));
        }
    }
    double before = floor(l->grid / 2);
    for (int64_t row = 1; row < map->rows && l->grid > 0; row++) {
        lb_rect line = {plot.x, plot.y + floor((double)row * l->cell_h) - before, plot.width, l->grid};
        lb_canvas_rect(canvas, line, lb_style_grey(style, 255));
    }
    for (int64_t column = 1; column < map->columns && l->grid > 0; column++) {
        lb_rect line = {plot.x + (double)column * l->cell_w - before, plot.y, l->grid, plot.height};
        lb_canvas_rect(canvas, line, lb_style_grey(style, 255));
    }
}

static void draw_numbers(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l,
                         lb_canvas *canvas, lb_rect plot)
{
    const double half = map->cell_labels ? 0.65 * l->text_size : 0; /* of the distance to the label */
    lb_text_style look = {
        .font = style->regular, .size = l->text_size, .align = LB_ALIGN_CENTER, .valign = LB_VALIGN_MIDDLE};
    for (int64_t i = 0; i < map->rows * map->columns; i++) {
        double value = map->values[i];
        if (!isfinite(value)) continue;
        char buffer[LB_CELL_LABEL];
        look.color = lb_color_contrast(lb_color_bar_at(&l->scale, value));
        int64_t row = i / map->columns, column = i % map->columns;
        lb_point center = {plot.x + ((double)column + 0.5) * l->cell_w,
                           plot.y + ((double)row + 0.5) * l->cell_h};
        lb_text_draw(canvas, &look, (lb_point){center.x, center.y + half},
                     lb_heatmap_cell_text(value, buffer));
        lb_text_draw(canvas, &look, (lb_point){center.x, center.y - half}, lb_heatmap_cell_label(map, i));
    }
}

static void draw_labels(const lb_heatmap *map, const lb_style *style, const lb_heatmap_layout *l,
                        lb_canvas *canvas, lb_rect plot)
{
    double p = style->point, line = lb_style_pixels(style, 0.8);
    double tick = lb_style_pixels(style, LB_HEATMAP_TICK), gap = LB_HEATMAP_LABEL_GAP * p;
    char buffer[LB_CELL_LABEL];
    double bottom = plot.y + plot.height;
    lb_text_style look = lb_heatmap_column_style(l, style);
    for (int64_t i = 0; i < map->columns; i += l->column_every) {
        double x = plot.x + ((double)i + 0.5) * l->cell_w;
        const char *label = lb_heatmap_label(map->column_labels, i, buffer);
        lb_canvas_rect(canvas, (lb_rect){round(x - line / 2), bottom, line, tick}, look.color);
        lb_text_draw(canvas, &look, (lb_point){x, bottom + tick + gap}, label);
    }
    look.angle = 0;
    look.align = LB_ALIGN_RIGHT;
    look.valign = LB_VALIGN_MIDDLE;
    for (int64_t i = 0; i < map->rows; i += l->row_every) {
        double y = plot.y + ((double)i + 0.5) * l->cell_h;
        lb_canvas_rect(canvas, (lb_rect){plot.x - tick, round(y - line / 2), tick, line}, look.color);
        lb_text_draw(canvas, &look, (lb_point){plot.x - tick - gap, y},
                     lb_heatmap_label(map->row_labels, i, buffer));
    }
}

static void draw_titles(const lb_style *style, const lb_heatmap_layout *l, lb_canvas *canvas, lb_point corner)
{
    lb_text_style look = lb_style_title(style);
    lb_point above = {corner.x + l->title_x, corner.y},
             below = {corner.x + l->x_label_x, corner.y + l->x_label_y};
    lb_point beside = {corner.x + l->y_label_x, corner.y + l->y_label_y};
    lb_fitted_text_draw(canvas, look, above, &l->title);
    lb_fitted_text_draw(canvas, look, below, &l->x_label);
    look.angle = 90;
    lb_fitted_text_draw(canvas, look, beside, &l->y_label);
}

static lb_size map_size(const void *content, const lb_style *style)
{
    const lb_heatmap *map = content;
    return lb_heatmap_wrong(map) ? (lb_size){1, 1} : lb_heatmap_arrange(map, style, 0).size;
}

static void draw_map(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const lb_heatmap *map = content;
    if (lb_canvas_refuses(canvas, lb_heatmap_wrong(map))) return;
    lb_heatmap_layout l = lb_heatmap_arrange(map, style, area.height);
    lb_point corner = {area.x + floor((area.width - l.size.width) / 2), area.y};
    lb_rect plot = {corner.x + l.plot.x, corner.y + l.plot.y, l.plot.width, l.plot.height};
    draw_cells(map, style, &l, canvas, plot);
    if (l.text_size > 0) draw_numbers(map, style, &l, canvas, plot);
    draw_labels(map, style, &l, canvas, plot);
    draw_titles(style, &l, canvas, corner);
    double line = lb_style_pixels(style, 0.8);
    lb_rect frame = {plot.x - line, plot.y - line, plot.width + 2 * line, plot.height + 2 * line};
    lb_canvas_border(canvas, frame, line, lb_style_grey(style, 0x26));
    if (map->hide_bar) return;
    lb_rect bar = {corner.x + l.bar.x, frame.y, l.bar.width, frame.height};
    lb_color_bar_draw(&l.scale, style, canvas, bar);
}

lb_panel lb_heatmap_panel(const lb_heatmap *map)
{
    return (lb_panel){.content = map, .measure = map_size, .draw = draw_map};
}

lb_status lb_heatmap_save(const lb_heatmap *map, const char *path, lb_error *error)
{
    lb_panel panel = lb_heatmap_panel(map);
    return lb_figure_save(&(lb_figure){.panels = &panel, .count = 1}, path, error);
}

lb_status lb_heatmap_save_grid(const lb_heatmap *maps, int64_t count, int64_t columns, const char *title,
                               const char *path, lb_error *error)
{
    lb_figure figure = {.count = count, .columns = columns, .title = title};
    if (count < 1) return lb_figure_save(&figure, path, error); /* reports the error */
    for (int64_t i = 0; i < count; i++)
        if (lb_heatmap_wrong(&maps[i])) return lb_heatmap_save(&maps[i], path, error);
    lb_heatmap *shared = lb_alloc((size_t)count * sizeof *shared);
    lb_panel *panels = lb_alloc((size_t)count * sizeof *panels);
    lb_status status = LB_ERROR_MEMORY;
    if (shared && panels) {
        for (int64_t i = 0; i < count; i++) {
            shared[i] = maps[i];
            panels[i] = lb_heatmap_panel(&shared[i]);
        }
        lb_color_bar bar = lb_heatmap_share_scale(shared, count);
        figure.panels = panels;
        figure.bar = &bar;
        status = lb_figure_save(&figure, path, error);
    } else {
        lb_error_set(error, status, "%s: out of memory", path);
    }
    lb_release(shared);
    lb_release(panels);
    return status;
}
