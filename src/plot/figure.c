#include "plot/figure.h"

#include "base/alloc.h"

#include <math.h>

/* Sizes in points, 1/72 inch. */
static const double margin = 12, gutter = 24, title_gap = 14;
static const double least_title_room = 288, smallest_title = 10;

typedef struct grid {
    int64_t columns;
    lb_size panels, bar; /* pixels; with the gutters between panels; all zeros if there is no bar */
    double body;         /* width of both */
    lb_fitted_text title;
} grid;

/* The largest width and height of every `step`-th panel from `first` on, before `end`. */
static lb_size largest(const lb_figure *figure, const lb_style *style, int64_t first, int64_t step,
                       int64_t end)
{
    lb_size most = {0, 0};
    for (int64_t i = first; i < end && i < figure->count; i += step) {
        lb_size size = figure->panels[i].measure(figure->panels[i].content, style);
        most = (lb_size){fmax(most.width, ceil(size.width)), fmax(most.height, ceil(size.height))};
    }
    return most;
}

static grid arrange(const lb_figure *figure, const lb_style *style)
{
    grid g = {.columns = figure->columns > 0 ? figure->columns : figure->count};
    if (g.columns > figure->count) g.columns = figure->count;
    double gap = round(gutter * style->point);
    for (int64_t c = 0; c < g.columns; c++)
        g.panels.width += largest(figure, style, c, g.columns, figure->count).width + (c ? gap : 0);
    for (int64_t i = 0; i < figure->count; i += g.columns)
        g.panels.height += largest(figure, style, i, 1, i + g.columns).height + (i ? gap : 0);
    if (figure->bar) g.bar = lb_color_bar_measure(figure->bar, style);
    g.body = g.panels.width + (figure->bar ? gap + g.bar.width : 0);
    lb_text_room room = {fmax(g.body, least_title_room * style->point), 3, LB_SIZE_FIGURE * style->point,
                         smallest_title * style->point};
    g.title = lb_text_fit(style->bold, room, figure->title);
    return g;
}

static void draw_panels(const lb_figure *figure, const lb_style *style, const grid *g, lb_canvas *canvas,
                        lb_point corner)
{
    double gap = round(gutter * style->point), y = corner.y;
    for (int64_t first = 0; first < figure->count; first += g->columns) {
        double height = largest(figure, style, first, 1, first + g->columns).height, x = corner.x;
        for (int64_t i = first; i < first + g->columns && i < figure->count; i++) {
            double width = largest(figure, style, i % g->columns, g->columns, figure->count).width;
            figure->panels[i].draw(figure->panels[i].content, style, canvas, (lb_rect){x, y, width, height});
            x += width + gap;
        }
        y += height + gap;
    }
}

static lb_canvas *draw(const lb_figure *figure, const lb_style *style, lb_format format, lb_error *error)
{
    grid g = arrange(figure, style);
    double p = style->point, edge = round(margin * p), gap = round(gutter * p);
    double top = figure->title ? ceil(g.title.extent.height + title_gap * p) : 0;
    double panels_height = fmax(g.panels.height, g.bar.height);
    double width = 2 * edge + ceil(fmax(g.body, g.title.extent.width)),
           height = 2 * edge + top + panels_height;
    if (!(width <= LB_CANVAS_MAX_SIDE && height <= LB_CANVAS_MAX_SIDE))
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT,
                                    "figure: found %.0f x %.0f pixels, expected at most %d per side", width,
                                    height, LB_CANVAS_MAX_SIDE));
    lb_canvas *canvas = lb_canvas_open(&(lb_canvas_config){.width = (int)width,
                                                           .height = (int)height,
                                                           .format = format,
                                                           .dpi = 72 * p,
                                                           .transparent = figure->transparent},
                                       error);
    if (!canvas) return NULL;
    lb_rect all = {0, 0, width, height};
    if (figure->dark && !figure->transparent) lb_canvas_rect(canvas, all, lb_style_grey(style, 255));
    double x = floor((width - g.body) / 2), y = edge + top;
    draw_panels(figure, style, &g, canvas, (lb_point){x, y + floor((panels_height - g.panels.height) / 2)});
    if (figure->bar) {
        double bar_height = fmin(panels_height, fmax(g.bar.height, round(0.8 * panels_height)));
        lb_rect bar = {x + g.panels.width + gap, y + floor((panels_height - bar_height) / 2), g.bar.width,
                       bar_height};
        lb_color_bar_draw(figure->bar, style, canvas, bar);
    }
    lb_fitted_text_draw(canvas, lb_style_title(style), (lb_point){width / 2, edge}, &g.title);
    /* Call both, without short-circuiting: each call clears the failure. */
    bool failed = lb_font_failed(style->regular);
    failed = lb_font_failed(style->bold) || failed;
    if (failed) lb_canvas_fail(canvas, LB_ERROR_MEMORY, "text: out of memory");
    if (lb_canvas_status(canvas, error) == LB_OK) return canvas;
    lb_canvas_free(canvas);
    return NULL;
}

lb_canvas *lb_figure_draw(const lb_figure *figure, lb_format format, lb_error *error)
{
    double dpi = figure->dpi != 0 ? figure->dpi : 100;
    if (!figure->panels || figure->count < 1 || !(dpi >= 10 && dpi <= 1200)) {
        const char *wrong = dpi >= 10 && dpi <= 1200 ? "found no panels" : "dpi must be from 10 to 1200";
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT, "figure: %s", wrong));
    }
    lb_font *regular = figure->font ? NULL : lb_font_builtin(LB_FONT_REGULAR, error);
    lb_font *bold = figure->font || figure->bold ? NULL : lb_font_builtin(LB_FONT_BOLD, error);
    lb_style style = {.regular = figure->font ? figure->font : regular, .point = dpi / 72};
    style.bold = figure->bold ? figure->bold : figure->font ? figure->font : bold;
    style.single = figure->count == 1;
    style.dark = figure->dark;
    lb_canvas *canvas = style.regular && style.bold ? draw(figure, &style, format, error) : NULL;
    lb_font_close(regular);
    lb_font_close(bold);
    return canvas;
}

lb_status lb_figure_save(const lb_figure *figure, const char *path, lb_error *error)
{
    lb_error local = {0};
    lb_canvas *canvas = lb_figure_draw(figure, lb_picture_format(path), &local);
    if (!canvas) return lb_error_set(error, local.status, "%s: %s", path, local.message);
    lb_status status = lb_picture_write(canvas, path, error);
    lb_canvas_free(canvas);
    return status;
}
