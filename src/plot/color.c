#include "plot/color.h"

#include "base/format.h"
#include "plot/colormap_tables.h"

#include <math.h>
#include <strings.h>

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

enum { COLORS = 256 };

typedef struct table {
    const char *name;
    const uint32_t *control; /* 0xRRGGBB, equally spaced over [0, 1] */
    int count;
} table;

static const table tables[] = {
#define TABLE(constant, name)                                                                                \
    [constant] = {#name, lb_table_##name, (int)(sizeof lb_table_##name / sizeof lb_table_##name[0])},
    LB_COLORMAP_LIST(TABLE)
#undef TABLE
};

bool lb_colormap_exists(lb_colormap map)
{
    return (unsigned)map < sizeof tables / sizeof *tables;
}

static uint8_t between(uint8_t a, uint8_t b, double t)
{
    return (uint8_t)lround(a + (b - a) * t);
}

lb_color lb_colormap_at(lb_colormap map, double value)
{
    if (isnan(value)) return lb_rgb(0xE0E0E0);
    const table *t = &tables[map];
    int index = value > 0 ? (int)(fmin(value, 1) * COLORS) : 0;
    if (index > COLORS - 1) index = COLORS - 1;
    double position = (double)index * (t->count - 1) / (COLORS - 1);
    int below = (int)position, above = below + (below + 1 < t->count);
    lb_color a = lb_rgb(t->control[below]), b = lb_rgb(t->control[above]);
    double part = position - below;
    return (lb_color){between(a.red, b.red, part), between(a.green, b.green, part),
                      between(a.blue, b.blue, part), 255};
}

/* In small letters or capitals; in Turkish, "VIRIDIS" would have another i. */
static bool same_name(const char *a, const char *b)
{
    lb_plain_locale locale = lb_plain_locale_enter();
    bool same = strcasecmp(a, b) == 0;
    lb_plain_locale_leave(locale);
    return same;
}

lb_status lb_colormap_find(const char *name, lb_colormap *map, lb_error *error)
{
    for (int i = 0; i < (int)(sizeof tables / sizeof tables[0]); i++) {
        if (!same_name(name, tables[i].name)) continue;
        *map = (lb_colormap)i;
        return LB_OK;
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT, "unknown colour map '%s', expected one of: %s", name,
                        lb_colormap_names());
}

const char *lb_colormap_names(void)
{
    static const char list[] =
#define COMMA_NAME(constant, name) ", " #name
        LB_COLORMAP_LIST(COMMA_NAME);
#undef COMMA_NAME
    return list + 2;
}
