/* Draws where a trained model looked while it sorted a list; or any matrix in a file. */
#include "common/matrix.h"
#include "common/options.h"
#include "common/report.h"

#include <lookback/plot/figure.h>
#include <lookback/plot/png.h>

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct settings {
    const char *model, *input;           /* either these */
    const char *matrix, *rows, *columns; /* or those */
    const char *output, *title, *colormap, *font;
    double dpi;
    bool no_values;
    int threads;
} settings;

static lb_status wrong_usage(lb_error *error, const char *what)
{
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s; see visualize --help", what);
}

/* What the table of options cannot say. */
static lb_status check(const settings *s, lb_error *error)
{
    size_t length = strlen(s->output);
    if (!s->model && !s->matrix) return wrong_usage(error, "expected a MODEL or --matrix");
    if (s->model && s->matrix) return wrong_usage(error, "expected a MODEL or --matrix, found both");
    if (s->model && !s->input) return wrong_usage(error, "--input: expected a list such as \"42 7 99 13\"");
    if (s->model && (s->rows || s->columns))
        return wrong_usage(error, "--rows and --columns belong to --matrix");
    if (s->matrix && s->input) return wrong_usage(error, "--input belongs to a MODEL, not to --matrix");
    /* Whoever wants a PDF should know that this is none; and no model can be overwritten by accident. */
    if (length < 4 || strcasecmp(s->output + length - 4, ".png") != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--output: expected a name that ends in .png, found \"%s\"", s->output);
    return LB_OK;
}

static lb_status attend(const settings *s, app_matrix *matrix, lb_error *error)
{
    app_sort_model sort;
    bool ended = true;
    lb_error found = {0};
    lb_status status = app_sort_model_open(&sort, s->model, error);
    if (!status && sort.model->heads == 0)
        status = lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention that could be drawn",
                              s->model);
    if (!status) {
        status = app_matrix_attend(&sort, s->input, matrix, &ended, &found);
        if (status) lb_error_set(error, status, "--input: %s", found.message);
    }
    if (!ended) app_note("the model found no end; cut off after %zu numbers", matrix->rows);
    app_sort_model_close(&sort);
    return status;
}

/* Attention weights lie between 0 and 1, but for rounding; other numbers get a scale of their own. */
static lb_range range_of(const app_matrix *m)
{
    const double rounding = 1e-6;
    for (size_t i = 0; i < m->heads * m->rows * m->columns; i++)
        if (isfinite(m->values[i]) && (m->values[i] < -rounding || m->values[i] > 1 + rounding))
            return LB_RANGE_DATA;
    return LB_RANGE_UNIT;
}

static void warn_of_holes(const app_matrix *m)
{
    size_t holes = 0, count = m->heads * m->rows * m->columns;
    for (size_t i = 0; i < count; i++) holes += isfinite(m->values[i]) ? 0 : 1;
    if (holes > 0) app_note("%zu of %zu values are not finite: grey, without a number", holes, count);
}

/* One panel, of which all but values and title are alike. */
static lb_heatmap map_of(const settings *s, lb_colormap colormap, const app_matrix *m)
{
    return (lb_heatmap){
        .values = m->values,
        .rows = m->rows,
        .columns = m->columns,
        .row_labels = m->row_labels,
        .column_labels = m->column_labels,
        .title = s->title,
        .x_label = "Input Tokens (Keys)",
        .y_label = "Output Tokens (Queries)",
        .bar_label = "Attention Weight",
        .range = range_of(m),
        .colormap = colormap,
        .cell_text = s->no_values ? LB_CELL_TEXT_NONE : LB_CELL_TEXT_AUTO,
    };
}

/* The heads side by side, in about a square, with one colour bar. */
static lb_canvas *draw_heads(const settings *s, const lb_heatmap *like, size_t heads, lb_figure figure,
                             lb_error *error)
{
    enum { TITLE = 32 };
    lb_heatmap *maps = lb_alloc(heads * sizeof *maps);
    lb_panel *panels = lb_alloc(heads * sizeof *panels);
    char *titles = lb_alloc(heads * TITLE);
    lb_canvas *canvas = NULL;
    for (size_t head = 0; maps && panels && titles && head < heads; head++) {
        snprintf(titles + head * TITLE, TITLE, "Head %zu", head);
        maps[head] = *like;
        maps[head].values += head * like->rows * like->columns;
        maps[head].title = titles + head * TITLE;
        panels[head] = lb_heatmap_panel(&maps[head]);
    }
    if (maps && panels && titles) {
        lb_color_bar bar = lb_heatmap_share_scale(maps, heads);
        figure.panels = panels;
        figure.count = heads;
        figure.columns = (size_t)ceil(sqrt((double)heads));
        figure.title = s->title;
        figure.bar = &bar;
        canvas = lb_figure_draw(&figure, error);
    } else {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    lb_release(maps);
    lb_release(panels);
    lb_release(titles);
    return canvas;
}

static lb_status draw(const settings *s, lb_colormap colormap, const app_matrix *m, lb_error *error)
{
    lb_error found = {0};
    lb_font *font = s->font ? lb_font_open(s->font, error) : NULL;
    if (s->font && !font) return error->status;
    lb_heatmap map = map_of(s, colormap, m);
    lb_panel panel = lb_heatmap_panel(&map);
    lb_figure figure = {.panels = &panel, .count = 1, .dpi = s->dpi, .font = font};
    lb_canvas *canvas =
        m->heads > 1 ? draw_heads(s, &map, m->heads, figure, &found) : lb_figure_draw(&figure, &found);
    lb_font_free(font);
    if (canvas) {
        lb_status status = lb_png_write(canvas, s->dpi, s->output, error);
        lb_canvas_free(canvas);
        return status;
    }
    /* All that can be wrong with such a figure is that it is too large, which comes of the data. */
    lb_status status = found.status == LB_ERROR_ARGUMENT ? LB_ERROR_FORMAT : found.status;
    return lb_error_set(error, status, "%s: %s", s->model ? s->model : s->matrix, found.message);
}

/* "wrote attention.png (5 x 4)", and how many of such if there are several. */
static void report(const settings *s, const app_matrix *m)
{
    char heads[32] = "";
    warn_of_holes(m);
    if (m->heads > 1) snprintf(heads, sizeof heads, ", %zu heads", m->heads);
    app_note("wrote %s (%zu x %zu%s)", s->output, m->rows, m->columns, heads);
}

static int visualize(const settings *s)
{
    lb_error error = {0};
    lb_colormap colormap;
    app_matrix matrix = {0};
    lb_status status = check(s, &error);
    if (!status) status = lb_colormap_find(s->colormap, &colormap, &error);
    if (!status)
        status = s->model ? attend(s, &matrix, &error)
                          : app_matrix_read(s->matrix, s->rows, s->columns, &matrix, &error);
    if (!status) status = draw(s, colormap, &matrix, &error);
    if (!status) report(s, &matrix);
    app_matrix_free(&matrix);
    return status ? app_fail(&error) : 0;
}

int main(int argc, char **argv)
{
    settings s = {.output = "attention.png", .title = "Attention Weights", .colormap = "ylorrd", .dpi = 100};
    char colormaps[128];
    snprintf(colormaps, sizeof colormaps, "colours: %s", lb_colormap_names());
    const app_option options[] = {
        APP_HEADING("Attention of a model"),
        APP_TEXT('i', "input", "LIST", &s.input, "the numbers to sort, such as \"42 7 99 13\""),
        APP_INT(0, "threads", "N", &s.threads, 0, 1024,
                "threads, 0 for one a processor; results do not depend on it"),
        APP_HEADING("Any matrix"),
        APP_TEXT(0, "matrix", "FILE", &s.matrix, "a NumPy file, .npy, with a matrix"),
        APP_TEXT(0, "rows", "NAMES", &s.rows, "names of the rows, separated by blanks; numbers if not given"),
        APP_TEXT(0, "columns", "NAMES", &s.columns, "names of the columns"),
        APP_HEADING("Picture"),
        APP_TEXT('o', "output", "FILE", &s.output, "where to write the picture, a PNG file"),
        APP_TEXT(0, "title", "TEXT", &s.title, "what stands above, in UTF-8"),
        APP_TEXT(0, "colormap", "NAME", &s.colormap, colormaps),
        APP_FLAG(0, "no-values", &s.no_values, "leave out the numbers, which else stand where they fit"),
        APP_TEXT(0, "font", "FILE", &s.font, "a TrueType font, .ttf, instead of DejaVu Sans"),
        APP_NUMBER(0, "dpi", "N", &s.dpi, 10, 1200, "pixels per inch; sizes of text follow"),
    };
    const app_program program = {
        .name = "visualize",
        .purpose =
            "Draws where a model that train_sort has trained looked while it sorted a list, or any matrix: a "
            "row for each number that came out, a column for each that went in.",
        .operands = "[MODEL]",
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_gemm_kernel(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_set_threads(s.threads);
    s.model = argc > 0 ? argv[0] : NULL;
    return visualize(&s);
}
