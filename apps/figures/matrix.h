/* The data that visualize draws: a matrix with row and column labels, or several, such as the heads of a model. */
#ifndef APP_MATRIX_H
#define APP_MATRIX_H

#include "base/buffer.h"
#include "plot/font.h"
#include <lookback/translate.h>

/** Zero is an empty matrix. */
typedef struct app_matrix {
    size_t layers, heads, rows, columns;
    size_t first_layer, first_head; /* the numbers of the first ones */
    size_t averaged;                /* the heads of which the only map is the mean; 0: it is of one */
    double *values;                 /* [layers, heads, rows, columns] */
    const char **row_labels, **column_labels; /* NULL: none */
    lb_strings texts;                         /* memory of the labels */
} app_matrix;

/** The attention weights of a model for `text`: a row for each output symbol, the end included, and a column for each
 *  symbol of the text, for each layer and head; of hard attention the likeliest alignment. The model must have
 *  attention. `*ended` tells whether the output ended. Unknown symbols are reported on standard error.
 *  Memory: freed by app_matrix_free, also after an error; the same holds for app_matrix_read.
 *  Errors: LB_ERROR_FORMAT if `text` is invalid for the model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrix_attend(lb_translator *translator, const char *text, app_matrix *matrix,
                                        bool *ended, lb_error *error);

/** Makes the labels of `count` matrices readable in that font, and reports on standard error the characters of title
 *  and labels that no font of the chain has; NULL: readable in any font that has their characters.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_matrices_make_readable(app_matrix *matrices, size_t count, const lb_font *font,
                                                 const char *title, lb_error *error);

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

#endif
