#include "plot/canvas_internal.h"

#include "base/alloc.h"

#include <math.h>

void lb_canvas_free(lb_canvas *canvas)
{
    if (!canvas) return;
    lb_cairo_close(canvas);
    lb_release(canvas->document.text);
    lb_release(canvas->path.text);
    lb_release(canvas);
}

static bool is_svg(const lb_canvas *canvas)
{
    return canvas->config.format == LB_FORMAT_SVG;
}

const lb_canvas_config *lb_canvas_about(const lb_canvas *canvas)
{
    return &canvas->config;
}

lb_status lb_canvas_document(lb_canvas *canvas, const void **bytes, size_t *count, lb_error *error)
{
    if (lb_canvas_status(canvas, NULL) == LB_OK) (is_svg(canvas) ? lb_svg_end : lb_pdf_end)(canvas);
    *bytes = canvas->document.text;
    *count = canvas->document.length;
    return lb_canvas_status(canvas, error);
}

lb_status lb_canvas_status(const lb_canvas *canvas, lb_error *error)
{
    if (canvas->failure.status == LB_OK) return LB_OK;
    return lb_error_set(error, canvas->failure.status, "%s", canvas->failure.message);
}

void lb_canvas_fail(lb_canvas *canvas, lb_status status, const char *message)
{
    lb_error_set(&canvas->failure, status, "%s", message);
}

bool lb_canvas_refuses(lb_canvas *canvas, const char *wrong)
{
    if (wrong) lb_canvas_fail(canvas, LB_ERROR_ARGUMENT, wrong);
    return wrong;
}

/* Rounds to whole pixels in [0, limit]. */
static double whole(double coordinate, int limit)
{
    return fmax(0, fmin(floor(coordinate + 0.5), limit));
}

void lb_canvas_clip(lb_canvas *canvas, const lb_rect *area)
{
    int width = canvas->config.width, height = canvas->config.height;
    lb_rect inside = {0, 0, width, height};
    if (area) {
        inside.x = whole(area->x, width);
        inside.y = whole(area->y, height);
        inside.width = whole(area->x + area->width, width) - inside.x;
        inside.height = whole(area->y + area->height, height) - inside.y;
    }
    if (is_svg(canvas)) {
        lb_svg_clip(canvas, area ? &inside : NULL);
        return;
    }
    cairo_reset_clip(canvas->context);
    if (!area) return;
    cairo_rectangle(canvas->context, inside.x, inside.y, inside.width, inside.height);
    cairo_clip(canvas->context);
}

/* Clamps points far outside any canvas: Cairo and viewers have a limited range of coordinates. */
static double near(double coordinate)
{
    const double far = 1e6;
    return fmax(-far, fmin(coordinate, far));
}

void lb_canvas_rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    double x0 = near(area.x), y0 = near(area.y), x1 = near(area.x + area.width),
           y1 = near(area.y + area.height);
    if (color.alpha == 0 || !(x0 < x1 && y0 < y1)) return;
    if (is_svg(canvas)) {
        lb_svg_rect(canvas, (lb_rect){x0, y0, x1 - x0, y1 - y0}, color);
    } else {
        cairo_rectangle(canvas->context, x0, y0, x1 - x0, y1 - y0);
        lb_cairo_fill(canvas, color);
    }
}

void lb_canvas_border(lb_canvas *canvas, lb_rect area, double line, lb_color color)
{
    double inner = area.height - 2 * line;
    lb_canvas_rect(canvas, (lb_rect){area.x, area.y, area.width, line}, color);
    lb_canvas_rect(canvas, (lb_rect){area.x, area.y + area.height - line, area.width, line}, color);
    lb_canvas_rect(canvas, (lb_rect){area.x, area.y + line, line, inner}, color);
    lb_canvas_rect(canvas, (lb_rect){area.x + area.width - line, area.y + line, line, inner}, color);
}

static bool is_point(lb_point *point)
{
    if (isnan(point->x) || isnan(point->y)) return false;
    *point = (lb_point){near(point->x), near(point->y)};
    return true;
}

void lb_canvas_move_to(lb_canvas *canvas, lb_point to)
{
    if (!is_point(&to)) return;
    if (is_svg(canvas))
        lb_svg_move_to(canvas, to);
    else
        cairo_move_to(canvas->context, to.x, to.y);
}

void lb_canvas_line_to(lb_canvas *canvas, lb_point to)
{
    if (!is_point(&to)) return;
    if (is_svg(canvas))
        lb_svg_line_to(canvas, to);
    else
        cairo_line_to(canvas->context, to.x, to.y);
}

void lb_canvas_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to)
{
    if (!is_point(&first) || !is_point(&second) || !is_point(&to)) return;
    if (is_svg(canvas))
        lb_svg_curve_to(canvas, first, second, to);
    else
        cairo_curve_to(canvas->context, first.x, first.y, second.x, second.y, to.x, to.y);
}

void lb_canvas_close_path(lb_canvas *canvas)
{
    if (is_svg(canvas))
        lb_svg_close_path(canvas);
    else
        cairo_close_path(canvas->context);
}

void lb_canvas_fill(lb_canvas *canvas, lb_color color)
{
    (is_svg(canvas) ? lb_svg_fill : lb_cairo_fill)(canvas, color);
}

void lb_canvas_stroke(lb_canvas *canvas, double width, lb_color color)
{
    (is_svg(canvas) ? lb_svg_stroke : lb_cairo_stroke)(canvas, width, color);
}

void lb_canvas_polygon(lb_canvas *canvas, const lb_point *corners, size_t count, lb_color color)
{
    for (size_t i = 0; i < count; i++) lb_canvas_line_to(canvas, corners[i]); /* the first begins the path */
    lb_canvas_close_path(canvas);
    lb_canvas_fill(canvas, color);
}

void lb_canvas_line(lb_canvas *canvas, lb_point from, lb_point to, double width, lb_color color)
{
    lb_canvas_move_to(canvas, from);
    lb_canvas_line_to(canvas, to);
    lb_canvas_stroke(canvas, width, color);
}

void lb_canvas_arrow(lb_canvas *canvas, lb_point from, lb_point to, double width, double head, lb_color color)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    if (!(length > 0)) return;
    double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    double shaft = fmax(0, length - head), half = head / 2.5, thick = width / 2;
    lb_point neck = {from.x + dx * shaft, from.y + dy * shaft};
    /* One outline for shaft and head: otherwise a translucent arrow would be darker where they overlap. */
    lb_point outline[] = {
        {from.x - dy * thick, from.y + dx * thick}, {neck.x - dy * thick, neck.y + dx * thick},
        {neck.x - dy * half, neck.y + dx * half},   to,
        {neck.x + dy * half, neck.y - dx * half},   {neck.x + dy * thick, neck.y - dx * thick},
        {from.x + dy * thick, from.y - dx * thick},
    };
    lb_canvas_polygon(canvas, outline, sizeof outline / sizeof outline[0], color);
}
