/* Draws the markers of a chart, shapes that tell its series apart. */
#include "plot/canvas.h"

#include <math.h>

enum { CORNERS = 16 };

/* A regular polygon, or a star if every second corner is `inner`. It is turned by an angle in degrees; at 0, a corner
 * is above. */
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

static lb_point corner_of(const marker *m, lb_point center, double radius, double corner)
{
    double angle = (m->turn + 360 * corner / m->corners) * 3.14159265358979323846 / 180;
    double length = radius * m->scale * (fmod(fabs(corner), 2) == 1 ? m->inner : 1);
    return (lb_point){center.x + length * sin(angle), center.y - length * cos(angle)};
}

/* The point of the outline that is that part of a turn away from above. */
static lb_point outline_at(const marker *m, lb_point center, double radius, double part)
{
    double at = (part - m->turn / 360) * m->corners, first = floor(at), rest = at - first;
    lb_point from = corner_of(m, center, radius, first), to = corner_of(m, center, radius, first + 1);
    return (lb_point){from.x + rest * (to.x - from.x), from.y + rest * (to.y - from.y)};
}

void lb_marker_draw(lb_canvas *canvas, int64_t index, lb_point center, double radius, lb_share share,
                    lb_color color)
{
    const marker *m = &markers[share.count > 1 ? 0 : (size_t)index % (sizeof markers / sizeof *markers)];
    lb_point points[CORNERS + 3];
    size_t count = 0;
    double begin = (double)share.rank / (double)share.count, end = begin + 1 / (double)share.count;
    double turn = m->turn / 360, first = floor((begin - turn) * m->corners) + 1;
    if (share.count > 1) points[count++] = center;
    points[count++] = outline_at(m, center, radius, begin);
    for (double i = first; i < (end - turn) * m->corners && count < CORNERS + 2; i++)
        points[count++] = corner_of(m, center, radius, i);
    points[count++] = outline_at(m, center, radius, end);
    lb_canvas_polygon(canvas, points, count, color);
}
