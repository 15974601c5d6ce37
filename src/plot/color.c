#include "plot/color.h"

#include <math.h>

static double linear(uint8_t channel)
{
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double lb_color_luminance(lb_color color)
{
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

lb_color lb_color_contrast(lb_color background)
{
    double with_white = 1.05 / (lb_color_luminance(background) + 0.05);
    return with_white >= 3.5 ? lb_rgb(0xFFFFFF) : lb_rgb(0x000000);
}

lb_color lb_color_series(int index)
{
    static const uint32_t palette[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00,
                                       0x56B4E9, 0x000000, 0x882255, 0x999933, 0x332288,
                                       0x888888, 0x44AA99, 0x661100, 0xAA4499, 0xB8860B};
    enum { COUNT = sizeof palette / sizeof palette[0] };
    return lb_rgb(palette[(index % COUNT + COUNT) % COUNT]);
}
