#include "plot/panel.h"

#include <math.h>

double lb_style_pixels(const lb_style *style, double points)
{
    return fmax(1, round(points * style->point));
}
