#include "plot/color.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From matplotlib 3.6.3: entries 0, 31, 64, 100, 128, 200 and 255 of the 256 colours, rounded to bytes. */
enum { ANCHORS = 7 };
static const int anchor_index[ANCHORS] = {0, 31, 64, 100, 128, 200, 255};
static const struct {
    lb_colormap map;
    int rgb[ANCHORS][3];
} anchors[] = {
    {LB_COLORMAP_YLORRD,
     {{255, 255, 204},
      {255, 237, 161},
      {254, 217, 118},
      {254, 173, 74},
      {253, 140, 60},
      {217, 19, 31},
      {128, 0, 38}}},
    {LB_COLORMAP_VIRIDIS,
     {{68, 1, 84},
      {71, 44, 122},
      {59, 82, 139},
      {42, 118, 142},
      {33, 145, 140},
      {112, 207, 87},
      {253, 231, 37}}},
    {LB_COLORMAP_PLASMA,
     {{13, 8, 135},
      {75, 3, 161},
      {126, 3, 168},
      {174, 40, 146},
      {204, 71, 120},
      {251, 161, 57},
      {240, 249, 33}}},
    {LB_COLORMAP_BLUES,
     {{247, 251, 255},
      {223, 235, 247},
      {198, 219, 239},
      {151, 198, 223},
      {106, 174, 214},
      {26, 104, 174},
      {8, 48, 107}}},
    {LB_COLORMAP_GREENS,
     {{247, 252, 245},
      {229, 245, 225},
      {199, 233, 192},
      {155, 214, 150},
      {115, 196, 118},
      {25, 131, 62},
      {0, 68, 27}}},
    {LB_COLORMAP_REDS,
     {{255, 245, 240},
      {254, 225, 211},
      {252, 187, 161},
      {252, 141, 109},
      {251, 105, 74},
      {193, 22, 27},
      {103, 0, 13}}},
};

static const char *const names[] = {
#define NAME(constant, name) [constant] = #name,
    LB_COLORMAP_LIST(NAME)
#undef NAME
};

START_LOOP_TEST(test_colormap_at_anchors_equals_published_colors, 6)
{
    for (int a = 0; SUPPORT_ROW(a, anchor_index); a++) {
        lb_color c = lb_colormap_at(anchors[_i].map, (anchor_index[a] + 0.5) / 256);
        const int *rgb = anchors[_i].rgb[a];
        int worst = abs(c.red - rgb[0]);
        if (abs(c.green - rgb[1]) > worst) worst = abs(c.green - rgb[1]);
        if (abs(c.blue - rgb[2]) > worst) worst = abs(c.blue - rgb[2]);
        ck_assert_msg(worst <= 1, "%s[%d] is %d,%d,%d", names[anchors[_i].map], anchor_index[a], c.red,
                      c.green, c.blue);
        ck_assert_int_eq(c.alpha, 255);
    }
}
END_TEST

static bool same(lb_color a, lb_color b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

START_TEST(test_colormap_at_out_of_range_clamps)
{
    lb_colormap map = LB_COLORMAP_VIRIDIS;
    ck_assert(same(lb_colormap_at(map, -3), lb_rgb(0xF8B65A)));
    ck_assert(same(lb_colormap_at(map, -INFINITY), lb_rgb(0xF8B65A)));
    ck_assert(same(lb_colormap_at(map, 1e300), lb_rgb(0xFDE725)));
    ck_assert(same(lb_colormap_at(map, INFINITY), lb_rgb(0xFDE725)));
    ck_assert(same(lb_colormap_at(map, NAN), lb_rgb(0xE0E0E0)));
}
END_TEST

/* The sum of the differences of the channels. */
static int apart(lb_color a, lb_color b)
{
    return abs(a.red - b.red) + abs(a.green - b.green) + abs(a.blue - b.blue);
}

/* Below zero, colours go away from that of zero in small steps, and the same number above it has another one. */
START_LOOP_TEST(test_colormap_at_below_zero_has_other_colors, 6)
{
    lb_colormap map = (lb_colormap)_i;
    ck_assert(same(lb_colormap_at(map, -1e-9), lb_colormap_at(map, 0)));
    for (int i = 1; i < 256; i++) {
        lb_color below = lb_colormap_at(map, -(i + 0.5) / 256);
        ck_assert_int_le(apart(below, lb_colormap_at(map, -(i - 0.5) / 256)), 12);
        if (i > 64) ck_assert_int_ge(apart(below, lb_colormap_at(map, (i + 0.5) / 256)), 60);
    }
}
END_TEST

START_TEST(test_colormap_find_knows_every_name_in_any_case)
{
    for (int i = 0; i <= (int)LB_COLORMAP_REDS; i++) {
        lb_colormap map = LB_COLORMAP_YLORRD;
        ck_assert_int_eq(lb_colormap_find(names[i], &map, NULL), LB_OK);
        ck_assert_int_eq(map, i);
    }
    lb_colormap map;
    ck_assert_int_eq(lb_colormap_find("YlOrRd", &map, NULL), LB_OK);
    ck_assert_int_eq(map, LB_COLORMAP_YLORRD);
}
END_TEST

START_TEST(test_colormap_find_unknown_lists_the_names)
{
    lb_error error = {0};
    lb_colormap map = LB_COLORMAP_PLASMA;
    ck_assert_int_eq(lb_colormap_find("jet", &map, &error), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(map, LB_COLORMAP_PLASMA);
    ck_assert_str_eq(
        error.message,
        "unknown colour map 'jet', expected one of: ylorrd, viridis, plasma, blues, greens, reds");
}
END_TEST

START_TEST(test_luminance_of_primaries)
{
    ck_assert_double_eq_tol(lb_color_luminance(lb_rgb(0xFFFFFF)), 1, 1e-12);
    ck_assert_double_eq(lb_color_luminance(lb_rgb(0)), 0);
    ck_assert_double_eq_tol(lb_color_luminance(lb_rgb(0xFF0000)), 0.2126, 1e-12);
    ck_assert_double_eq_tol(lb_color_luminance(lb_rgb(0x00FF00)), 0.7152, 1e-12);
    ck_assert_double_eq_tol(lb_color_luminance(lb_rgb(0x808080)), 0.21586, 1e-5);
}
END_TEST

START_LOOP_TEST(test_contrast_is_readable_on_every_color_of_every_map, 12)
{
    for (int i = 0; i < 256; i++) {
        lb_color below = lb_colormap_at((lb_colormap)(_i / 2), (_i % 2 ? -1 : 1) * (i + 0.5) / 256),
                 ink = lb_color_contrast(below);
        double a = lb_color_luminance(below) + 0.05, b = lb_color_luminance(ink) + 0.05;
        ck_assert(same(ink, lb_rgb(0)) || same(ink, lb_rgb(0xFFFFFF)));
        ck_assert_double_ge(fmax(a, b) / fmin(a, b), 3.5);
    }
    ck_assert(same(lb_color_contrast(lb_rgb(0xFFFFCC)), lb_rgb(0)));
    ck_assert(same(lb_color_contrast(lb_rgb(0x800026)), lb_rgb(0xFFFFFF)));
    ck_assert(same(lb_color_contrast(lb_rgb(0xE31A1C)), lb_rgb(0xFFFFFF)));
    ck_assert(same(lb_color_contrast(lb_rgb(0xFD8D3C)), lb_rgb(0)));
}
END_TEST

START_TEST(test_series_colors_differ_and_repeat_after_fifteen)
{
    for (int i = 0; i < 15; i++) {
        ck_assert(same(lb_color_series(i), lb_color_series(i + 15)));
        for (int j = 0; j < i; j++) ck_assert(!same(lb_color_series(i), lb_color_series(j)));
        ck_assert_double_ge(1.05 / (lb_color_luminance(lb_color_series(i)) + 0.05), 2); /* seen on white */
    }
}
END_TEST
