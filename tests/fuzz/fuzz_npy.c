/* An array of NumPy, also as the matrices that `lookback visualize` draws. */
#include "figures/maps.h"
#include "fuzz.h"
#include "lookback/io.h"

#include <string.h>

static void read_matrix(const char *path, const char *rows, const char *columns)
{
    lb_error error = {0};
    app_matrix matrix = {0};
    lb_status status = app_matrix_read(path, rows, columns, &matrix, &error);
    fuzz_require_told(status == LB_OK, &error);
    if (status == LB_OK && app_matrix_keep(&matrix, -1, 0, path, NULL) == LB_OK) app_matrix_average(&matrix);
    app_matrix_free(&matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_shape shape = {0}, same = {0};
    double *values = NULL, *again = NULL;
    const char *path = fuzz_file(data, size);
    lb_status status = lb_npy_read(path, &shape, &values, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require((values != NULL) == (status == LB_OK), "there are values exactly if there is no error");
    read_matrix(path, NULL, NULL);
    read_matrix(path, "a b", "x \xc3\xa9\tz");
    if (!values) return 0;
    fuzz_require(lb_npy_read(path, &same, &again, NULL) == LB_OK && again, "an array can be read twice");
    size_t count = (size_t)lb_shape_count(shape);
    fuzz_require((size_t)lb_shape_count(same) == count && memcmp(values, again, count * sizeof *values) == 0,
                 "an array has the same numbers when it is read again");
    lb_release(values);
    lb_release(again);
    return 0;
}
