#include "figures/maps.h"
#include "base/alloc.h"

#include "console/console.h"

#include "models/built_in.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The names of models that are drawn side by side. ---- */

void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME])
{
    const lb_seq2seq *seq2seq = model->kind == &lb_seq2seq_kind ? (const lb_seq2seq *)model : NULL;
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
        if (edge == '/' || (at_end && shared == 0 && edge == '.')) shared = n;
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

lb_status app_range_parse(const char *text, app_range *range, lb_error *error)
{
    *range = (app_range){0};
    if (!text) return LB_OK;
    range->kind = APP_RANGE_DATA;
    if (strcmp(text, "data") == 0) return LB_OK;
    const char *dots = strstr(text, "..");
    char low[32] = "", *end = low;
    range->kind = APP_RANGE_GIVEN;
    if (dots && dots > text && dots - text < (ptrdiff_t)sizeof low) {
        memcpy(low, text, (size_t)(dots - text));
        range->min = strtod(low, &end);
    }
    if (end > low && *end == '\0' && dots[2]) {
        range->max = strtod(dots + 2, &end);
        bool rising = isfinite(range->min) && isfinite(range->max) && range->min < range->max;
        if (*end == '\0' && rising) return LB_OK;
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--range: expected data or LOW..HIGH, such as 0..1, found \"%s\"", text);
}

/* Attention weights are between 0 and 1, up to rounding. If all are small, but not all equal, a scale from 0 to 1 would
 * show only one pale colour. */
static lb_range choose_range(const app_maps_style *style, const app_matrix *matrices, size_t count)
{
    if (style->range.kind == APP_RANGE_GIVEN) return LB_RANGE_GIVEN;
    if (style->range.kind == APP_RANGE_DATA || matrices->unit) return LB_RANGE_DATA;
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
        .row_labels = m->row_labels,
        .column_labels = m->column_labels,
        .x_label = m->across ? m->across : "Input Tokens (Keys)",
        .y_label = m->down ? m->down : "Output Tokens (Queries)",
        .bar_label = m->unit                  ? m->unit
                     : range == LB_RANGE_DATA ? "Attention Weight (data range)"
                                              : "Attention Weight",
        .range = range,
        .min = style->range.min,
        .max = style->range.max,
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

static lb_figure figure_of(const app_maps_style *style, const lb_panel *panels, size_t count)
{
    return (lb_figure){.panels = panels,
                       .count = (int64_t)count,
                       .dpi = style->dpi,
                       .font = style->font,
                       .transparent = style->transparent};
}

static lb_canvas *draw_panels(const app_maps_style *style, const app_matrix *matrices, size_t count,
                              lb_heatmap *maps, lb_panel *panels, char (*titles)[TITLE], lb_error *error)
{
    size_t panel = 0;
    lb_range range = choose_range(style, matrices, count);
    for (size_t m = 0; m < count; m++)
        for (size_t map = 0; map < maps_of(&matrices[m]); map++, panel++) {
            maps[panel] = heatmap_of(style, &matrices[m], map, range);
            name_map(&matrices[m], style->names ? style->names[m] : NULL, map, titles[panel]);
            maps[panel].title = titles[panel];
            panels[panel] = lb_heatmap_panel(&maps[panel]);
        }
    lb_figure figure = figure_of(style, panels, panel);
    lb_color_bar bar;
    if (panel == 1) {
        maps->title = style->title;
    } else {
        bar = lb_heatmap_share_scale(maps, (int64_t)panel);
        figure.bar = &bar;
        figure.title = style->title;
        figure.columns = (int64_t)columns_of(matrices, count, panel);
    }
    return lb_figure_draw(&figure, style->format, error);
}

lb_canvas *app_maps_draw(const app_maps_style *style, const app_matrix *matrices, size_t count,
                         lb_error *error)
{
    size_t all = 0;
    for (size_t m = 0; m < count; m++) all += maps_of(&matrices[m]);
    lb_heatmap *maps = lb_alloc(all * sizeof *maps);
    lb_panel *panels = lb_alloc(all * sizeof *panels);
    char(*titles)[TITLE] = lb_alloc(all * sizeof *titles);
    lb_canvas *canvas = NULL;
    if (maps && panels && titles)
        canvas = draw_panels(style, matrices, count, maps, panels, titles, error);
    else
        lb_no_memory(error, NULL);
    lb_release(maps);
    lb_release(panels);
    lb_release(titles);
    return canvas;
}

/* ---- The picture of alternatives for an output. ---- */

enum { LIKELIEST = 5 };

/* Sets the labels of the rows, and as column labels the symbols of all cells. */
static lb_status make_labels(app_matrix *labels, const lb_output *output, const lb_likeliest *found,
                             const char *end, lb_error *error)
{
    labels->rows = (size_t)found->steps;
    labels->columns = labels->rows * (size_t)found->count;
    labels->row_labels = lb_alloc(labels->rows * sizeof *labels->row_labels);
    labels->column_labels = lb_alloc(labels->columns * sizeof *labels->column_labels);
    if (!labels->row_labels || !labels->column_labels) return lb_no_memory(error, NULL);
    for (size_t i = 0; i < labels->rows; i++)
        labels->row_labels[i] = (int64_t)i < output->length ? output->symbol[i] : end;
    for (size_t i = 0; i < labels->columns; i++) labels->column_labels[i] = found->symbol[i];
    return LB_OK;
}

static lb_canvas *draw_likeliest(const app_maps_style *style, lb_format format, const lb_likeliest *found,
                                 const app_matrix *labels, lb_error *error)
{
    static const char *const ranks[LIKELIEST] = {"1", "2", "3", "4", "5"};
    lb_heatmap map = {
        .values = found->probability,
        .rows = found->steps,
        .columns = found->count,
        .row_labels = labels->row_labels,
        .column_labels = ranks,
        .cell_labels = labels->column_labels,
        .title = "Likeliest Symbols",
        .x_label = "Rank",
        .y_label = "Output Tokens",
        .bar_label = "Probability",
        .colormap = style->colormap,
    };
    lb_panel panel = lb_heatmap_panel(&map);
    lb_figure figure = figure_of(style, &panel, 1);
    return lb_figure_draw(&figure, format, error);
}

static lb_status save_likeliest(const app_maps_style *style, const lb_font *font, const lb_likeliest *found,
                                app_matrix *labels, const char *path, lb_error *error)
{
    lb_format format = lb_picture_format(path);
    const lb_font *shown = format == LB_FORMAT_SVG ? NULL : font; /* the viewer of an SVG chooses the fonts */
    lb_status status = app_matrices_make_readable(labels, 1, shown, "", error);
    lb_canvas *canvas = status ? NULL : draw_likeliest(style, format, found, labels, error);
    if (!canvas) return error->status == LB_ERROR_ARGUMENT ? LB_ERROR_FORMAT : error->status;
    status = lb_picture_write(canvas, path, error);
    lb_canvas_free(canvas);
    if (!status) app_note("wrote %s (%zu x %lld)", path, labels->rows, (long long)found->count);
    return status;
}

lb_status app_scores_save(const app_maps_style *style, const lb_font *font, const char *model,
                          const char *text, const char *path, lb_error *error)
{
    lb_translator *translator = lb_translator_open(model, error);
    if (!translator) return error->status;
    lb_translate_config config = {.skip_bad_texts = true};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, error);
    lb_likeliest *found = NULL;
    if (all && all->text->error)
        lb_error_set(error, LB_ERROR_FORMAT, "--input: %s", all->text->error);
    else if (all)
        found = lb_translate_likeliest(translator, all->text, all->text->output, LIKELIEST, error);
    app_matrix labels = {0};
    lb_status status = error->status;
    if (all && found) {
        const char *end = lb_vocabulary_symbol(lb_translator_about(translator).target, LB_EOS);
        status = make_labels(&labels, all->text->output, found, end, error);
        if (!status) status = save_likeliest(style, font, found, &labels, path, error);
    }
    app_matrix_free(&labels);
    lb_likeliest_free(found);
    lb_translations_free(all);
    lb_translator_close(translator);
    return status;
}
