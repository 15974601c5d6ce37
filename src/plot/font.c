#include "plot/font.h"

#include "base/alloc.h"
#include "plot/font_check.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Memory as stb_truetype asks for it: `failed` is told when there is none. It may read one point past an outline
 * that starts badly, hence the slack. */
static void *outline_alloc(size_t bytes, bool *failed)
{
    enum { SLACK = 64 };
    void *memory = lb_alloc_zero(bytes + SLACK);
    if (!memory) *failed = true;
    return memory;
}

#define STBTT_malloc(bytes, failed) outline_alloc(bytes, failed)
#define STBTT_free(memory, failed)  ((void)(failed), lb_release(memory))
#define STBTT_assert(condition)     ((void)0) /* a font from a user must not abort; font_check.h stands guard */
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb_truetype.h>

extern const unsigned char lb_font_data_regular[], lb_font_data_bold[]; /* font_data.S */

struct lb_font {
    stbtt_fontinfo info;
    double scale; /* from the units of the font to parts of its size */
    lb_font_metrics metrics;
    unsigned char *owned; /* NULL if the font is built in */
};

/* The box that stands for a missing character, in parts of the size. */
static const double box_advance = 0.6, box_left = 0.06, box_right = 0.54, box_top = 0.72, box_line = 0.05;

static double top_of(const lb_font *font, int32_t character, double otherwise)
{
    int x0, y0, x1, y1, glyph = lb_font_glyph(font, character);
    bool found = glyph && stbtt_GetGlyphBox(&font->info, glyph, &x0, &y0, &x1, &y1) && y1 > 0;
    return found ? y1 * font->scale : otherwise;
}

static bool init(lb_font *font, const unsigned char *data)
{
    if (!stbtt_InitFont(&font->info, data, 0)) return false;
    int ascent, descent, gap;
    stbtt_GetFontVMetrics(&font->info, &ascent, &descent, &gap);
    font->scale = (double)stbtt_ScaleForMappingEmToPixels(&font->info, 1);
    font->info.gpos = 0; /* its offsets are unchecked; kerning comes from "kern" */
    font->metrics = (lb_font_metrics){.ascent = ascent * font->scale, .descent = -descent * font->scale};
    font->metrics.line = fmax(1.2, (ascent - descent + gap) * font->scale);
    font->metrics.capital = top_of(font, 'H', 0.72);
    font->metrics.small = top_of(font, 'x', 0.54);
    return true;
}

lb_font *lb_font_builtin(lb_font_weight weight, lb_error *error)
{
    lb_font *font = lb_alloc_zero(sizeof *font);
    if (!font || !init(font, weight == LB_FONT_BOLD ? lb_font_data_bold : lb_font_data_regular)) {
        lb_release(font);
        lb_error_set(error, LB_ERROR_MEMORY, "font: out of memory");
        return NULL;
    }
    return font;
}

/* Takes over `data`, which ends with the padding. */
static lb_font *font_from(unsigned char *data, size_t size, const char *name, lb_error *error)
{
    const char *wrong = lb_font_check(data, size);
    lb_font *font = wrong ? NULL : lb_alloc_zero(sizeof *font);
    if (!font) {
        if (wrong) lb_error_set(error, LB_ERROR_FORMAT, "%s: not a usable TrueType font: %s", name, wrong);
        if (!wrong) lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name);
        lb_release(data);
        return NULL;
    }
    font->owned = data;
    if (init(font, data)) return font;
    lb_error_set(error, LB_ERROR_FORMAT, "%s: the font has no character map for Unicode", name);
    lb_font_close(font);
    return NULL;
}

/* `size` bytes and the padding. */
static unsigned char *padded(size_t size, const char *name, lb_error *error)
{
    enum { LARGEST = 1 << 28 };
    if (size > LARGEST) {
        lb_error_set(error, LB_ERROR_FORMAT, "%s: too large for a font", name);
        return NULL;
    }
    unsigned char *data = lb_alloc_zero(size + LB_FONT_PADDING);
    if (!data) lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name);
    return data;
}

lb_font *lb_font_from_memory(const void *data, size_t size, const char *name, lb_error *error)
{
    unsigned char *copy = padded(size, name, error);
    if (!copy) return NULL;
    if (size) memcpy(copy, data, size);
    return font_from(copy, size, name, error);
}

/* Size of an open file that can be read from the start; -1 and errno if it cannot, as with a folder. */
static long readable_size(FILE *file)
{
    if (getc(file) == EOF && ferror(file)) return -1;
    if (fseek(file, 0, SEEK_END) != 0) return -1;
    long size = ftell(file);
    return size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

lb_font *lb_font_open(const char *path, lb_error *error)
{
    FILE *file = fopen(path, "rb");
    long size = file ? readable_size(file) : -1;
    if (size < 0) {
        lb_error_set(error, LB_ERROR_OPEN, "%s: %s", path, strerror(errno));
        if (file) fclose(file);
        return NULL;
    }
    unsigned char *data = padded((size_t)size, path, error);
    size_t got = data ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    return data ? font_from(data, got, path, error) : NULL;
}

void lb_font_close(lb_font *font)
{
    if (!font) return;
    lb_release(font->owned);
    lb_release(font);
}

lb_font_metrics lb_font_measure(const lb_font *font)
{
    return font->metrics;
}

int lb_font_glyph(const lb_font *font, int32_t character)
{
    int glyph = stbtt_FindGlyphIndex(&font->info, character);
    return glyph > 0 && glyph < font->info.numGlyphs ? glyph : 0;
}

double lb_font_advance(const lb_font *font, int glyph)
{
    if (glyph == 0) return box_advance;
    int advance, bearing;
    stbtt_GetGlyphHMetrics(&font->info, glyph, &advance, &bearing);
    return advance * font->scale;
}

double lb_font_kerning(const lb_font *font, int glyph, int next)
{
    if (glyph == 0 || next == 0) return 0;
    return stbtt_GetGlyphKernAdvance(&font->info, glyph, next) * font->scale;
}

/* Height `y` moved so that the tops of small letters and capitals are where the place wants them. */
static double fitted(const lb_font *font, const lb_glyph_place *place, double y)
{
    double small = font->metrics.small, capital = font->metrics.capital;
    if (place->small <= 0 || place->capital <= place->small || capital <= small || y <= 0) return y;
    if (y <= small) return y * place->small / small;
    if (y <= capital) return place->small + (y - small) * (place->capital - place->small) / (capital - small);
    return y + place->capital - capital;
}

static lb_point put(const lb_font *font, const lb_glyph_place *place, double x, double y)
{
    double up = fitted(font, place, y);
    return (lb_point){place->origin.x + x * place->right.x + up * place->up.x,
                      place->origin.y + x * place->right.y + up * place->up.y};
}

static void draw_box(const lb_font *font, const lb_glyph_place *place, lb_canvas *canvas)
{
    for (int ring = 0; ring < 2; ring++) {
        double inset = ring * box_line;
        double left = box_left + inset, right = box_right - inset, low = inset, high = box_top - inset;
        const lb_point corner[] = {put(font, place, left, low), put(font, place, left, high),
                                   put(font, place, right, high), put(font, place, right, low)};
        for (int i = 0; i < 4; i++) {
            lb_point a = corner[i], b = corner[(i + 1) % 4];
            lb_canvas_edge(canvas, ring ? b : a,
                           ring ? a : b); /* the inner ring runs the other way: a hole */
        }
    }
}

/* A quadratic curve as straight edges, close enough for any size that is read. */
static void draw_curve(lb_canvas *canvas, lb_point from, lb_point control, lb_point to)
{
    double bend = hypot(from.x - 2 * control.x + to.x, from.y - 2 * control.y + to.y);
    int pieces = 1 + (int)fmin(sqrt(bend / (4 * 0.02)), 64); /* no further than 0.02 pixels from the curve */
    lb_point last = from;
    for (int i = 1; i <= pieces; i++) {
        double t = (double)i / pieces, s = 1 - t;
        lb_point next = {s * s * from.x + 2 * s * t * control.x + t * t * to.x,
                         s * s * from.y + 2 * s * t * control.y + t * t * to.y};
        if (i == pieces) next = to;
        lb_canvas_edge(canvas, last, next);
        last = next;
    }
}

void lb_font_draw(const lb_font *font, int glyph, const lb_glyph_place *place, lb_canvas *canvas)
{
    if (glyph == 0) {
        draw_box(font, place, canvas);
        return;
    }
    bool failed = false;
    stbtt_fontinfo info = font->info;
    info.userdata = &failed;
    stbtt_vertex *vertices = NULL;
    int count = stbtt_GetGlyphShape(&info, glyph, &vertices);
    if (failed) lb_canvas_fail(canvas, LB_ERROR_MEMORY, "text: out of memory");
    lb_point pen = place->origin;
    for (int i = 0; i < count; i++) {
        const stbtt_vertex *v = &vertices[i];
        lb_point to = put(font, place, v->x * font->scale, v->y * font->scale);
        lb_point control = put(font, place, v->cx * font->scale, v->cy * font->scale);
        if (v->type == STBTT_vline) lb_canvas_edge(canvas, pen, to);
        if (v->type == STBTT_vcurve) draw_curve(canvas, pen, control, to);
        pen = to;
    }
    lb_release(vertices);
}
