/* What visualize draws: matrices, and the figure of one or several of them, a panel for each attention map. */
#ifndef APP_MAPS_H
#define APP_MAPS_H

#include "base/buffer.h"
#include "plot/figure.h"
#include <lookback/translate.h>

/* ---- matrix.c: a matrix with row and column labels, or several, such as the heads of a model. ---- */

/** Texts of a matrix: those of the cells are above their numbers. */
enum { APP_ROWS, APP_COLUMNS, APP_CELLS, APP_LABELS };

/** Zero is an empty matrix. */
typedef struct app_matrix {
    size_t layers, heads, rows, columns;
    size_t first_layer, first_head;   /* the numbers of the first ones */
    size_t averaged;                  /* the heads of which the only map is the mean; 0: it is of one */
    double *values;                   /* [layers, heads, rows, columns] */
    lb_strings labels[APP_LABELS];    /* of none or all of the rows, columns and cells */
    const char *across, *down, *unit; /* what columns, rows and values are; NULL: as those of attention */
} app_matrix;

/** What is drawn of a model, and its name; the names end with NULL. */
typedef enum app_measure { APP_ATTENTION, APP_ERASURE, APP_GRADIENT } app_measure;
extern const char *const app_measures[];

/** What a model does with `text`, by a measure: a row for each output symbol, the end included, and a column
 *  for each symbol of the text; of attention for each layer and head, and of hard attention the likeliest alignment.
 *  Or, unless `patch` is NULL, a row for all that the output loses if `patch` is the text, then one for each point that
 *  can bring something back, and a column for each output symbol. `*ended` tells whether the output ended. Unknown
 *  symbols are reported on standard error.
 *  Memory: freed by app_matrix_free, also after an error; the same holds for app_matrix_read.
 *  Errors: LB_ERROR_FORMAT if a text is invalid for the model, or there is nothing to draw; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrix_attend(lb_translator *translator, const char *text, app_measure by,
                                        const char *patch, app_matrix *matrix, bool *ended, lb_error *error);

/** Joins the rows and columns of subwords, as app_matrix_attend makes them, to those of words: the weight of a word is
 *  the sum over its pieces in the text, and the mean over its pieces in the output, so that rows sum to 1 as before.
 *  Measures of log-probability are sums over both, since that of a word is the sum over its pieces. The end and
 *  features stay as they are.
 *  Errors: LB_ERROR_MEMORY.
 *  Source: Clark, Khandelwal, Levy, Manning 2019, arXiv:1906.04341, section 4.1. */
LB_MUST_USE lb_status app_matrix_join_words(app_matrix *matrix, bool ended, lb_error *error);

/** The likeliest symbols at each step of the best output for a text, the likeliest first, and their probabilities.
 *  Errors: those of lb_translator_open; LB_ERROR_FORMAT if the text is invalid for the model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrix_likeliest(const char *model, const char *text, app_matrix *matrix,
                                           lb_error *error);

/** The array in an .npy file, [rows, columns], [heads, rows, columns] or [layers, heads, rows, columns], with labels
 *  separated by blanks; NULL: no labels.
 *  Errors: those of lb_npy_read; LB_ERROR_FORMAT if it has other dimensions, or the number of labels does not match the
 *          rows or columns. */
LB_MUST_USE lb_status app_matrix_read(const char *path, const char *row_labels, const char *column_labels,
                                      app_matrix *matrix, lb_error *error);

/** Keeps one layer and one head; -1 keeps all. `name` is the source of the matrix, for messages.
 *  Errors: LB_ERROR_ARGUMENT if the layer or head does not exist. */
LB_MUST_USE lb_status app_matrix_keep(app_matrix *matrix, int layer, int head, const char *name,
                                      lb_error *error);

/** Replaces all maps by the mean over the heads of the last layer. */
void app_matrix_average(app_matrix *matrix);

void app_matrix_free(app_matrix *matrix);

/* ---- maps.c: the figure. ---- */

enum { APP_MODEL_NAME = 64 };

/** Writes the kind of a model: its attention, such as "multi-head" or "additive, sparsemax", or "transformer". */
void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME]);

/** Names the models by their kinds, which are in `names`, if all differ; otherwise by the parts of their paths that
 *  differ: "dot" and "general" for out/dot/sort.safetensors and out/general/sort.safetensors. */
void app_name_models(const char *const *paths, int count, char (*names)[APP_MODEL_NAME]);

/** The style of the figure. */
typedef struct app_maps_style {
    const char *title, *input; /* the first that is not NULL is the title */
    lb_colormap colormap;
    lb_range range;      /* of the colours; LB_RANGE_UNIT: chosen from the data */
    double min, max;     /* with LB_RANGE_GIVEN */
    bool no_values;      /* in the cells */
    lb_figure figure;    /* its dpi, font, transparent and dark */
    const lb_font *font; /* begins the chain of fonts: that of the figure, or the built-in one */
    char (
        *names)[APP_MODEL_NAME]; /* [count]: the names of the matrices, for titles; NULL: there is only one */
} app_maps_style;

/** Reads the range, "data" or "LOW..HIGH", such as "0..1"; NULL: chosen from the data. Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_range_parse(const char *text, app_maps_style *style, lb_error *error);

/** Draws every layer and head of `count` matrices into the file `path`. Without a given range, the scale goes from 0 to
 *  1, or over the data if some are outside or all are below 0.5; the bar then says so. Makes the labels readable, and
 *  reports on standard error the characters of title and labels that no font of the chain has.
 *  Name:   of the data, for messages.
 *  Errors: LB_ERROR_FORMAT if the figure would be too large; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_maps_save(const app_maps_style *style, app_matrix *matrices, size_t count,
                                    const char *name, const char *path, lb_error *error);

/* ---- points.c ---- */

/** Prints a line for each point of a model, as `inspect --points` does: name, layers, heads and shape. Of an ensemble
 *  it prints those of each member. Errors: as lb_model_forward. */
LB_MUST_USE lb_status app_print_points(const lb_model *model, lb_error *error);

#endif
