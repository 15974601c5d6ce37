/* Turns a line of text into glyphs and their positions, by HarfBuzz and FriBidi. */
#include "plot/font.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <fribidi.h>
#include <hb.h>
#include <string.h>
#include <utf8proc.h>

enum { FIRST_LEFTWARD = 0x590 };

/* The characters of a line and their properties. */
typedef struct letters {
    size_t count;
    uint32_t *character;
    size_t *begin; /* [count + 1] byte offsets in the text */
    const lb_font **font;
    hb_script_t *script;
    FriBidiLevel *level;
    FriBidiCharType *type;
    FriBidiBracketType *bracket;
} letters;

/* Neighbours that are shaped together. */
typedef struct run {
    size_t begin, end;
    FriBidiLevel level;
} run;

static void free_letters(letters *l)
{
    lb_release(l->character);
    lb_release(l->begin);
    lb_release((void *)l->font);
    lb_release(l->script);
    lb_release(l->level);
    lb_release(l->type);
    lb_release(l->bracket);
}

static bool read_letters(const char *text, size_t bytes, letters *l)
{
    *l = (letters){.character = lb_alloc((bytes + 1) * sizeof *l->character),
                   .begin = lb_alloc((bytes + 1) * sizeof *l->begin),
                   .font = lb_alloc((bytes + 1) * sizeof *l->font),
                   .script = lb_alloc((bytes + 1) * sizeof *l->script),
                   .level = lb_alloc_zero((bytes + 1) * sizeof *l->level),
                   .type = lb_alloc((bytes + 1) * sizeof *l->type),
                   .bracket = lb_alloc((bytes + 1) * sizeof *l->bracket)};
    if (!l->character || !l->begin || !l->font || !l->script || !l->level || !l->type || !l->bracket)
        return false;
    for (const char *at = text; at < text + bytes;) {
        l->begin[l->count] = (size_t)(at - text);
        l->character[l->count++] = (uint32_t)lb_text_next(&at);
    }
    l->begin[l->count] = bytes;
    return true;
}

/* The font of a letter should also draw the marks after it. */
static bool follows(uint32_t character)
{
    utf8proc_category_t is = utf8proc_category((utf8proc_int32_t)character);
    return is == UTF8PROC_CATEGORY_MN || is == UTF8PROC_CATEGORY_MC || is == UTF8PROC_CATEGORY_ME ||
           is == UTF8PROC_CATEGORY_CF;
}

static void choose_fonts(letters *l, const lb_font *font)
{
    hb_unicode_funcs_t *unicode = hb_unicode_funcs_get_default();
    hb_script_t script = HB_SCRIPT_COMMON;
    for (size_t i = 0; i < l->count; i++) {
        hb_codepoint_t glyph;
        const lb_font *before = i > 0 ? l->font[i - 1] : NULL;
        bool stays = before && follows(l->character[i]) &&
                     hb_font_get_nominal_glyph(before->hb, l->character[i], &glyph);
        l->font[i] = stays ? before : lb_font_find(font, (int32_t)l->character[i]);
        hb_script_t own = hb_unicode_script(unicode, l->character[i]);
        if (own != HB_SCRIPT_COMMON && own != HB_SCRIPT_INHERITED) script = own;
        l->script[i] = script;
    }
    /* Characters before the first letter, such as a quotation mark, take its script. */
    for (size_t i = l->count; i-- > 1;)
        if (l->script[i - 1] == HB_SCRIPT_COMMON) l->script[i - 1] = l->script[i];
}

/* Fills the levels, odd for right-to-left text. False if memory runs out. */
static bool choose_directions(letters *l, bool *leftward)
{
    bool plain = true;
    for (size_t i = 0; i < l->count; i++) plain = plain && l->character[i] < FIRST_LEFTWARD;
    *leftward = false;
    if (plain) return true;
    FriBidiParType base = FRIBIDI_PAR_ON;
    FriBidiStrIndex count = (FriBidiStrIndex)l->count;
    fribidi_get_bidi_types(l->character, count, l->type);
    fribidi_get_bracket_types(l->character, count, l->type, l->bracket);
    if (fribidi_get_par_embedding_levels_ex(l->type, l->bracket, count, &base, l->level) == 0) return false;
    *leftward = FRIBIDI_IS_RTL(base);
    return true;
}

static size_t find_runs(const letters *l, run *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        bool joins = i > 0 && l->font[i] == l->font[i - 1] && l->level[i] == l->level[i - 1] &&
                     l->script[i] == l->script[i - 1];
        if (joins)
            runs[count - 1].end = i + 1;
        else
            runs[count++] = (run){i, i + 1, l->level[i]};
    }
    return count;
}

/* Changes reading order to visual order, left to right: rule L2 of the Unicode bidirectional algorithm. */
static void order_runs(run *runs, size_t count)
{
    FriBidiLevel highest = 0;
    for (size_t i = 0; i < count; i++) highest = runs[i].level > highest ? runs[i].level : highest;
    for (FriBidiLevel level = highest; level > 0; level--)
        for (size_t begin = 0, end = 0; begin < count; begin = end + 1) {
            for (end = begin; end < count && runs[end].level >= level;) end++;
            lb_reverse(runs + begin, (int64_t)(end - begin), sizeof *runs);
        }
}

static bool add_glyph(lb_line *line, size_t *room, lb_glyph glyph)
{
    if (!lb_alloc_more(&line->glyph, line->count, room, sizeof glyph)) return false;
    line->glyph[line->count++] = glyph;
    return true;
}

/* Sets the end of each glyph's bytes: a cluster ends where the next one begins. */
static void find_ends(lb_glyph *glyph, size_t count, size_t end, bool leftward)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        lb_glyph *g = &glyph[leftward ? i : count - 1 - i];
        if (last != SIZE_MAX && g->begin != last) end = last;
        g->end = end;
        last = g->begin;
    }
}

static bool add_run(lb_line *line, size_t *room, const letters *l, run r, int number, hb_buffer_t *buffer)
{
    const lb_font *font = l->font[r.begin];
    for (size_t i = r.begin; i < r.end && !font; i++) {
        lb_glyph box = {NULL, 0, line->width, 0, l->begin[i], l->begin[i + 1], number};
        if (!add_glyph(line, room, box)) return false;
        line->width += utf8proc_charwidth((utf8proc_int32_t)l->character[i]) == 2 ? LB_GLYPH_WIDE_BOX_ADVANCE
                                                                                  : LB_GLYPH_BOX_ADVANCE;
    }
    if (!font) return true;
    bool leftward = r.level % 2 == 1;
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_codepoints(buffer, l->character, (int)l->count, (unsigned)r.begin, (int)(r.end - r.begin));
    hb_buffer_set_direction(buffer, leftward ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, l->script[r.begin]);
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1)); /* not the one of the environment */
    hb_shape(font->hb, buffer, NULL, 0);
    if (!hb_buffer_allocation_successful(buffer)) return false;
    unsigned count;
    const hb_glyph_info_t *info = hb_buffer_get_glyph_infos(buffer, &count);
    const hb_glyph_position_t *position = hb_buffer_get_glyph_positions(buffer, &count);
    double units = font->units;
    size_t first = line->count;
    for (unsigned i = 0; i < count; i++) {
        lb_glyph glyph = {.font = font, .id = info[i].codepoint, .run = number};
        glyph.x = line->width + position[i].x_offset / units;
        glyph.y = position[i].y_offset / units;
        glyph.begin = l->begin[info[i].cluster];
        if (!add_glyph(line, room, glyph)) return false;
        line->width += position[i].x_advance / units;
    }
    if (line->count > first) find_ends(line->glyph + first, line->count - first, l->begin[r.end], leftward);
    return true;
}

static bool shape(const lb_font *font, lb_line *line, letters *l)
{
    if (!read_letters(line->text, line->bytes, l)) return false;
    choose_fonts(l, font);
    run *runs = lb_alloc((l->count + 1) * sizeof *runs);
    hb_buffer_t *buffer = hb_buffer_create();
    bool done = runs && choose_directions(l, &line->leftward);
    if (done) {
        size_t count = find_runs(l, runs), room = 0;
        order_runs(runs, count);
        for (size_t i = 0; i < count && done; i++) done = add_run(line, &room, l, runs[i], (int)i, buffer);
    }
    hb_buffer_destroy(buffer);
    lb_release(runs);
    return done;
}

lb_status lb_line_shape(const lb_font *font, const char *text, lb_line *line)
{
    *line = (lb_line){.text = text, .bytes = strcspn(text, "\n")};
    letters l = {0};
    bool done = shape(font, line, &l);
    free_letters(&l);
    if (done) return LB_OK;
    lb_line_free(line);
    return LB_ERROR_MEMORY;
}

void lb_line_free(lb_line *line)
{
    lb_release(line->glyph);
    *line = (lb_line){0};
}
