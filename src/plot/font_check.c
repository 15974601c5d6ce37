#include "plot/font_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Shapes that one glyph may be put together from, in all. Real fonts stay below ten. */
enum { MAX_PARTS = 64, MAX_DEPTH = 8 };

typedef struct font_view {
    const unsigned char *data;
    size_t glyf, glyf_size, loca;
    bool long_offsets;
    uint32_t glyphs;
} font_view;

typedef struct span {
    size_t start, size;
} span;

static uint32_t u16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t u32(const unsigned char *p)
{
    return u16(p) << 16 | u16(p + 2);
}

/* The table called `tag`, at least `least` bytes long and inside of the file; size 0 if there is none. */
static span find_table(const unsigned char *data, size_t size, const char *tag, size_t least)
{
    uint32_t tables = u16(data + 4);
    for (uint32_t i = 0; i < tables; i++) {
        const unsigned char *entry = data + 12 + (size_t)16 * i;
        if (memcmp(entry, tag, 4) != 0) continue;
        span found = {u32(entry + 8), u32(entry + 12)};
        bool inside = found.start <= size && found.size <= size - found.start;
        return inside && found.size >= least ? found : (span){0};
    }
    return (span){0};
}

static size_t outline_start(const font_view *font, uint32_t glyph)
{
    const unsigned char *loca = font->data + font->loca;
    return font->long_offsets ? u32(loca + (size_t)4 * glyph) : (size_t)2 * u16(loca + (size_t)2 * glyph);
}

/* Length of one component of a composite glyph, by its flags. */
static size_t component_size(uint32_t flags)
{
    size_t size = flags & 1 ? 8 : 6;
    if (flags & 0x08) return size + 2;
    if (flags & 0x40) return size + 4;
    return flags & 0x80 ? size + 8 : size;
}

static const char *check_glyph(const font_view *font, uint32_t glyph, int depth, int *parts);

static const char *check_composite(const font_view *font, size_t start, size_t end, int depth, int *parts)
{
    enum { MORE = 0x20, ARE_XY_VALUES = 0x02 };
    uint32_t flags = MORE;
    while (flags & MORE) {
        if (end - start < 6) return "a composite glyph ends too early";
        flags = u16(font->data + start);
        if (!(flags & ARE_XY_VALUES)) return "a composite glyph is placed by matching points";
        if (end - start < component_size(flags)) return "a composite glyph ends too early";
        const char *wrong = check_glyph(font, u16(font->data + start + 2), depth + 1, parts);
        if (wrong) return wrong;
        start += component_size(flags);
    }
    return NULL;
}

static const char *check_glyph(const font_view *font, uint32_t glyph, int depth, int *parts)
{
    if (glyph >= font->glyphs) return "a composite glyph refers to a glyph that does not exist";
    if (depth > MAX_DEPTH || --*parts < 0) return "a composite glyph has too many parts";
    size_t start = outline_start(font, glyph), end = outline_start(font, glyph + 1);
    if (start > end || end > font->glyf_size) return "an outline lies outside of its table";
    if (start == end) return NULL;
    if (end - start < 10) return "an outline is too short";
    bool composite = font->data[font->glyf + start] & 0x80; /* a negative number of contours */
    return composite ? check_composite(font, font->glyf + start + 10, font->glyf + end, depth, parts) : NULL;
}

static const char *check_character_map(const unsigned char *data, span cmap)
{
    uint32_t maps = u16(data + cmap.start + 2);
    if (cmap.size < 4 + (size_t)8 * maps) return "the list of character maps is too short";
    for (uint32_t i = 0; i < maps; i++) {
        uint32_t offset = u32(data + cmap.start + 4 + (size_t)8 * i + 4);
        if (offset > cmap.size || cmap.size - offset < 16) return "a character map lies outside of its table";
        const unsigned char *map = data + cmap.start + offset;
        bool has_groups = u16(map) == 12 || u16(map) == 13;
        if (has_groups && u32(map + 12) > (cmap.size - offset - 16) / 12)
            return "a character map is too short";
    }
    return NULL;
}

const char *lb_font_check(const unsigned char *data, size_t size)
{
    if (size < 12) return "it is too short";
    bool truetype = u32(data) == 0x00010000 || memcmp(data, "true", 4) == 0;
    if (!truetype) return "it does not start as a TrueType font does";
    if (size < 12 + (size_t)16 * u16(data + 4)) return "its list of tables is too short";

    span head = find_table(data, size, "head", 54), maxp = find_table(data, size, "maxp", 6);
    span hhea = find_table(data, size, "hhea", 36), hmtx = find_table(data, size, "hmtx", 4);
    span cmap = find_table(data, size, "cmap", 4), loca = find_table(data, size, "loca", 2);
    span glyf = find_table(data, size, "glyf", 1);
    if (!head.size || !maxp.size || !hhea.size || !hmtx.size || !cmap.size || !loca.size || !glyf.size)
        return "one of the tables head, maxp, hhea, hmtx, cmap, loca, glyf is missing or lies outside of the "
               "file";

    uint32_t units = u16(data + head.start + 18), format = u16(data + head.start + 50);
    if (units < 16 || units > 16384) return "its units per em are out of range";
    if (format > 1) return "the format of its offsets is unknown";
    font_view font = {.data = data, .glyf = glyf.start, .glyf_size = glyf.size};
    font.loca = loca.start;
    font.long_offsets = format == 1;
    font.glyphs = u16(data + maxp.start + 4);
    if (loca.size < ((size_t)font.glyphs + 1) * (font.long_offsets ? 4 : 2)) return "it has too few offsets";
    uint32_t widths = u16(data + hhea.start + 34);
    if (widths < 1 || widths > font.glyphs) return "its number of widths is out of range";

    for (uint32_t glyph = 0; glyph < font.glyphs; glyph++) {
        int parts = MAX_PARTS;
        const char *wrong = check_glyph(&font, glyph, 0, &parts);
        if (wrong) return wrong;
    }
    return check_character_map(data, cmap);
}
