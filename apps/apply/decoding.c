#include "apply/decoding.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/file.h"

#include <lookback/io.h>

#include <float.h>
#include <string.h>

lb_status app_check_copy(const lb_translator_facts *model, lb_error *error)
{
    if (model->model->heads > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: --copy-unknown needs a model with attention",
                        model->path);
}

double app_length_penalty(double given)
{
    return given > 0 ? given : -1;
}

double app_temperature(double given)
{
    return given > 0 ? given : DBL_MIN; /* divided by it, any other logit is minus infinity */
}

lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error)
{
    const lb_output *output = found->text->output;
    lb_shape shape = LB_SHAPE(found->layers, found->heads, output->steps, found->text->length);
    int64_t count = lb_shape_count(shape);
    double *values = lb_alloc((size_t)count * sizeof *values);
    if (!values) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    for (int64_t i = 0; i < count; i++) values[i] = (double)output->weights[i];
    lb_status status = lb_npy_write(values, shape, LB_DTYPE_F32, path, error);
    lb_release(values);
    return status;
}

bool app_attention_has_lines(const char *path)
{
    static const char ending[] = ".jsonl";
    size_t length = strlen(path), end = sizeof ending - 1;
    return length > end && strcmp(path + length - end, ending) == 0;
}

/* Nested lists of so many dimensions. */
static const lb_real *add_lists(lb_buffer *lines, const lb_real *values, const int64_t *size, int dimensions)
{
    enum { DIGITS = 6 };
    if (dimensions == 0) {
        lb_json_number(lines, NULL, (double)*values, DIGITS);
        return values + 1;
    }
    lb_json_open(lines, NULL, "[");
    for (int64_t i = 0; i < *size; i++) values = add_lists(lines, values, size + 1, dimensions - 1);
    lb_buffer_print(lines, "]");
    return values;
}

void app_add_attention(lb_buffer *lines, const lb_translations *found, const lb_translation *text)
{
    const lb_output *output = text->output;
    if (text->count == 0 || !output->weights) {
        lb_buffer_print(lines, "null\n");
        return;
    }
    const int64_t size[] = {found->layers, found->heads, output->steps, text->length};
    lb_json_open(lines, NULL, "{");
    lb_json_strings(lines, "source", text->symbol, text->length);
    lb_json_strings(lines, "output", output->symbol, output->length);
    lb_json_bool(lines, "finished", output->finished);
    lb_json_key(lines, "attention");
    add_lists(lines, output->weights, size, (int)(sizeof size / sizeof *size));
    lb_buffer_print(lines, "}\n");
}

lb_status app_write_lines(const char *path, const lb_buffer *lines, lb_error *error)
{
    if (lines->failed) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    return lb_file_write_atomic(path, lines->text ? lines->text : "", lines->length, error);
}

void app_add_alignment(lb_buffer *line, const lb_translations *found, const lb_translation *text,
                       const lb_output *output)
{
    int64_t map = output->steps * text->length;
    const lb_real *last = output->weights ? output->weights + (found->layers - 1) * found->heads * map : NULL;
    for (int64_t step = 0; step < output->length && last; step++) {
        int64_t best = 0;
        double most = -1;
        for (int64_t k = 0; k < text->length; k++) {
            double sum = 0;
            for (int64_t head = 0; head < found->heads; head++)
                sum += (double)last[head * map + step * text->length + k];
            if (sum > most) best = k;
            most = sum > most ? sum : most;
        }
        lb_buffer_print(line, "%s%lld-%lld", step > 0 ? " " : "", (long long)best, (long long)step);
    }
}
