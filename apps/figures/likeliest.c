#include "figures/maps.h"

#include "console/console.h"

#include "base/alloc.h"

enum { LIKELIEST = 5 };

/* Sets the labels of the rows, and as column labels the symbols of all cells. */
static lb_status make_labels(app_matrix *labels, const lb_output *output, const lb_likeliest *found,
                             const char *end, lb_error *error)
{
    labels->rows = (size_t)found->steps;
    labels->columns = labels->rows * (size_t)found->count;
    labels->row_labels = lb_alloc(labels->rows * sizeof *labels->row_labels);
    labels->column_labels = lb_alloc(labels->columns * sizeof *labels->column_labels);
    if (!labels->row_labels || !labels->column_labels)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < labels->rows; i++)
        labels->row_labels[i] = (int64_t)i < output->length ? output->symbol[i] : end;
    for (size_t i = 0; i < labels->columns; i++) labels->column_labels[i] = found->symbol[i];
    return LB_OK;
}

static lb_canvas *draw(const app_maps_style *style, lb_format format, const lb_likeliest *found,
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
    lb_figure figure = {.panels = &panel,
                        .count = 1,
                        .dpi = style->dpi,
                        .font = style->font,
                        .transparent = style->transparent};
    return lb_figure_draw(&figure, format, error);
}

static lb_status save(const app_maps_style *style, const lb_font *font, const lb_likeliest *found,
                      app_matrix *labels, const char *path, lb_error *error)
{
    lb_format format = lb_picture_format(path);
    const lb_font *shown = format == LB_FORMAT_SVG ? NULL : font; /* the viewer of an SVG chooses the fonts */
    lb_status status = app_matrices_make_readable(labels, 1, shown, "", error);
    lb_canvas *canvas = status ? NULL : draw(style, format, found, labels, error);
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
        if (!status) status = save(style, font, found, &labels, path, error);
    }
    app_matrix_free(&labels);
    lb_likeliest_free(found);
    lb_translations_free(all);
    lb_translator_close(translator);
    return status;
}
