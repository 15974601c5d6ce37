#include "figures/matrix.h"
#include "base/alloc.h"

#include <string.h>

void app_matrix_free(app_matrix *matrix)
{
    lb_release(matrix->values);
    lb_release((void *)matrix->row_labels);
    lb_release((void *)matrix->column_labels);
    lb_strings_free(&matrix->texts);
    *matrix = (app_matrix){0};
}

static lb_status check_number(int number, size_t count, const char *what, const char *name, lb_error *error)
{
    if (number < 0 || (size_t)number < count) return LB_OK;
    if (count == 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected 0, since %s has only one, found %d",
                            what, name, number);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected 0 to %zu, since %s has %zu, found %d", what,
                        count - 1, name, count, number);
}

lb_status app_matrix_keep(app_matrix *m, int layer, int head, const char *name, lb_error *error)
{
    size_t map = m->rows * m->columns, kept = 0;
    lb_status status = check_number(layer, m->layers, "layer", name, error);
    if (!status) status = check_number(head, m->heads, "head", name, error);
    if (status) return status;
    for (size_t i = 0; i < m->layers * m->heads; i++) {
        bool keep =
            (layer < 0 || i / m->heads == (size_t)layer) && (head < 0 || i % m->heads == (size_t)head);
        if (keep) memmove(m->values + kept++ * map, m->values + i * map, map * sizeof *m->values);
    }
    if (layer >= 0) {
        m->first_layer = (size_t)layer;
        m->layers = 1;
    }
    if (head >= 0) {
        m->first_head = (size_t)head;
        m->heads = 1;
    }
    return LB_OK;
}

void app_matrix_average(app_matrix *m)
{
    size_t map = m->rows * m->columns;
    const double *last = m->values + (m->layers - 1) * m->heads * map;
    for (size_t i = 0; i < map; i++) {
        double sum = 0;
        for (size_t head = 0; head < m->heads; head++) sum += last[head * map + i];
        m->values[i] = sum / (double)m->heads;
    }
    m->first_layer += m->layers - 1;
    m->averaged = m->heads;
    m->layers = m->heads = 1;
}

/* Names with blanks between them. */
static lb_status read_labels(app_matrix *m, const char *labels, const char *path, const char *what,
                             size_t needed, const char ***words, lb_error *error)
{
    static const char blanks[] = " \t\n\v\f\r";
    size_t count = 0;
    if (!labels) return LB_OK;
    *words = lb_alloc(needed * sizeof **words);
    if (!*words) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    char *rest, *text = lb_alloc_string(labels);
    if (lb_strings_add(&m->texts, text, error)) return LB_ERROR_MEMORY;
    for (char *word = strtok_r(text, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest), count++)
        if (count < needed) (*words)[count] = word;
    if (count == needed) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: there are %zu names for %zu %s", path, count, needed,
                        what);
}

lb_status app_matrix_read(const char *path, const char *row_labels, const char *column_labels, app_matrix *m,
                          lb_error *error)
{
    lb_shape shape;
    lb_status status = lb_npy_read(path, &shape, &m->values, error);
    if (status) return status;
    if (shape.ndim < 2 || shape.ndim > 4 || lb_shape_count(shape) == 0) {
        char text[LB_SHAPE_TEXT];
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: expected a matrix, [rows,columns], with heads and layers before them if there "
            "are such; found an array of shape %s",
            path, lb_shape_format(shape, text));
    }
    m->layers = shape.ndim > 3 ? (size_t)shape.dim[0] : 1;
    m->heads = shape.ndim > 2 ? (size_t)shape.dim[shape.ndim - 3] : 1;
    m->rows = (size_t)shape.dim[shape.ndim - 2];
    m->columns = (size_t)shape.dim[shape.ndim - 1];
    status = read_labels(m, row_labels, path, "rows", m->rows, &m->row_labels, error);
    return status ? status
                  : read_labels(m, column_labels, path, "columns", m->columns, &m->column_labels, error);
}
