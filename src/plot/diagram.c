#include "lookback/plot.h"
#include "plot/box.h"
#include "plot/canvas.h"
#include "plot/panel.h"
#include "plot/text.h"

#include <math.h>
#include <stdio.h>

/* Points. */
static const double gap = 12;      /* between boxes */
static const double between = 120; /* from the encoder to the decoder */
static const double title_gap = 14, thin = 0.8, thick = 2;
static const double least_arrow = 0.6, widest_arrow = 3.6, least_head = 5, largest_head = 9;

static const double funnel = 0.25; /* weight of the arrows to and from the bottleneck */

enum { LABEL = 24 };

/* Boxes side by side. */
typedef struct box_row {
    int64_t count;
    const char *const *labels;
    char letter; /* for boxes without a label */
    lb_rect first;
    double step;
} box_row;

/* A diagram being drawn. */
typedef struct drawing {
    lb_size size;
    lb_point top; /* the middle of its top edge, where the title begins */
    box_row source, target;
    lb_rect bottleneck;
} drawing;

static const char *wrong_with(const lb_diagram *diagram)
{
    if (diagram->sources < 1 || diagram->targets < 1) return "diagram: there are no boxes";
    if (diagram->sources > LB_CANVAS_MAX_SIDE || diagram->targets > LB_CANVAS_MAX_SIDE)
        return "diagram: found more boxes than a picture has pixels";
    return NULL;
}

static const char *label_of(const box_row *row, int64_t index, char buffer[LABEL])
{
    if (row->labels) return row->labels[index] ? row->labels[index] : "";
    snprintf(buffer, LABEL, "%c%lld", row->letter, (long long)index);
    return buffer;
}

static double widest_label(const box_row *row, const lb_style *style)
{
    double widest = 0;
    char buffer[LABEL];
    for (int64_t i = 0; i < row->count; i++) {
        const char *label = label_of(row, i, buffer);
        widest = fmax(widest, lb_text_measure(style->regular, LB_SIZE_AXIS * style->point, label).width);
    }
    return widest;
}

static double row_width(const box_row *row)
{
    return row->first.width + (double)(row->count - 1) * row->step;
}

/* The size does not depend on `area`; the diagram is centred in it. */
static drawing arrange(const lb_diagram *diagram, const lb_style *style, lb_rect area)
{
    double p = style->point, height = round(LB_BOX_SIDE * p), step = height + round(between * p), above = 0;
    drawing d = {.source = {.count = diagram->sources, .labels = diagram->source_labels, .letter = 'x'},
                 .target = {.count = diagram->targets, .labels = diagram->target_labels, .letter = 'y'}};
    double label = fmax(widest_label(&d.source, style), widest_label(&d.target, style));
    double width = fmax(height, ceil(label + LB_BOX_PADDING * p)), title = 0;
    d.source.step = d.target.step = width + round(gap * p);
    d.source.first = d.target.first = d.bottleneck = (lb_rect){0, 0, width, height};
    if (diagram->title) {
        lb_size text = lb_text_measure(style->bold, LB_SIZE_TITLE * p, diagram->title);
        title = text.width;
        above = ceil(text.height + title_gap * p);
    }
    d.size.width = ceil(fmax(title, fmax(row_width(&d.source), row_width(&d.target))));
    d.size.height = above + step + height;

    d.top = (lb_point){area.x + area.width / 2, area.y + floor((area.height - d.size.height) / 2)};
    d.source.first.x = floor(d.top.x - row_width(&d.source) / 2);
    d.target.first.x = floor(d.top.x - row_width(&d.target) / 2);
    d.bottleneck.x = floor(d.top.x - width / 2);
    d.source.first.y = d.top.y + above;
    d.bottleneck.y = d.source.first.y + floor(step / 2);
    d.target.first.y = d.source.first.y + step;
    return d;
}

static lb_rect box_at(const box_row *row, int64_t index)
{
    lb_rect box = row->first;
    box.x += (double)index * row->step;
    return box;
}

/* Arrows share the edge of a box: the x where number `index` of `count` starts or ends. */
static double place(lb_rect box, int64_t index, int64_t count)
{
    return box.x + box.width * ((double)index + 0.5) / (double)count;
}

/* An arrow down from one box to another, wider and darker for larger weights, from 0 to 1. */
static void draw_arrow(lb_canvas *canvas, const lb_style *style, lb_point from, lb_point to, double weight,
                       lb_color color)
{
    double p = style->point;
    color.alpha = (uint8_t)lround(255 * (0.35 + 0.65 * weight));
    lb_canvas_arrow(canvas, from, to, (least_arrow + weight * (widest_arrow - least_arrow)) * p,
                    (least_head + weight * (largest_head - least_head)) * p, color);
}

static double strength(double weight)
{
    return isfinite(weight) ? fmax(0, fmin(weight, 1)) : 0;
}

static void draw_attention(const drawing *d, const lb_style *style, lb_canvas *canvas, const double *weights)
{
    for (int64_t t = 0; t < d->target.count; t++) {
        for (int64_t s = 0; s < d->source.count; s++) {
            double weight = strength(weights[t * d->source.count + s]);
            lb_rect above = box_at(&d->source, s), below = box_at(&d->target, t);
            lb_point from = {place(above, t, d->target.count), above.y + above.height};
            lb_point to = {place(below, s, d->source.count), below.y};
            if (weight > 0) draw_arrow(canvas, style, from, to, weight, lb_rgb(0xFF8C00));
        }
    }
}

static void draw_row(const box_row *row, const lb_style *style, lb_canvas *canvas, lb_color fill)
{
    lb_text_style look = lb_box_text(style->regular, LB_SIZE_AXIS * style->point);
    char buffer[LABEL];
    for (int64_t i = 0; i < row->count; i++)
        lb_box_draw(canvas, &look, box_at(row, i), lb_style_pixels(style, thin), fill,
                    label_of(row, i, buffer));
}

/* The one vector that everything has to pass through. */
static void draw_bottleneck(const drawing *d, const lb_style *style, lb_canvas *canvas)
{
    lb_rect c = d->bottleneck;
    for (int64_t s = 0; s < d->source.count; s++) {
        lb_rect above = box_at(&d->source, s);
        lb_point from = {place(above, 0, 1), above.y + above.height},
                 to = {place(c, s, d->source.count), c.y};
        draw_arrow(canvas, style, from, to, funnel, lb_rgb(0x555555));
    }
    for (int64_t t = 0; t < d->target.count; t++) {
        lb_rect below = box_at(&d->target, t);
        lb_point from = {place(c, t, d->target.count), c.y + c.height}, to = {place(below, 0, 1), below.y};
        draw_arrow(canvas, style, from, to, funnel, lb_rgb(0x555555));
    }
    lb_text_style look = lb_box_text(style->bold, LB_SIZE_TITLE * style->point);
    lb_box_draw(canvas, &look, c, lb_style_pixels(style, thick), lb_rgb(0xFF0000), "c");
}

static lb_size measure(const void *content, const lb_style *style)
{
    const lb_diagram *diagram = content;
    return wrong_with(diagram) ? (lb_size){1, 1} : arrange(diagram, style, (lb_rect){0}).size;
}

static void draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const lb_diagram *diagram = content;
    if (lb_canvas_refuses(canvas, wrong_with(diagram))) return;
    drawing d = arrange(diagram, style, area);
    lb_text_style look = {.font = style->bold, .size = LB_SIZE_TITLE * style->point};
    look.align = LB_ALIGN_CENTER;
    look.valign = LB_VALIGN_TOP;
    if (diagram->title) lb_text_draw(canvas, &look, d.top, diagram->title);
    if (diagram->weights)
        draw_attention(&d, style, canvas, diagram->weights);
    else
        draw_bottleneck(&d, style, canvas);
    draw_row(&d.source, style, canvas, lb_rgb(0xADD8E6));
    draw_row(&d.target, style, canvas, lb_rgb(0x90EE90));
}

lb_panel lb_diagram_panel(const lb_diagram *diagram)
{
    return (lb_panel){.content = diagram, .measure = measure, .draw = draw};
}
