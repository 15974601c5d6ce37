#include "lookback/plot.h"
#include "plot/box.h"
#include "plot/canvas.h"
#include "plot/panel.h"
#include "plot/text.h"

#include <math.h>

/* Points. */
static const double beside = 24, below = 44; /* between boxes */
static const double title_gap = 14, border = 0.8, arrow_width = 1.2, arrow_head = 7;

static const double farthest = 1000; /* column or row */

/* The size of a diagram, and where its first column and row are. */
typedef struct layout {
    lb_size size, box, step;
    lb_point top;   /* the middle of its top edge, where the title begins */
    lb_point first; /* the corner of a box in column 0 and row 0 */
} layout;

static bool is_place(double number)
{
    return number >= 0 && number <= farthest; /* false for NaN */
}

static const char *wrong_with(const lb_flow *flow)
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

/* The size does not depend on `area`; the diagram is centred in it. */
static layout arrange(const lb_flow *flow, const lb_style *style, lb_rect area)
{
    double p = style->point, label = 0, title = 0, above = 0;
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
    if (flow->title) {
        lb_size text = lb_text_measure(style->bold, LB_SIZE_TITLE * p, flow->title);
        title = text.width;
        above = ceil(text.height + title_gap * p);
    }
    layout l = {.box.height = round(LB_BOX_SIDE * p)};
    l.box.width = fmax(l.box.height, ceil(label + LB_BOX_PADDING * p));
    l.step = (lb_size){l.box.width + round(beside * p), l.box.height + round(below * p)};
    double width = (right - left) * l.step.width + l.box.width;
    l.size = (lb_size){ceil(fmax(title, width)), ceil(above + (bottom - top) * l.step.height + l.box.height)};
    l.top = (lb_point){area.x + area.width / 2, area.y + floor((area.height - l.size.height) / 2)};
    l.first.x = floor(l.top.x - width / 2) - left * l.step.width;
    l.first.y = l.top.y + above - top * l.step.height;
    return l;
}

static lb_rect box_at(const layout *l, const lb_flow_box *box)
{
    return (lb_rect){round(l->first.x + box->column * l->step.width),
                     round(l->first.y + box->row * l->step.height), l->box.width, l->box.height};
}

/* Where an arrow starts (or ends) on the edge that it shares with others: they are in the order of the columns at their
 * other ends, so that they do not cross at the box. */
static double place(const lb_flow *flow, int64_t index, bool starts, lb_rect box)
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

static lb_size measure(const void *content, const lb_style *style)
{
    const lb_flow *flow = content;
    return wrong_with(flow) ? (lb_size){1, 1} : arrange(flow, style, (lb_rect){0}).size;
}

static void draw_arrows(const lb_flow *flow, const layout *l, const lb_style *style, lb_canvas *canvas)
{
    for (int64_t i = 0; i < flow->arrow_count; i++) {
        lb_rect from = box_at(l, &flow->boxes[flow->arrows[i].from]);
        lb_rect to = box_at(l, &flow->boxes[flow->arrows[i].to]);
        lb_point start = {place(flow, i, true, from), from.y + from.height};
        lb_point end = {place(flow, i, false, to), to.y};
        lb_canvas_arrow(canvas, start, end, arrow_width * style->point, arrow_head * style->point,
                        lb_rgb(0x555555));
    }
}

static void draw(const void *content, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    const lb_flow *flow = content;
    if (lb_canvas_refuses(canvas, wrong_with(flow))) return;
    layout l = arrange(flow, style, area);
    lb_text_style title = lb_box_text(style->bold, LB_SIZE_TITLE * style->point);
    lb_text_style label = lb_box_text(style->regular, LB_SIZE_AXIS * style->point);
    title.valign = LB_VALIGN_TOP;
    if (flow->title) lb_text_draw(canvas, &title, l.top, flow->title);
    draw_arrows(flow, &l, style, canvas);
    for (int64_t i = 0; i < flow->box_count; i++) {
        const lb_flow_box *box = &flow->boxes[i];
        lb_box_draw(canvas, &label, box_at(&l, box), lb_style_pixels(style, border),
                    box->fill.alpha == 0 ? lb_rgb(0xADD8E6) : box->fill, box->label ? box->label : "");
    }
}

lb_panel lb_flow_panel(const lb_flow *flow)
{
    return (lb_panel){.content = flow, .measure = measure, .draw = draw};
}
