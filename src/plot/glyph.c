/* Draws the outlines of glyphs, for text on a canvas. */
#include "plot/font.h"

#include "plot/canvas.h"

#include <hb.h>

/* Its name before HarfBuzz 7, which Debian 12 does not have. */
#if !HB_VERSION_ATLEAST(7, 0, 0)
#    define hb_font_draw_glyph hb_font_get_glyph_shape
#endif

/* The box that replaces a missing character, in fractions of the size. */
static const double box_left = 0.06, box_right = 0.54, box_top = 0.72, box_line = 0.05;

/* The state of drawing an outline. */
typedef struct pen {
    const lb_font *font;
    double units;
    const lb_glyph_place *place;
    lb_canvas *canvas;
} pen;

/* Stretches `y` so that small letters and capitals have the heights that `place` asks for. */
static double fitted(const lb_font *font, const lb_glyph_place *place, double y)
{
    double small = font->metrics.small, capital = font->metrics.capital;
    if (place->small <= 0 || place->capital <= place->small || capital <= small || y <= 0) return y;
    if (y <= small) return y * place->small / small;
    if (y <= capital) return place->small + (y - small) * (place->capital - place->small) / (capital - small);
    return y + place->capital - capital;
}

static lb_point put(const pen *p, double x, double y)
{
    const lb_glyph_place *place = p->place;
    double up = fitted(p->font, place, y);
    return (lb_point){place->origin.x + x * place->right.x + up * place->up.x,
                      place->origin.y + x * place->right.y + up * place->up.y};
}

static lb_point scaled(const pen *p, float x, float y)
{
    return put(p, (double)x / p->units, (double)y / p->units);
}

static void pen_move(hb_draw_funcs_t *funcs, void *data, hb_draw_state_t *state, float x, float y, void *user)
{
    (void)funcs, (void)state, (void)user;
    lb_canvas_move_to(((pen *)data)->canvas, scaled(data, x, y));
}

static void pen_line(hb_draw_funcs_t *funcs, void *data, hb_draw_state_t *state, float x, float y, void *user)
{
    (void)funcs, (void)state, (void)user;
    lb_canvas_line_to(((pen *)data)->canvas, scaled(data, x, y));
}

static void pen_curve(hb_draw_funcs_t *funcs, void *data, hb_draw_state_t *state, float x1, float y1,
                      float x2, float y2, float x, float y, void *user)
{
    (void)funcs, (void)state, (void)user;
    lb_canvas_curve_to(((pen *)data)->canvas, scaled(data, x1, y1), scaled(data, x2, y2), scaled(data, x, y));
}

static void pen_close(hb_draw_funcs_t *funcs, void *data, hb_draw_state_t *state, void *user)
{
    (void)funcs, (void)state, (void)user;
    lb_canvas_close_path(((pen *)data)->canvas);
}

/* Without memory, HarfBuzz gives functions that draw nothing and cannot be set. */
static hb_draw_funcs_t *pen_functions(lb_canvas *canvas)
{
    hb_draw_funcs_t *funcs = hb_draw_funcs_create();
    if (hb_draw_funcs_is_immutable(funcs))
        lb_canvas_fail(canvas, LB_ERROR_MEMORY, "out of memory for a glyph");
    hb_draw_funcs_set_move_to_func(funcs, pen_move, NULL, NULL);
    hb_draw_funcs_set_line_to_func(funcs, pen_line, NULL, NULL);
    hb_draw_funcs_set_cubic_to_func(funcs, pen_curve, NULL, NULL);
    hb_draw_funcs_set_close_path_func(funcs, pen_close, NULL, NULL);
    return funcs;
}

void lb_glyph_draw(const lb_font *font, uint32_t glyph, const lb_glyph_place *place, lb_canvas *canvas)
{
    pen p = {font, font->units, place, canvas};
    hb_draw_funcs_t *functions = pen_functions(canvas);
    hb_font_draw_glyph(font->hb, glyph, functions, &p);
    hb_draw_funcs_destroy(functions);
}

void lb_glyph_draw_box(const lb_font *font, const lb_glyph_place *place, lb_canvas *canvas)
{
    pen p = {font, 1, place, canvas};
    for (int ring = 0; ring < 2; ring++) {
        double inset = ring * box_line;
        double left = box_left + inset, right = box_right - inset, low = inset, high = box_top - inset;
        /* The inner ring has the opposite direction, which makes it a hole. */
        const lb_point corner[] = {put(&p, left, low), put(&p, ring ? right : left, ring ? low : high),
                                   put(&p, right, high), put(&p, ring ? left : right, ring ? high : low)};
        lb_canvas_move_to(canvas, corner[0]);
        for (int i = 1; i < 4; i++) lb_canvas_line_to(canvas, corner[i]);
        lb_canvas_close_path(canvas);
    }
}
