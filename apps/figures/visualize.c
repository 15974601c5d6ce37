/* Draws the attention weights of trained models for a list or a text, or any matrix in a file. */
#include "cli/commands.h"
#include "console/console.h"
#include "figures/maps.h"

#include <math.h>
#include <stdio.h>

enum { MOST_MODELS = 16 };

static const char *const colormaps[] = {
#define NAME(constant, name) #name,
    LB_COLORMAP_LIST(NAME) NULL
#undef NAME
};

typedef struct settings {
    const char *models[MOST_MODELS], *model, *compare, *input; /* for models */
    int model_count;
    const char *matrix, *rows, *columns; /* for a file */
    int layer, head;
    bool all_heads, words;
    int by; /* app_measure */
    const char *patch, *output, *colormap, *font, *range, *scores;
    app_maps_style style;
} settings;

static bool draws_attention(const settings *s)
{
    return s->by == APP_ATTENTION && !s->patch;
}

/* Checks beyond the table of options. */
static lb_status check_usage(const settings *s, lb_error *error)
{
    const bool model = s->model_count > 0, other = !draws_attention(s);
    const struct {
        bool found;
        const char *message;
    } wrong[] = {
        {!model && !s->matrix, "expected a MODEL or --matrix"},
        {model && s->matrix, "expected a MODEL or --matrix, found both"},
        {model && !s->input, "--input: found nothing, expected a list such as \"42 7 99 13\", or a text"},
        {model && (s->rows || s->columns), "--rows and --columns need --matrix"},
        {s->matrix && s->input, "--input belongs to a MODEL, not to --matrix"},
        {s->matrix && s->words, "--words belongs to a MODEL, not to --matrix"},
        {s->all_heads && s->head >= 0, "expected --head or --all-heads, found both"},
        {s->scores && s->model_count != 1, "--scores needs exactly one MODEL"},
        {other && s->matrix, "--by and --patch belong to a MODEL, not to --matrix"},
        {other && (s->all_heads || s->head >= 0 || s->layer >= 0),
         "--layer, --head and --all-heads belong to attention, not to --by or --patch"},
        {s->patch && (s->by != APP_ATTENTION || s->words),
         "--patch: expected neither --by nor --words with it"},
        {s->patch && s->model_count != 1, "--patch needs exactly one MODEL"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wrong[i].found)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s; see %s --help", wrong[i].message,
                                app_name("visualize"));
    lb_status status = s->scores ? app_check_picture("--scores", s->scores, error) : LB_OK;
    return status ? status : app_check_picture("--output", s->output, error);
}

static lb_status attend(const settings *s, const char *model, app_matrix *matrix, char kind[APP_MODEL_NAME],
                        lb_error *error)
{
    lb_error found = {0};
    bool ended = true;
    lb_translator *translator = lb_translator_open(model, error);
    if (!translator) return error->status;
    lb_translator_facts facts = lb_translator_about(translator);
    lb_status status = LB_OK;
    app_name_kind(facts.model, kind);
    if (draws_attention(s) && facts.model->heads == 0) {
        status = lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention to draw", facts.path);
    } else if (s->words && (!facts.source_rule.subwords || !facts.target_rule.subwords)) {
        status = lb_error_set(error, LB_ERROR_ARGUMENT,
                              "--words: %s has no subwords to join (train --subwords makes a model of them)",
                              facts.path);
    } else {
        status =
            app_matrix_attend(translator, s->input, (app_measure)s->by, s->patch, matrix, &ended, &found);
        if (status) lb_error_set(error, status, "--input: %s", found.message);
    }
    if (!ended)
        app_warn("no end-of-sequence symbol; cut off after %zu %s", matrix->rows,
                 facts.sorts ? "numbers" : "symbols");
    if (!status && s->words) status = app_matrix_join_words(matrix, ended, error);
    lb_translator_close(translator);
    return status;
}

/* Fills `matrices`, one for each model or one for the file, with the layers and heads to draw, and the kinds of
 * models. */
static lb_status collect(const settings *s, app_matrix *matrices, char (*kinds)[APP_MODEL_NAME],
                         lb_error *error)
{
    if (s->matrix) {
        lb_status status = app_matrix_read(s->matrix, s->rows, s->columns, matrices, error);
        return status ? status : app_matrix_keep(matrices, s->layer, s->head, s->matrix, error);
    }
    for (int i = 0; i < s->model_count; i++) {
        lb_status status = attend(s, s->models[i], &matrices[i], kinds[i], error);
        if (!status) status = app_matrix_keep(&matrices[i], s->layer, s->head, s->models[i], error);
        if (status) return status;
        if (s->model_count > 1 && s->head < 0 && !s->all_heads && !matrices[i].unit)
            app_matrix_average(&matrices[i]);
    }
    return LB_OK;
}

static void warn_of_holes(const app_matrix *m)
{
    size_t holes = 0, count = m->layers * m->heads * m->rows * m->columns;
    for (size_t i = 0; i < count; i++) holes += isfinite(m->values[i]) ? 0 : 1;
    if (holes > 0) app_warn("%zu of %zu values are not finite: grey, without a number", holes, count);
}

/* The likeliest symbols at each step, in a second picture. */
static lb_status save_scores(const settings *s, app_maps_style style, lb_error *error)
{
    app_matrix scores = {0};
    style.title = "Likeliest Symbols";
    style.range = LB_RANGE_GIVEN;
    style.min = 0;
    style.max = 1;
    style.no_values = false;
    lb_status status = app_matrix_likeliest(s->models[0], s->input, &scores, error);
    if (!status) status = app_maps_save(&style, &scores, 1, s->models[0], s->scores, error);
    if (!status) app_note("wrote %s (%zu x %zu)", s->scores, scores.rows, scores.columns);
    app_matrix_free(&scores);
    return status;
}

static lb_status draw(const settings *s, app_maps_style style, app_matrix *matrices, size_t count,
                      lb_error *error)
{
    lb_font *font = s->font ? lb_font_open(s->font, error) : lb_font_builtin(LB_FONT_REGULAR, error);
    if (!font) return error->status;
    style.font = font;
    if (s->font) style.figure.font = font;
    lb_status status =
        app_maps_save(&style, matrices, count, s->matrix ? s->matrix : s->models[0], s->output, error);
    if (!status && s->scores) status = save_scores(s, style, error);
    lb_font_close(font);
    return status;
}

/* "wrote attention.png (5 x 4)", with the number of maps if there are several. */
static void report(const settings *s, const app_matrix *matrices, size_t count)
{
    char several[64] = "";
    size_t maps = matrices->layers * matrices->heads;
    for (size_t i = 0; i < count; i++) warn_of_holes(&matrices[i]);
    if (count > 1)
        snprintf(several, sizeof several, ", %zu models", count);
    else if (matrices->layers > 1)
        snprintf(several, sizeof several, ", %zu layers of %zu head%s", matrices->layers, matrices->heads,
                 matrices->heads > 1 ? "s" : "");
    else if (maps > 1)
        snprintf(several, sizeof several, ", %zu heads", maps);
    app_note("wrote %s (%zu x %zu%s)", s->output, matrices->rows, matrices->columns, several);
}

static int visualize(const settings *s)
{
    lb_error error = {0};
    app_maps_style style = s->style;
    app_matrix matrices[MOST_MODELS] = {{0}};
    char names[MOST_MODELS][APP_MODEL_NAME];
    size_t count = s->model_count > 1 ? (size_t)s->model_count : 1;
    lb_status status = check_usage(s, &error);
    style.input = s->input;
    if (!status) status = lb_colormap_find(s->colormap, &style.colormap, &error);
    if (!status) status = app_range_parse(s->range, &style, &error);
    if (!status) status = collect(s, matrices, names, &error);
    if (!status && s->model_count > 1) {
        app_name_models(s->models, s->model_count, names);
        style.names = names;
    }
    if (!status) status = draw(s, style, matrices, count, &error);
    if (!status) report(s, matrices, count);
    for (size_t i = 0; i < count; i++) app_matrix_free(&matrices[i]);
    return status ? app_fail(&error) : 0;
}

/* The model of --compare comes second. */
static void add_model(settings *s, const char *model)
{
    s->models[s->model_count++] = model;
    if (s->compare && s->model_count == 1) s->models[s->model_count++] = s->compare;
}

static const app_example examples[] = {
    {"Draw where the model in out/ looks while it reads a text.",
     "lookback visualize out --input abc -o attention.png"},
    {"Draw a matrix from a NumPy file.",
     "echo abc | lookback predict out --attention where.npy\n"
     "  lookback visualize --matrix where.npy --colormap viridis -o where.png"},
};

int visualize_main(int argc, char **argv)
{
    settings s = {
        .output = "attention.png", .colormap = "ylorrd", .style.figure.dpi = 100, .layer = -1, .head = -1};
    const app_option options[] = {
        APP_HEADING("Attention of a model"),
        APP_TEXT(0, "model", "MODEL", &s.model, "the first model, instead of an operand"),
        APP_TEXT('i', "input", "TEXT", &s.input,
                 "input of the model: a list to sort, such as \"42 7 99 13\", or a text", .usual = true),
        APP_TEXT(0, "compare", "MODEL2", &s.compare,
                 "draw this model and any further operands next to the first: the mean over the heads of the "
                 "last layer, or the choice of --layer and --head",
                 .usual = true),
        APP_CHOICE(
            0, "by", "MEASURE", &s.by, app_measures,
            "what is drawn: where the model looks, or what each output symbol depends on, see docs/why.md"),
        APP_TEXT(
            0, "patch", "TEXT2", &s.patch,
            "draw which points of the model bring back the output for the input, if this text of as many "
            "symbols is read instead: a row for each, with layer.head"),
        APP_FLAG(
            0, "words", &s.words,
            "of a model of subwords, draw words instead of pieces: the sum over the pieces of the input, "
            "the mean over those of the output, or with --by the sum over both"),
        APP_THREADS,
        APP_QUIET,
        APP_HEADING("Any matrix"),
        APP_TEXT(0, "matrix", "FILE", &s.matrix,
                 "draw a matrix from a NumPy file, .npy, such as one written by predict --attention",
                 .usual = true),
        APP_TEXT(0, "rows", "NAMES", &s.rows, "names of the rows, separated by spaces; default: numbers"),
        APP_TEXT(0, "columns", "NAMES", &s.columns, "names of the columns"),
        APP_HEADING("Layers and heads"),
        APP_INT(0, "layer", "N", &s.layer, 0, 1 << 20, "draw only this layer, counted from 0", .usual = true),
        APP_INT(0, "head", "N", &s.head, 0, 1 << 20, "draw only this head, counted from 0", .usual = true),
        APP_FLAG(0, "all-heads", &s.all_heads, "draw all heads, even when comparing models"),
        APP_HEADING("Picture"),
        APP_OUTPUT('o', "output", &s.output, "where to write the picture: a .png, .svg or .pdf file",
                   .usual = true),
        APP_OUTPUT(0, "scores", &s.scores,
                   "write a second picture: the most likely symbols at each step of the output, with their "
                   "probabilities",
                   .usual = true),
        APP_TEXT(0, "title", "TEXT", &s.style.title, "title of the picture; default: the input",
                 .usual = true),
        APP_WORD(0, "colormap", "NAME", &s.colormap, colormaps, "colours", .usual = true),
        APP_TEXT(
            0, "range", "RANGE", &s.range,
            "range of the colours: data, or LOW..HIGH such as 0..1; default: 0..1, or data if some values "
            "are outside or all are below 0.5"),
        APP_FLAG(0, "no-values", &s.style.no_values, "leave out the numbers in the cells"),
        APP_TEXT(0, "font", "FILE", &s.font,
                 "font to try before DejaVu Sans: .ttf, .otf or .ttc; FILE#N selects font N of a collection"),
        APP_FLAG(0, "transparent", &s.style.figure.transparent, "leave out the background"),
        APP_FLAG(0, "dark", &s.style.figure.dark, "light text on a dark background, for a dark page"),
        APP_NUMBER(0, "dpi", "N", &s.style.figure.dpi, 10, 1200, "pixels per inch; text scales with it"),
    };
    const app_program program = {
        .name = "visualize",
        .purpose = "Draws where a trained model looks while it sorts a list or reads a text, or draws any "
                   "matrix. Each row is an output number or symbol, each column an input. MODEL is a model "
                   "file or its folder.",
        .operands = "[MODEL]...",
        .max_operands = MOST_MODELS - 2,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    if (s.model) add_model(&s, s.model);
    for (int i = 0; i < argc; i++) add_model(&s, argv[i]);
    return visualize(&s);
}
