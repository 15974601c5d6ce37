/* A matrix with names for its rows and columns, or several of one kind, such as the heads of a model: what visualize
 * draws. */
#ifndef APP_MATRIX_H
#define APP_MATRIX_H

#include "plot/font.h"
#include <lookback/translate.h>

/** Zero is an empty one. */
typedef struct app_matrix {
    size_t layers, heads, rows, columns;
    size_t first_layer, first_head;           /* what their numbers begin with */
    double *values;                           /* [layers, heads, rows, columns] */
    const char **row_labels, **column_labels; /* NULL: they have none */
    char *row_text, *column_text;             /* where the labels' letters lie */
    lb_strings texts;                         /* or here */
} app_matrix;

/** Where the model looks while it works on `text`: a row for each symbol that it puts out, the end included, a column
 *  for each symbol of the text, and all that for each layer and head of its attention. The model must have attention.
 *  `*ended` tells whether it came to an end. Symbols that it does not know are told on standard error.
 *  Memory: freed by app_matrix_free, also after an error; so is that of app_matrix_read.
 *  Errors: LB_ERROR_FORMAT if the model cannot read `text`; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrix_attend(lb_translator *translator, const char *text, app_matrix *matrix,
                                        bool *ended, lb_error *error);

/** Makes labels such that they can be read in that font; NULL: in any that has their characters.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrix_make_readable(app_matrix *matrix, const lb_font *font, lb_error *error);

/** Says on standard error which characters of the title and of the labels of `count` matrices no font of the chain
 *  has. To be called before they are made readable. */
void app_note_missing(const lb_font *font, const char *title, const app_matrix *matrices, size_t count);

/** The array in an .npy file, [rows, columns], [heads, rows, columns] or [layers, heads, rows, columns], with labels
 *  that blanks separate; NULL: no labels.
 *  Errors: those of lb_npy_read; LB_ERROR_FORMAT if it has other dimensions, or not as many rows or columns as
 *          labels. */
LB_MUST_USE lb_status app_matrix_read(const char *path, const char *row_labels, const char *column_labels,
                                      app_matrix *matrix, lb_error *error);

/** Keeps one layer and one head, or all where -1 is given. `name` is where the matrix came from.
 *  Errors: LB_ERROR_ARGUMENT if there is no such layer or head. */
LB_MUST_USE lb_status app_matrix_keep(app_matrix *matrix, int layer, int head, const char *name,
                                      lb_error *error);

/** The mean over the heads of the last layer takes the place of all. */
void app_matrix_average(app_matrix *matrix);

void app_matrix_free(app_matrix *matrix);

#endif
