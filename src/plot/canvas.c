#include "plot/canvas_internal.h"

#include <assert.h>
#include <math.h>

void lb_canvas_free(lb_canvas *canvas)
{
    if (canvas) canvas->backend->close(canvas);
}

const lb_canvas_config *lb_canvas_about(const lb_canvas *canvas)
{
    return &canvas->config;
}

lb_color lb_canvas_pixel(const lb_canvas *canvas, int x, int y)
{
    assert(x >= 0 && x < canvas->config.width && y >= 0 && y < canvas->config.height);
    return canvas->backend->pixel(canvas, x, y);
}

lb_status lb_canvas_document(lb_canvas *canvas, const void **bytes, size_t *count, lb_error *error)
{
    if (lb_canvas_status(canvas, NULL) == LB_OK) canvas->backend->document(canvas, bytes, count);
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
    if (!area) {
        canvas->backend->clip(canvas, NULL);
        return;
    }
    int width = canvas->config.width, height = canvas->config.height;
    lb_rect inside = {whole(area->x, width), whole(area->y, height), 0, 0};
    inside.width = whole(area->x + area->width, width) - inside.x;
    inside.height = whole(area->y + area->height, height) - inside.y;
    canvas->backend->clip(canvas, &inside);
}

/* Clamps points far outside any canvas: backends have a limited range of coordinates. */
static double near(double coordinate)
{
    const double far = 1e6;
    return fmax(-far, fmin(coordinate, far));
}

void lb_canvas_rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    double x0 = near(area.x), y0 = near(area.y), x1 = near(area.x + area.width),
           y1 = near(area.y + area.height);
    if (color.alpha > 0 && x0 < x1 && y0 < y1)
        canvas->backend->rect(canvas, (lb_rect){x0, y0, x1 - x0, y1 - y0}, color);
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
    if (is_point(&to)) canvas->backend->move_to(canvas, to);
}

void lb_canvas_line_to(lb_canvas *canvas, lb_point to)
{
    if (is_point(&to)) canvas->backend->line_to(canvas, to);
}

void lb_canvas_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to)
{
    if (is_point(&first) && is_point(&second) && is_point(&to))
        canvas->backend->curve_to(canvas, first, second, to);
}

void lb_canvas_close_path(lb_canvas *canvas)
{
    canvas->backend->close_path(canvas);
}

void lb_canvas_fill(lb_canvas *canvas, lb_color color)
{
    canvas->backend->fill(canvas, color);
}

void lb_canvas_stroke(lb_canvas *canvas, double width, lb_color color)
{
    canvas->backend->stroke(canvas, width, color);
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
