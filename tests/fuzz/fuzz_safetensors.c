/* A safetensors file: opened, and every array read. */
#include "fuzz.h"
#include "io/safetensors.h"
#include "lookback/io.h"

#include <stdlib.h>

/* The room is exact, so that a sanitizer sees one number too many. */
static void read_array(const lb_safetensors *file, const lb_safetensors_tensor *array)
{
    size_t count = (size_t)lb_shape_count(array->shape);
    lb_real *real = malloc(count * sizeof *real);
    fuzz_require(count == 0 || real, "there is memory for an array that a small file holds");
    fuzz_require(lb_safetensors_find(file, array->name) == array, "an array is found by its name");
    fuzz_require(lb_safetensors_read(file, array->name, array->shape, real, NULL) == LB_OK,
                 "an array of the file can be read");
    free(real);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    lb_safetensors *file = lb_safetensors_open(fuzz_file(data, size), &error);
    fuzz_require_told(file != NULL, &error);
    if (!file) return 0;
    size_t count = (size_t)lb_safetensors_count(file);
    for (size_t i = 0; i < count; i++) read_array(file, lb_safetensors_at(file, (int64_t)i));
    fuzz_require(lb_safetensors_at(file, (int64_t)count) == NULL, "there are no arrays after the last");
    (void)lb_safetensors_metadata_value(file, "lookback.format");
    lb_safetensors_close(file);
    return 0;
}
