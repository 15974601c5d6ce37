#include "plot/coverage.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

lb_status lb_coverage_init(lb_coverage *coverage, int width, int height)
{
    size_t cells = ((size_t)width + 2) * (size_t)height;
    *coverage = (lb_coverage){.width = width, .height = height, .cell = lb_alloc_zero(cells * sizeof(float))};
    coverage->x0 = width;
    coverage->y0 = height;
    return coverage->cell ? LB_OK : LB_ERROR_MEMORY;
}

void lb_coverage_free(lb_coverage *coverage)
{
    lb_release(coverage->cell);
    coverage->cell = NULL;
}

float *lb_coverage_row(const lb_coverage *coverage, int y)
{
    return coverage->cell + (size_t)y * ((size_t)coverage->width + 2);
}

/* The pixel that holds a coordinate, inside [0, limit]. */
static int pixel(double coordinate, int limit)
{
    if (!(coordinate > 0)) return 0;
    return coordinate < limit ? (int)coordinate : limit;
}

static double clamp(double value, double low, double high)
{
    return value > low ? (value < high ? value : high) : low; /* not a number: low */
}

static void touch(lb_coverage *c, int x0, int y0, int x1, int y1)
{
    if (x0 < c->x0) c->x0 = x0;
    if (y0 < c->y0) c->y0 = y0;
    if (x1 > c->x1) c->x1 = x1;
    if (y1 > c->y1) c->y1 = y1;
}

/* What lies right of the piece from (x0, .) to (x1, .), which falls by `drop` inside of one row, changes by
 * `drop`; the pixels that it crosses change by the part of them that lies right of it. x0 <= x1. */
static void add_piece(float *row, double x0, double x1, double drop)
{
    int first = (int)x0, last = (int)x1;
    for (int x = first; x <= last; x++) {
        double enter = x == first ? x0 : x, leave = x == last ? x1 : x + 1;
        double part = first == last ? drop : drop * (leave - enter) / (x1 - x0);
        double right = x + 1 - (enter + leave) / 2;
        row[x] += (float)(part * right);
        row[x + 1] += (float)(part * (1 - right));
    }
}

void lb_coverage_edge(lb_coverage *coverage, lb_point from, lb_point to)
{
    double sign = to.y > from.y ? 1 : -1;
    lb_point top = sign > 0 ? from : to, bottom = sign > 0 ? to : from;
    double y0 = clamp(top.y, 0, coverage->height), y1 = clamp(bottom.y, 0, coverage->height);
    if (!(y0 < y1)) return;
    double slope = (bottom.x - top.x) / (bottom.y - top.y);
    double left = coverage->width, right = 0;
    int last = pixel(ceil(y1), coverage->height);
    for (int y = pixel(y0, coverage->height); y < last; y++) {
        double enter = fmax(y0, y), leave = fmin(y1, y + 1);
        double xa = clamp(top.x + slope * (enter - top.y), 0, coverage->width);
        double xb = clamp(top.x + slope * (leave - top.y), 0, coverage->width);
        add_piece(lb_coverage_row(coverage, y), fmin(xa, xb), fmax(xa, xb), sign * (leave - enter));
        left = fmin(left, fmin(xa, xb));
        right = fmax(right, fmax(xa, xb));
    }
    touch(coverage, pixel(left, coverage->width), pixel(y0, coverage->height),
          pixel(right, coverage->width - 1) + 1, last);
}

void lb_coverage_close(lb_coverage *coverage)
{
    for (int y = coverage->y0; y < coverage->y1; y++) {
        float *row = lb_coverage_row(coverage, y);
        float sum = 0;
        for (int x = coverage->x0; x < coverage->x1; x++) {
            sum += row[x];
            row[x] = fminf(fabsf(sum), 1);
        }
        row[coverage->x1] = row[coverage->x1 + 1] = 0; /* the outline is closed: nothing goes on */
    }
}

static double distance(lb_point p, lb_point a, lb_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0, 1) : 0;
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

void lb_coverage_segment(lb_coverage *coverage, lb_point from, lb_point to, double width)
{
    double reach = width / 2 + 1;
    int x0 = pixel(fmin(from.x, to.x) - reach, coverage->width);
    int x1 = pixel(fmax(from.x, to.x) + reach + 1, coverage->width);
    int y0 = pixel(fmin(from.y, to.y) - reach, coverage->height);
    int y1 = pixel(fmax(from.y, to.y) + reach + 1, coverage->height);
    if (x0 >= x1 || y0 >= y1) return;
    for (int y = y0; y < y1; y++) {
        float *row = lb_coverage_row(coverage, y);
        for (int x = x0; x < x1; x++) {
            double inside = width / 2 + 0.5 - distance((lb_point){x + 0.5, y + 0.5}, from, to);
            row[x] = fmaxf(row[x], (float)clamp(inside, 0, fmin(width, 1)));
        }
    }
    touch(coverage, x0, y0, x1, y1);
}

void lb_coverage_clear(lb_coverage *coverage)
{
    for (int y = coverage->y0; y < coverage->y1; y++) {
        size_t span = (size_t)(coverage->x1 - coverage->x0) + 2;
        memset(lb_coverage_row(coverage, y) + coverage->x0, 0, span * sizeof(float));
    }
    coverage->x0 = coverage->width;
    coverage->y0 = coverage->height;
    coverage->x1 = coverage->y1 = 0;
}
