#include "plot/marker.h"

#include <math.h>

enum { CORNERS = 16 };

/* A regular polygon, or a star if every second corner is `inner`. Turned by an angle in degrees; at 0, a corner is above. */
typedef struct shape {
    int corners;
    double turn, inner, scale;
} shape;

static const shape shapes[] = {
    {16, 0, 1, 1},       /* circle */
    {4, 45, 1, 1.25},    /* square */
    {3, 0, 1, 1.35},     /* triangle */
    {4, 0, 1, 1.25},     /* diamond */
    {3, 180, 1, 1.35},   /* triangle, downwards */
    {10, 0, 0.45, 1.45}, /* star */
    {8, 45, 0.35, 1.45}, /* cross */
};

static void fill(lb_canvas *canvas, const shape *s, lb_point center, double radius, lb_color color)
{
    lb_point corner[CORNERS];
    for (int i = 0; i < s->corners; i++) {
        double angle = (s->turn + 360.0 * i / s->corners) * 3.14159265358979323846 / 180;
        double length = radius * s->scale * (i % 2 ? s->inner : 1);
        corner[i] = (lb_point){center.x + length * sin(angle), center.y - length * cos(angle)};
    }
    lb_canvas_polygon(canvas, corner, (size_t)s->corners, color);
}

void lb_marker_draw(lb_canvas *canvas, size_t index, lb_point center, double radius, lb_color color)
{
    const shape *s = &shapes[index % (sizeof shapes / sizeof *shapes)];
    fill(canvas, s, center, 1.35 * radius, lb_rgb(0xFFFFFF));
    fill(canvas, s, center, radius, color);
}
