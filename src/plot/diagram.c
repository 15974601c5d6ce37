/* Diagrams: boxes with labels, and arrows between them. One kind shows an encoder and a decoder, the other a
 * computation. */
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>

/* Sizes in points, 1/72 inch. */
static const double box_side = 36, box_padding = 18; /* of a label, left and right together */
static const double title_gap = 14, thin = 0.8, thick = 2;

/* The title of a diagram, with the gap below it; zero: none. */
static lb_size title_size(const char *title, const lb_style *style)
{
    if (!title) return (lb_size){0, 0};
    lb_size text = lb_text_measure(style->bold, LB_SIZE_TITLE * style->point, title);
    return (lb_size){text.width, ceil(text.height + title_gap * style->point)};
}

/* The middle of the top edge of a diagram, where its title begins. The size does not depend on `area`: the diagram is
 * centred in it. */
static lb_point top_in(lb_rect area, lb_size size)
{
    return (lb_point){area.x + area.width / 2, area.y + floor((area.height - size.height) / 2)};
}

static void draw_title(lb_canvas *canvas, const lb_style *style, lb_point top, const char *title)
{
    const lb_text_style look = lb_style_title(style);
    if (title) lb_text_draw(canvas, &look, top, title);
}

/* Draws a box, and in its middle a label, in black or white. One box of a diagram may stand out. */
static void draw_box(lb_canvas *canvas, const lb_style *style, lb_rect box, lb_color fill, const char *label,
                     bool stands_out)
{
    lb_text_style look = lb_style_label(style, LB_ALIGN_CENTER, LB_VALIGN_MIDDLE, lb_color_contrast(fill));
    look.font = stands_out ? style->bold : style->regular;
    look.size = (stands_out ? LB_SIZE_TITLE : LB_SIZE_AXIS) * style->point;
    lb_canvas_rect(canvas, box, fill);
    lb_canvas_border(canvas, box, lb_style_pixels(style, stands_out ? thick : thin), lb_rgb(0x000000));
    lb_text_draw(canvas, &look, (lb_point){box.x + box.width / 2, box.y + box.height / 2}, label);
}

/* ---- An encoder and a decoder. ---- */

/* Sizes in points, 1/72 inch. */
static const double gap = 12;      /* between boxes */
static const double between = 120; /* from the encoder to the decoder */
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

typedef struct drawing {
    lb_size size;
    lb_point top;
    box_row source, target;
    lb_rect bottleneck;
} drawing;

static const char *diagram_wrong(const lb_diagram *diagram)
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

static drawing diagram_arrange(const lb_diagram *diagram, const lb_style *style, lb_rect area)
{
    double p = style->point, height = round(box_side * p), step = height + round(between * p);
    drawing d = {.source = {.count = diagram->sources, .labels = diagram->source_labels, .letter = 'x'},
                 .target = {.count = diagram->targets, .labels = diagram->target_labels, .letter = 'y'}};
    double label = fmax(widest_label(&d.source, style), widest_label(&d.target, style));
    double width = fmax(height, ceil(label + box_padding * p));
    d.source.step = d.target.step = width + round(gap * p);
    d.source.first = d.target.first = d.bottleneck = (lb_rect){0, 0, width, height};
    lb_size title = title_size(diagram->title, style);
    d.size = (lb_size){ceil(fmax(title.width, fmax(row_width(&d.source), row_width(&d.target)))),
                       title.height + step + height};
    d.top = top_in(area, d.size);
    d.source.first.x = floor(d.top.x - row_width(&d.source) / 2);
    d.target.first.x = floor(d.top.x - row_width(&d.target) / 2);
    d.bottleneck.x = floor(d.top.x - width / 2);
    d.source.first.y = d.top.y + title.height;
    d.bottleneck.y = d.source.first.y + floor(step / 2);
    d.target.first.y = d.source.first.y + step;
    return d;
}

static lb_rect row_box(const box_row *row, int64_t index)
{
    lb_rect box = row->first;
    box.x += (double)index * row->step;
    return box;
}

/* Arrows share the edge of a box: the x where number `index` of `count` starts or ends. */
static double share_of_edge(lb_rect box, int64_t index, int64_t count)
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

static void draw_attention(const drawing *d, const lb_style *style, lb_canvas *canvas, const double *weights)
{
    for (int64_t t = 0; t < d->target.count; t++) {
        for (int64_t s = 0; s < d->source.count; s++) {
            double weight = weights[t * d->source.count + s];
            lb_rect above = row_box(&d->source, s), below = row_box(&d->target, t);
            lb_point from = {share_of_edge(above, t, d->target.count), above.y + above.height};
            lb_point to = {share_of_edge(below, s, d->source.count), below.y};
            if (isfinite(weight) && weight > 0)
                draw_arrow(canvas, style, from, to, fmin(weight, 1), lb_rgb(0xFF8C00));
        }
    }
}

static void draw_row(const box_row *row, const lb_style *style, lb_canvas *canvas, lb_color fill)
{
    char buffer[LABEL];
    for (int64_t i = 0; i < row->count; i++)
        draw_box(canvas, style, row_box(row, i), fill, label_of(row, i, buffer), false);
}

/* Draws the one vector that everything has to pass through. */
static void draw_bottleneck(const drawing *d, const lb_style *style, lb_canvas *canvas)
{
    lb_rect c = d->bottleneck;
    for (int64_t s = 0; s < d->source.count; s++) {
        lb_rect above = row_box(&d->source, s);
        lb_point from = {share_of_edge(above, 0, 1), above.y + above.height},
                 to = {share_of_edge(c, s, d->source.count), c.y};
        draw_arrow(canvas, style, from, to, funnel, lb_style_grey(style, 0x55));
    }
    for (int64_t t = 0; t < d->target.count; t++) {
        lb_rect below = row_box(&d->target, t);
        lb_point from = {share_of_edge(c, t, d->target.count), c.y + c.height},
                 to = {share_of_edge(below, 0, 1), below.y};
        draw_arrow(canvas, style, from, to, funnel, lb_style_grey(style, 0x55));
    }
    draw_box(canvas, style, c, lb_rgb(0xFF0000), "c", true);
}

static lb_size diagram_measure(const void *content, const lb_style *style)
{
    const lb_diagram *diagram = content;
    return diagram_wrong(diagram) ? (lb_size){1, 1} : diagram_arrange(diagram, style, (lb_rect){0}).size;
}

static void diagram_draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const lb_diagram *diagram = content;
    if (lb_canvas_refuses(canvas, diagram_wrong(diagram))) return;
    drawing d = diagram_arrange(diagram, style, area);
    draw_title(canvas, style, d.top, diagram->title);
    if (diagram->weights)
        draw_attention(&d, style, canvas, diagram->weights);
    else
        draw_bottleneck(&d, style, canvas);
    draw_row(&d.source, style, canvas, lb_rgb(0xADD8E6));
    draw_row(&d.target, style, canvas, lb_rgb(0x90EE90));
}

lb_panel lb_diagram_panel(const lb_diagram *diagram)
{
    return (lb_panel){.content = diagram, .measure = diagram_measure, .draw = diagram_draw};
}

/* ---- A computation. ---- */

/* Sizes in points, 1/72 inch. */
static const double gap_beside = 24, gap_below = 44; /* between boxes */
static const double arrow_width = 1.2, arrow_head = 7;

static const double farthest = 1000; /* column or row */

/* A flow being drawn. */
typedef struct layout {
    lb_size size, box, step;
    lb_point top;
    lb_point first; /* the corner of a box in column 0 and row 0 */
} layout;

static bool is_place(double number)
{
    return number >= 0 && number <= farthest; /* false for NaN */
}

static const char *flow_wrong(const lb_flow *flow)
{
    if (flow->box_count < 1 || !flow->boxes) return "flow: there are no boxes";
    if (flow->arrow_count > 0 && !flow->arrows)
        return "flow: there are no arrows, but arrow_count is above 0";
    for (int64_t i = 0; i < flow->box_count; i++)
        if (!is_place(flow->boxes[i].column) || !is_place(flow->boxes[i].row))
            return "flow: the place of a box is not from 0 to 1000";
    for (int64_t i = 0; i < flow->arrow_count; i++) {
        lb_flow_arrow arrow = flow->arrows[i];
        if (arrow.from >= flow->box_count || arrow.to >= flow->box_count)
            return "flow: an arrow has the index of a box that does not exist";
        if (flow->boxes[arrow.to].row < flow->boxes[arrow.from].row + 1)
            return "flow: an arrow does not lead at least one row down";
    }
    return NULL;
}

static layout flow_arrange(const lb_flow *flow, const lb_style *style, lb_rect area)
{
    double p = style->point, label = 0;
    double left = farthest, right = 0, top = farthest, bottom = 0;
    for (int64_t i = 0; i < flow->box_count; i++) {
        const lb_flow_box *box = &flow->boxes[i];
        if (box->label)
            label = fmax(label, lb_text_measure(style->regular, LB_SIZE_AXIS * p, box->label).width);
        left = fmin(left, box->column);
        right = fmax(right, box->column);
        top = fmin(top, box->row);
        bottom = fmax(bottom, box->row);
    }
    lb_size title = title_size(flow->title, style);
    layout l = {.box.height = round(box_side * p)};
    l.box.width = fmax(l.box.height, ceil(label + box_padding * p));
    l.step = (lb_size){l.box.width + round(gap_beside * p), l.box.height + round(gap_below * p)};
    double width = (right - left) * l.step.width + l.box.width;
    l.size = (lb_size){ceil(fmax(title.width, width)),
                       ceil(title.height + (bottom - top) * l.step.height + l.box.height)};
    l.top = top_in(area, l.size);
    l.first.x = floor(l.top.x - width / 2) - left * l.step.width;
    l.first.y = l.top.y + title.height - top * l.step.height;
    return l;
}

static lb_rect flow_box(const layout *l, const lb_flow_box *box)
{
    return (lb_rect){round(l->first.x + box->column * l->step.width),
                     round(l->first.y + box->row * l->step.height), l->box.width, l->box.height};
}

/* Where an arrow starts (or ends) on the edge that it shares with others: they are in the order of the columns at their
 * other ends, so that they do not cross at the box. */
static double arrow_place(const lb_flow *flow, int64_t index, bool starts, lb_rect box)
{
    lb_flow_arrow own = flow->arrows[index];
    double column = flow->boxes[starts ? own.to : own.from].column;
    int64_t before = 0, count = 0;
    for (int64_t i = 0; i < flow->arrow_count; i++) {
        lb_flow_arrow other = flow->arrows[i];
        if (starts ? other.from != own.from : other.to != own.to) continue;
        double there = flow->boxes[starts ? other.to : other.from].column;
        count++;
        before += there < column || (there == column && i < index);
    }
    return box.x + box.width * ((double)before + 0.5) / (double)count;
}

static lb_size flow_measure(const void *content, const lb_style *style)
{
    const lb_flow *flow = content;
    return flow_wrong(flow) ? (lb_size){1, 1} : flow_arrange(flow, style, (lb_rect){0}).size;
}

static void draw_arrows(const lb_flow *flow, const layout *l, const lb_style *style, lb_canvas *canvas)
{
    for (int64_t i = 0; i < flow->arrow_count; i++) {
        lb_rect from = flow_box(l, &flow->boxes[flow->arrows[i].from]);
        lb_rect to = flow_box(l, &flow->boxes[flow->arrows[i].to]);
        lb_point start = {arrow_place(flow, i, true, from), from.y + from.height};
        lb_point end = {arrow_place(flow, i, false, to), to.y};
        lb_canvas_arrow(canvas, start, end, arrow_width * style->point, arrow_head * style->point,
                        lb_style_grey(style, 0x55));
    }
}

static void flow_draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const lb_flow *flow = content;
    if (lb_canvas_refuses(canvas, flow_wrong(flow))) return;
    layout l = flow_arrange(flow, style, area);
    draw_title(canvas, style, l.top, flow->title);
    draw_arrows(flow, &l, style, canvas);
    for (int64_t i = 0; i < flow->box_count; i++) {
        const lb_flow_box *box = &flow->boxes[i];
        draw_box(canvas, style, flow_box(&l, box), box->fill.alpha == 0 ? lb_rgb(0xADD8E6) : box->fill,
                 box->label ? box->label : "", false);
    }
}

lb_panel lb_flow_panel(const lb_flow *flow)
{
    return (lb_panel){.content = flow, .measure = flow_measure, .draw = flow_draw};
}
