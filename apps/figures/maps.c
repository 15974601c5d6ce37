#include "figures/maps.h"
#include "base/alloc.h"

#include "console/console.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- The names of models that are drawn side by side. ---- */

void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME])
{
    const lb_seq2seq *seq2seq = lb_seq2seq_of(model);
    lb_normalizer weights = seq2seq ? seq2seq->config.attention_weights : LB_SOFTMAX;
    snprintf(name, APP_MODEL_NAME, "%s%s%s", seq2seq ? seq2seq->attention.type->name : model->kind->name,
             weights == LB_SOFTMAX ? "" : ", ", weights == LB_SOFTMAX ? "" : lb_normalizer_names[weights]);
}

/* The length of the common start of all paths, up to a slash, or of their common end, from a slash or the last dot. */
static size_t shared_letters(const char *const *paths, int count, bool at_end)
{
    const char *first = paths[0];
    size_t length = strlen(first), shared = 0;
    for (size_t n = 1; n < length; n++) {
        char edge = at_end ? first[length - n] : first[n - 1];
        for (int i = 1; i < count; i++) {
            const char *other = paths[i];
            size_t other_length = strlen(other);
            if (other_length <= n) return shared;
            if (memcmp(at_end ? first + length - n : first, at_end ? other + other_length - n : other, n) !=
                0)
                return shared;
        }
        if (strchr(lb_os_separators, edge) || (at_end && shared == 0 && edge == '.')) shared = n;
    }
    return shared;
}

static bool all_differ(char (*names)[APP_MODEL_NAME], int count)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0) return false;
    return true;
}

void app_name_models(const char *const *paths, int count, char (*names)[APP_MODEL_NAME])
{
    if (all_differ(names, count)) return;
    size_t begin = shared_letters(paths, count, false), end = shared_letters(paths, count, true);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(paths[i]);
        size_t kept = length > begin + end ? length - begin - end : length;
        snprintf(names[i], APP_MODEL_NAME, "%.*s", (int)kept, paths[i] + (kept < length ? begin : 0));
    }
}

/* ---- Panels. ---- */

enum { TITLE = 96 };

static size_t maps_of(const app_matrix *m)
{
    return m->layers * m->heads;
}

lb_status app_range_parse(const char *text, app_maps_style *style, lb_error *error)
{
    style->range = !text ? LB_RANGE_UNIT : strcmp(text, "data") == 0 ? LB_RANGE_DATA : LB_RANGE_GIVEN;
    if (style->range != LB_RANGE_GIVEN) return LB_OK;
    const char *dots = strstr(text, "..");
    char low[32] = "", *end = low;
    if (dots && dots > text && dots - text < (ptrdiff_t)sizeof low) {
        memcpy(low, text, (size_t)(dots - text));
        style->min = strtod(low, &end);
    }
    if (end > low && *end == '\0' && dots[2]) {
        style->max = strtod(dots + 2, &end);
        bool rising = isfinite(style->min) && isfinite(style->max) && style->min < style->max;
        if (*end == '\0' && rising) return LB_OK;
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--range: expected data or LOW..HIGH, such as 0..1, found \"%s\"", text);
}

/* Attention weights are between 0 and 1, up to rounding. If all are small, but not all equal, a scale from 0 to 1 would
 * show only one pale colour. */
static lb_range choose_range(const app_maps_style *style, const app_matrix *matrices, size_t count)
{
    if (style->range != LB_RANGE_UNIT) return style->range;
    if (matrices->unit) return LB_RANGE_SIGNED;
    const double rounding = 1e-6;
    double low = INFINITY, high = -INFINITY;
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < maps_of(&matrices[m]) * matrices[m].rows * matrices[m].columns; i++) {
            double value = matrices[m].values[i];
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    if (low < -rounding || high > 1 + rounding) return LB_RANGE_DATA;
    return high < 0.5 && high - low > rounding ? LB_RANGE_DATA : LB_RANGE_UNIT;
}

/* "dot.safetensors, layer 1, head 3", without the parts that are obvious, or "dot.safetensors, mean of 4 heads". */
static void name_map(const app_matrix *m, const char *name, size_t map, char title[TITLE])
{
    size_t used = 0;
    title[0] = '\0';
    if (name) used = (size_t)snprintf(title, TITLE, "%s", name);
    if (m->layers > 1 && used < TITLE)
        used += (size_t)snprintf(title + used, TITLE - used, "%s%s %zu", used ? ", " : "",
                                 used ? "layer" : "Layer", m->first_layer + map / m->heads);
    if (m->heads > 1 && used < TITLE)
        snprintf(title + used, TITLE - used, "%s%s %zu", used ? ", " : "", used ? "head" : "Head",
                 m->first_head + map % m->heads);
    if (m->averaged > 1 && used < TITLE)
        snprintf(title + used, TITLE - used, "%smean of %zu heads", used ? ", " : "", m->averaged);
}

static lb_heatmap heatmap_of(const app_maps_style *style, const app_matrix *m, size_t map, lb_range range)
{
    return (lb_heatmap){
        .values = m->values + map * m->rows * m->columns,
        .rows = (int64_t)m->rows,
        .columns = (int64_t)m->columns,
        .row_labels = (const char *const *)m->labels[APP_ROWS].text,
        .column_labels = (const char *const *)m->labels[APP_COLUMNS].text,
        .cell_labels = (const char *const *)m->labels[APP_CELLS].text,
        .x_label = m->across ? m->across : "input",
        .y_label = m->down ? m->down : "output",
        .bar_label = m->unit                  ? m->unit
                     : range == LB_RANGE_DATA ? "attention weight (data range)"
                                              : "attention weight",
        .range = range,
        .min = style->min,
        .max = style->max,
        .colormap = style->colormap,
        .cell_text = style->no_values ? LB_CELL_TEXT_NONE : LB_CELL_TEXT_AUTO,
    };
}

/* A row holds the maps of a matrix, or the heads of a layer, if all rows then have the same length. */
static size_t columns_of(const app_matrix *matrices, size_t count, size_t maps)
{
    size_t first = maps_of(matrices), even = 1;
    for (size_t m = 0; m < count; m++) even &= maps_of(&matrices[m]) == first;
    if (count == 1 && matrices->layers > 1) return matrices->heads;
    if (count > 1 && first > 1 && even) return first;
    return (size_t)ceil(sqrt((double)maps));
}

/* Draws every layer and head of the matrices: one row for each matrix or layer with several maps, otherwise about a
 * square. Panels share one scale and one colour bar. */
static lb_canvas *draw_maps(const app_maps_style *style, const char *title, const app_matrix *matrices,
                            size_t count, lb_format format, lb_error *error)
{
    size_t all = 0, panel = 0;
    for (size_t m = 0; m < count; m++) all += maps_of(&matrices[m]);
    lb_heatmap *maps = lb_alloc(all * sizeof *maps);
    lb_panel *panels = lb_alloc(all * sizeof *panels);
    char(*titles)[TITLE] = lb_alloc(all * sizeof *titles);
    const bool ready = maps && panels && titles;
    const lb_range range = choose_range(style, matrices, count);
    lb_figure figure = style->figure;
    figure.panels = panels;
    figure.count = (int64_t)all;
    lb_color_bar bar;
    for (size_t m = 0; m < count && ready; m++)
        for (size_t map = 0; map < maps_of(&matrices[m]); map++, panel++) {
            maps[panel] = heatmap_of(style, &matrices[m], map, range);
            name_map(&matrices[m], style->names ? style->names[m] : NULL, map, titles[panel]);
            maps[panel].title = all > 1 ? titles[panel] : title;
            panels[panel] = lb_heatmap_panel(&maps[panel]);
        }
    if (ready && all > 1) {
        bar = lb_heatmap_share_scale(maps, (int64_t)all);
        figure.bar = &bar;
        figure.title = title;
        figure.columns = (int64_t)columns_of(matrices, count, all);
    }
    if (!ready) lb_no_memory(error, NULL);
    lb_canvas *canvas = ready ? lb_figure_draw(&figure, format, error) : NULL;
    lb_release(maps);
    lb_release(panels);
    lb_release(titles);
    return canvas;
}

/* ---- The picture: labels that can be read, and its file. ---- */

static void warn_of_missing(const lb_font *font, const char *title, const app_matrix *matrices, size_t count)
{
    enum { MOST = 64 };
    int32_t missing[MOST];
    char list[MOST * 24] = "";
    size_t found = lb_text_missing(font, title, missing, 0, MOST), used = 0;
    for (const app_matrix *m = matrices; m < matrices + count; m++)
        for (const lb_strings *labels = m->labels; labels < m->labels + APP_LABELS; labels++)
            for (size_t i = 0; i < labels->count; i++)
                found = lb_text_missing(font, labels->text[i], missing, found, MOST);
    for (size_t i = 0; i < found; i++) {
        char letter[5] = "";
        utf8proc_encode_char(missing[i], (utf8proc_uint8_t *)letter);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (U+%04X)", i > 0 ? ", " : "", letter,
                                 (unsigned)missing[i]);
    }
    if (found > 0)
        app_warn("no font has %s%s; --font FILE adds a font, and an .svg shows what its viewer has", list,
                 found == MOST ? " ..." : "");
}

/* Makes labels readable in that font; NULL: in any font that has their characters. */
static lb_status make_readable(lb_strings *labels, const lb_font *font, lb_error *error)
{
    for (size_t i = 0; i < labels->count; i++) {
        char *text = lb_text_readable(font, labels->text[i]);
        if (!text) return lb_no_memory(error, NULL);
        lb_release(labels->text[i]);
        labels->text[i] = text;
    }
    return LB_OK;
}

/* The title that was asked for, or the input; release it with lb_release. NULL if there is no memory. */
static char *title_of(const app_maps_style *style, const lb_font *font)
{
    if (style->title || !style->input)
        return lb_alloc_string(style->title ? style->title : "Attention Weights");
    char *input = lb_alloc_string(style->input);
    for (char *c = input; c && *c; c++)
        if (*c == '\t') *c = ' ';
    char *title = input ? lb_text_readable(font, input) : NULL;
    lb_release(input);
    return title;
}

lb_status app_maps_save(const app_maps_style *style, app_matrix *matrices, size_t count, const char *name,
                        const char *path, lb_error *error)
{
    const lb_format format = lb_picture_format(path);
    /* The viewer of an SVG chooses the fonts. */
    const lb_font *font = format == LB_FORMAT_SVG ? NULL : style->font;
    lb_error found = {0};
    lb_status status = LB_OK;
    if (font) warn_of_missing(font, style->title ? style->title : "", matrices, count);
    for (app_matrix *m = matrices; m < matrices + count; m++)
        for (int i = 0; i < APP_LABELS && !status; i++) status = make_readable(&m->labels[i], font, error);
    if (status) return status;
    char *title = title_of(style, font);
    if (!title) return lb_no_memory(error, NULL);
    lb_canvas *canvas = draw_maps(style, title, matrices, count, format, &found);
    if (canvas)
        status = lb_picture_write(canvas, path, error);
    else /* such a figure can only be too large, which is the fault of the data */
        status = lb_error_set(error, found.status == LB_ERROR_ARGUMENT ? LB_ERROR_FORMAT : found.status,
                              "%s: %s", name, found.message);
    lb_canvas_free(canvas);
    lb_release(title);
    return status;
}
