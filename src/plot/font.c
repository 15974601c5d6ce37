#include "plot/font.h"

#include "base/alloc.h"

#include <errno.h>
#include <hb-ot.h>
#include <hb.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char lb_font_data_regular[], lb_font_data_regular_end[]; /* font_data.S */
extern const char lb_font_data_bold[], lb_font_data_bold_end[];

enum { LARGEST = 1 << 28 };

static double top_of(const lb_font *font, hb_codepoint_t character, double otherwise)
{
    hb_codepoint_t glyph;
    hb_glyph_extents_t box;
    bool found = hb_font_get_nominal_glyph(font->hb, character, &glyph) &&
                 hb_font_get_glyph_extents(font->hb, glyph, &box) && box.y_bearing > 0;
    return found ? box.y_bearing / font->units : otherwise;
}

static void read_metrics(lb_font *font)
{
    hb_font_extents_t extents;
    if (!hb_font_get_h_extents(font->hb, &extents))
        extents = (hb_font_extents_t){.ascender = (int)(0.93 * font->units),
                                      .descender = (int)(-0.24 * font->units)};
    double ascent = extents.ascender / font->units, descent = -extents.descender / font->units;
    font->metrics = (lb_font_metrics){.ascent = ascent, .descent = descent};
    font->metrics.line = fmax(1.2, ascent + descent + extents.line_gap / font->units);
    font->metrics.capital = top_of(font, 'H', 0.72);
    font->metrics.small = top_of(font, 'x', 0.54);
    unsigned room = sizeof font->family;
    hb_ot_name_get_utf8(hb_font_get_face(font->hb), HB_OT_NAME_ID_FONT_FAMILY,
                        hb_language_from_string("en", -1), &room, font->family);
    font->bold = hb_style_get_value(font->hb, HB_STYLE_TAG_WEIGHT) >= 600;
}

/* NULL if the font is usable, otherwise an error message. */
static const char *wrong_with(hb_face_t *face)
{
    hb_set_t *characters = hb_set_create();
    hb_face_collect_unicodes(face, characters);
    bool empty = hb_set_is_empty(characters);
    hb_set_destroy(characters);
    if (hb_face_get_glyph_count(face) == 0 || hb_face_get_upem(face) == 0) return "it has no glyphs";
    if (empty) return "it has no character map for Unicode";
    static const char outlines[][5] = {"glyf", "CFF ", "CFF2"};
    unsigned found = 0;
    for (int i = 0; i < 3; i++) {
        const char *tag = outlines[i];
        hb_blob_t *table = hb_face_reference_table(face, HB_TAG(tag[0], tag[1], tag[2], tag[3]));
        found += hb_blob_get_length(table);
        hb_blob_destroy(table);
    }
    return found ? NULL : "it has no outlines";
}

/* Font number `index` of a file; takes over a reference to the blob. */
static lb_font *font_from(hb_blob_t *blob, unsigned index, const char *name, lb_error *error)
{
    unsigned count = hb_face_count(blob);
    const char *wrong = count == 0 ? "it is neither TrueType nor OpenType" : NULL;
    hb_face_t *face = hb_face_create(blob, index);
    hb_blob_destroy(blob);
    if (!wrong && index < count) wrong = wrong_with(face);
    lb_font *font = lb_alloc_zero(sizeof *font);
    if (font) font->failed = lb_alloc_zero(sizeof *font->failed);
    if (wrong || index >= count || !font || !font->failed) {
        if (wrong)
            lb_error_set(error, LB_ERROR_FORMAT, "%s: not a usable font: %s", name, wrong);
        else if (index >= count)
            lb_error_set(error, LB_ERROR_FORMAT, "%s: expected a font from 0 to %u, found %u", name,
                         count - 1, index);
        else
            lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name);
        hb_face_destroy(face);
        if (font) lb_release(font->failed);
        lb_release(font);
        return NULL;
    }
    font->index = index;
    font->units = hb_face_get_upem(face);
    font->hb = hb_font_create(face);
    hb_face_destroy(face);
    read_metrics(font);
    return font;
}

lb_font *lb_font_builtin(lb_font_weight weight, lb_error *error)
{
    const char *data = weight == LB_FONT_BOLD ? lb_font_data_bold : lb_font_data_regular;
    const char *end = weight == LB_FONT_BOLD ? lb_font_data_bold_end : lb_font_data_regular_end;
    return font_from(hb_blob_create(data, (unsigned)(end - data), HB_MEMORY_MODE_READONLY, NULL, NULL), 0,
                     "font", error);
}

/* Size of an open, seekable file; -1 and errno if it cannot be read, as with a folder. */
static long readable_size(FILE *file)
{
    if (getc(file) == EOF && ferror(file)) return -1;
    if (fseek(file, 0, SEEK_END) != 0) return -1;
    long size = ftell(file);
    return size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

/* Opens "FILE", or "FILE#N" for font number N of a collection. */
static FILE *open_numbered(const char *path, unsigned *index)
{
    *index = 0;
    FILE *file = fopen(path, "rb");
    const char *hash = strrchr(path, '#');
    size_t digits = hash ? strspn(hash + 1, "0123456789") : 0;
    if (file || digits == 0 || digits > 4 || hash[1 + digits]) return file;
    char *name = lb_alloc_string(path);
    if (!name) return NULL;
    name[hash - path] = '\0';
    file = fopen(name, "rb");
    lb_release(name);
    if (file) *index = (unsigned)strtoul(hash + 1, NULL, 10);
    return file;
}

lb_font *lb_font_open(const char *path, lb_error *error)
{
    unsigned index;
    FILE *file = open_numbered(path, &index);
    long size = file ? readable_size(file) : -1;
    if (size < 0) {
        lb_error_set(error, LB_ERROR_OPEN, "%s: %s", path, strerror(errno));
        if (file) fclose(file);
        return NULL;
    }
    char *data = size <= LARGEST ? lb_alloc((size_t)size + 1) : NULL;
    if (size > LARGEST)
        lb_error_set(error, LB_ERROR_FORMAT, "%s: too large for a font", path);
    else if (!data)
        lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    size_t got = data ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (!data) return NULL;
    hb_blob_t *blob = hb_blob_create(data, (unsigned)got, HB_MEMORY_MODE_READONLY, data, lb_release);
    lb_font *font = font_from(blob, index, path, error);
    if (font) font->next = lb_font_builtin(font->bold ? LB_FONT_BOLD : LB_FONT_REGULAR, error);
    if (font && font->next) return font;
    lb_font_close(font);
    return NULL;
}

void lb_font_close(lb_font *font)
{
    if (!font) return;
    lb_font_close(font->next);
    hb_font_destroy(font->hb);
    lb_release(font->failed);
    lb_release(font);
}

const lb_font *lb_font_find(const lb_font *font, int32_t character)
{
    hb_codepoint_t glyph;
    for (; font; font = font->next)
        if (hb_font_get_nominal_glyph(font->hb, (hb_codepoint_t)character, &glyph) && glyph != 0) return font;
    return NULL;
}

void lb_font_fail(const lb_font *font)
{
    atomic_store(font->failed, true);
}

bool lb_font_failed(const lb_font *font)
{
    return atomic_exchange(font->failed, false);
}
