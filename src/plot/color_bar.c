/* Draws the colour bar of a heat map or a figure. */
#include "plot/color.h"

#include "plot/axis.h"
#include "plot/figure.h"

#include <math.h>

/* Sizes in points, 1/72 inch. */
static const double bar_width = 15, tick_length = 3.5, tick_gap = 3, label_gap = 8, line_width = 0.8;
static const double tick_room = 2.2 * LB_SIZE_TICK;

/* With room for five ticks a scale has at least two, whatever its range; with less room it may have one. */
enum { LEAST_TICKS = 5, MOST_TICKS = 6 };

lb_color lb_color_bar_at(const lb_color_bar *bar, double value)
{
    if (bar->min < 0 && bar->min == -bar->max) return lb_colormap_at(bar->colormap, value / bar->max);
    double range = bar->max - bar->min, above = range > 0 ? (value - bar->min) / range : value - bar->min;
    return lb_colormap_at(bar->colormap, above < 0 ? 0 : above);
}

/* The widest label at any height: shorter bars have fewer ticks, but these may have more digits. */
static double ticks_width(const lb_color_bar *bar, const lb_style *style)
{
    double widest = 0;
    for (int most = 2; most <= MOST_TICKS; most++) {
        lb_ticks ticks = lb_ticks_linear(bar->min, bar->max, most);
        widest = fmax(widest, lb_ticks_width(&ticks, style));
    }
    return widest;
}

lb_size lb_color_bar_measure(const lb_color_bar *bar, const lb_style *style)
{
    double p = style->point;
    lb_size size = {(bar_width + tick_length + tick_gap) * p + ticks_width(bar, style),
                    LEAST_TICKS * tick_room * p};
    if (bar->label) {
        lb_size label = lb_text_measure(style->regular, LB_SIZE_SMALL * p, bar->label);
        size.width += label_gap * p + label.height;
        size.height = fmax(size.height, label.width);
    }
    return (lb_size){ceil(size.width), ceil(size.height)};
}

void lb_color_bar_draw(const lb_color_bar *bar, const lb_style *style, lb_canvas *canvas, lb_rect area)
{
    double p = style->point, line = lb_style_pixels(style, line_width);
    double width = round(bar_width * p), tick = lb_style_pixels(style, tick_length);
    lb_color ink = lb_style_grey(style, 0x26);
    for (int i = 0; i < (int)area.height; i++) {
        double part = 1 - (i + 0.5) / area.height;
        lb_color color = lb_color_bar_at(bar, bar->min + part * (bar->max - bar->min));
        /* Two pixels high, and the next row covers one: otherwise documents would show seams. */
        double height = fmin(2, area.height - i);
        lb_canvas_rect(canvas, (lb_rect){area.x, area.y + i, width, height}, color);
    }
    lb_canvas_border(canvas, (lb_rect){area.x, area.y, width, area.height}, line, ink);

    int most = (int)(area.height / (tick_room * p));
    lb_ticks ticks = lb_ticks_linear(bar->min, bar->max, most < MOST_TICKS ? most : MOST_TICKS);
    double x = area.x + width, widest = ticks_width(bar, style);
    for (int i = 0; i < ticks.count; i++) {
        double part = (ticks.value[i] - bar->min) / (bar->max - bar->min);
        double y = round(area.y + line / 2 + (1 - part) * (area.height - line) - line / 2);
        lb_canvas_rect(canvas, (lb_rect){x, y, tick, line}, ink);
        char text[LB_TICK_TEXT];
        const lb_text_style label = lb_style_label(style, LB_ALIGN_LEFT, LB_VALIGN_MIDDLE, ink);
        lb_text_draw(canvas, &label, (lb_point){x + tick + tick_gap * p, y + line / 2},
                     lb_tick_format(&ticks, i, text));
    }
    if (!bar->label) return;
    lb_text_style label = {.font = style->regular, .size = LB_SIZE_SMALL * p, .angle = 270, .color = ink};
    label.align = LB_ALIGN_CENTER;
    label.valign = LB_VALIGN_BOTTOM;
    x += tick + (tick_gap + label_gap) * p + widest;
    lb_text_draw(canvas, &label, (lb_point){x, area.y + area.height / 2}, bar->label);
}
