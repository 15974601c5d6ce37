#include "plot/canvas.h"

#include "base/alloc.h"
#include "plot/coverage.h"

#include <math.h>
#include <string.h>

struct lb_canvas {
    int width, height;
    int clip_x0, clip_y0, clip_x1, clip_y1;
    lb_error failure;
    lb_coverage coverage; /* empty between two calls, except inside of a path */
    uint8_t *pixels;
};

lb_canvas *lb_canvas_new(int width, int height, lb_error *error)
{
    if (width < 1 || height < 1 || width > LB_CANVAS_MAX_SIDE || height > LB_CANVAS_MAX_SIDE) {
        lb_error_set(error, LB_ERROR_ARGUMENT, "canvas: %d x %d pixels, each side may have 1 to %d", width,
                     height, LB_CANVAS_MAX_SIDE);
        return NULL;
    }
    size_t bytes = (size_t)width * (size_t)height * 3;
    lb_canvas *canvas = lb_alloc_zero(sizeof *canvas);
    if (canvas) {
        *canvas = (lb_canvas){.width = width, .height = height, .pixels = lb_alloc(bytes)};
        if (canvas->pixels && lb_coverage_init(&canvas->coverage, width, height) == LB_OK) {
            memset(canvas->pixels, 255, bytes);
            lb_canvas_clip(canvas, NULL);
            return canvas;
        }
    }
    lb_canvas_free(canvas);
    lb_error_set(error, LB_ERROR_MEMORY, "canvas: out of memory for %d x %d pixels", width, height);
    return NULL;
}

void lb_canvas_free(lb_canvas *canvas)
{
    if (!canvas) return;
    lb_coverage_free(&canvas->coverage);
    lb_release(canvas->pixels);
    lb_release(canvas);
}

int lb_canvas_width(const lb_canvas *canvas)
{
    return canvas->width;
}

int lb_canvas_height(const lb_canvas *canvas)
{
    return canvas->height;
}

const uint8_t *lb_canvas_pixels(const lb_canvas *canvas)
{
    return canvas->pixels;
}

static uint8_t *at(const lb_canvas *canvas, int x, int y)
{
    return canvas->pixels + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
}

lb_color lb_canvas_pixel(const lb_canvas *canvas, int x, int y)
{
    const uint8_t *p = at(canvas, x, y);
    return (lb_color){p[0], p[1], p[2], 255};
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

/* A coordinate as a whole number of pixels in [0, limit]. */
static int whole(double coordinate, int limit)
{
    double rounded = floor(coordinate + 0.5);
    return rounded > 0 ? (rounded < limit ? (int)rounded : limit) : 0;
}

void lb_canvas_clip(lb_canvas *canvas, const lb_rect *area)
{
    lb_rect all = {0, 0, canvas->width, canvas->height};
    lb_rect r = area ? *area : all;
    canvas->clip_x0 = whole(r.x, canvas->width);
    canvas->clip_y0 = whole(r.y, canvas->height);
    canvas->clip_x1 = whole(r.x + r.width, canvas->width);
    canvas->clip_y1 = whole(r.y + r.height, canvas->height);
}

static uint8_t mix(uint8_t below, uint8_t above, double alpha)
{
    return (uint8_t)lround(below + (above - below) * alpha);
}

static void blend(lb_canvas *canvas, int x, int y, lb_color color, double coverage)
{
    double alpha = coverage * color.alpha / 255;
    uint8_t *p = at(canvas, x, y);
    p[0] = mix(p[0], color.red, alpha);
    p[1] = mix(p[1], color.green, alpha);
    p[2] = mix(p[2], color.blue, alpha);
}

/* The part of pixel `i` that lies between `from` and `to`. */
static double overlap(int i, double from, double to)
{
    return fmax(0, fmin(i + 1, to) - fmax(i, from));
}

void lb_canvas_rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    double right = area.x + area.width, bottom = area.y + area.height;
    int x0 = whole(area.x - 0.5, canvas->width), x1 = whole(right + 0.5, canvas->width);
    int y0 = whole(area.y - 0.5, canvas->height), y1 = whole(bottom + 0.5, canvas->height);
    if (x0 < canvas->clip_x0) x0 = canvas->clip_x0;
    if (y0 < canvas->clip_y0) y0 = canvas->clip_y0;
    if (x1 > canvas->clip_x1) x1 = canvas->clip_x1;
    if (y1 > canvas->clip_y1) y1 = canvas->clip_y1;
    for (int y = y0; y < y1; y++) {
        double rows = overlap(y, area.y, bottom);
        for (int x = x0; x < x1; x++) blend(canvas, x, y, color, rows * overlap(x, area.x, right));
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

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void lb_canvas_edge(lb_canvas *canvas, lb_point from, lb_point to)
{
    lb_coverage_edge(&canvas->coverage, from, to);
}

void lb_canvas_segment(lb_canvas *canvas, lb_point from, lb_point to, double width)
{
    lb_coverage_segment(&canvas->coverage, from, to, width);
}

void lb_canvas_stroke(lb_canvas *canvas, lb_color color)
{
    lb_coverage *c = &canvas->coverage;
    for (int y = larger(c->y0, canvas->clip_y0); y < smaller(c->y1, canvas->clip_y1); y++) {
        const float *row = lb_coverage_row(c, y);
        for (int x = larger(c->x0, canvas->clip_x0); x < smaller(c->x1, canvas->clip_x1); x++)
            if (row[x] > 0) blend(canvas, x, y, color, (double)row[x]);
    }
    lb_coverage_clear(c);
}

void lb_canvas_fill(lb_canvas *canvas, lb_color color)
{
    lb_coverage_close(&canvas->coverage);
    lb_canvas_stroke(canvas, color);
}

void lb_canvas_polygon(lb_canvas *canvas, const lb_point *corners, size_t count, lb_color color)
{
    for (size_t i = 0; i < count; i++) lb_canvas_edge(canvas, corners[i], corners[i + 1 < count ? i + 1 : 0]);
    lb_canvas_fill(canvas, color);
}

void lb_canvas_line(lb_canvas *canvas, lb_point from, lb_point to, double width, lb_color color)
{
    lb_canvas_segment(canvas, from, to, width);
    lb_canvas_stroke(canvas, color);
}

void lb_canvas_arrow(lb_canvas *canvas, lb_point from, lb_point to, double width, double head, lb_color color)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    if (!(length > 0)) return;
    double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    double shaft = fmax(0, length - head), half = head / 2.5, thick = width / 2;
    lb_point neck = {from.x + dx * shaft, from.y + dy * shaft};
    /* One outline for shaft and head, so that a translucent arrow has no darker neck. */
    lb_point outline[] = {
        {from.x - dy * thick, from.y + dx * thick}, {neck.x - dy * thick, neck.y + dx * thick},
        {neck.x - dy * half, neck.y + dx * half},   to,
        {neck.x + dy * half, neck.y - dx * half},   {neck.x + dy * thick, neck.y - dx * thick},
        {from.x + dy * thick, from.y - dx * thick},
    };
    lb_canvas_polygon(canvas, outline, sizeof outline / sizeof outline[0], color);
}
