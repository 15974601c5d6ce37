/* Writes weights as arrays in C, as int8, bf16 or float, and the structs over them. */
#include "export/export.h"

#include "base/format.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const app_number_names[] = {"int8", "bf16", "f32", NULL};

enum { LINE = 120, NUMBER = 32, MOST = 127 };

/* An array under construction. */
typedef struct array {
    lb_buffer *out;
    size_t column;
} array;

static array begin_array(lb_buffer *out, const char *type, const char *name, const char *suffix)
{
    lb_buffer_print(out, "static const %s %s%s[] = {", type, name, suffix);
    return (array){out, LINE};
}

static void add_number(array *a, const char *text)
{
    size_t length = strlen(text);
    bool fits = a->column + length + 1 <= LINE;
    lb_buffer_add(a->out, fits ? "" : "\n", fits ? 0 : 1);
    lb_buffer_add(a->out, text, length);
    lb_buffer_add(a->out, ",", 1);
    a->column = (fits ? a->column : 0) + length + 1;
}

static void end_array(const array *a)
{
    lb_buffer_print(a->out, "\n};\n");
}

/* The shortest text that is the number again. */
static void add_float(array *a, float x)
{
    char digits[NUMBER], text[NUMBER + 4];
    lb_snprintf(digits, sizeof digits, "%.9g", (double)x);
    lb_snprintf(text, sizeof text, strpbrk(digits, ".e") ? "%sF" : "%s.0F", digits);
    add_number(a, text);
}

static void add_whole(array *a, long long x)
{
    char text[NUMBER];
    lb_snprintf(text, sizeof text, "%lld", x);
    add_number(a, text);
}

void app_numbers_floats(lb_buffer *out, const char *name, const char *suffix, int64_t count, const lb_real *x)
{
    array a = begin_array(out, "float", name, suffix);
    for (int64_t i = 0; i < count; i++) add_float(&a, (float)x[i]);
    end_array(&a);
}

void app_numbers_bytes(lb_buffer *out, const char *name, const char *bytes, size_t count)
{
    array a = begin_array(out, "unsigned char", name, "");
    for (size_t i = 0; i < count; i++) add_whole(&a, (unsigned char)bytes[i]);
    end_array(&a);
}

/* A row of int8 has its largest number at 127. */
static float scale_of(int64_t count, const lb_real *x)
{
    float largest = 0;
    for (int64_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf((float)x[i]));
    return largest / MOST;
}

/* The upper half of a float, rounded to the nearest, to an even one if two are as near. */
static uint32_t upper_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return (rounded & 0x7F80) == 0x7F80 ? bits >> 16 : rounded; /* no weight becomes infinite */
}

static void add_row(app_numbers *n, array *a, int64_t columns, const lb_real *x)
{
    float scale = n->type == APP_NUMBER_INT8 ? scale_of(columns, x) : 1;
    for (int64_t i = 0; i < columns; i++) {
        if (n->type == APP_NUMBER_F32)
            add_float(a, (float)x[i]);
        else if (n->type == APP_NUMBER_BF16)
            add_whole(a, (long long)upper_half((float)x[i]));
        else
            add_whole(a, scale > 0 ? lrintf((float)x[i] / scale) : 0);
    }
    n->weights += columns;
    app_progress_count(&n->progress, "weight", n->weights, lb_params_learned(n->params));
}

static void add_weights(app_numbers *n, const char *name, int64_t rows, int64_t columns, const lb_real *x)
{
    array a = begin_array(&n->arrays, "number", name, "_weight");
    for (int64_t row = 0; row < rows; row++) add_row(n, &a, columns, x + row * columns);
    end_array(&a);
    if (n->type != APP_NUMBER_INT8) return;
    a = begin_array(&n->arrays, "float", name, "_scale");
    for (int64_t row = 0; row < rows; row++) add_float(&a, scale_of(columns, x + row * columns));
    end_array(&a);
}

/* The initialiser of a `linear` over the arrays of `arrays`. */
static void add_layer(app_numbers *n, const char *arrays, int64_t rows, int64_t columns, const char *bias)
{
    lb_buffer_print(&n->layers, "{%" PRId64 ", %" PRId64 ", %s_weight, ", rows, columns, arrays);
    if (n->type == APP_NUMBER_INT8) lb_buffer_print(&n->layers, "%s_scale, ", arrays);
    lb_buffer_print(&n->layers, bias ? "%s_bias}" : "NULL}", bias);
    n->widest = columns > n->widest ? columns : n->widest;
}

static void add_bias(app_numbers *n, const char *name, const lb_tensor *bias, int64_t first, int64_t rows)
{
    if (!bias) return;
    app_numbers_floats(&n->arrays, name, "_bias", rows, bias->data + first);
    n->weights += rows;
}

void app_numbers_linear(app_numbers *n, const char *name, const lb_tensor *weight, const lb_tensor *bias,
                        int64_t first, int64_t rows)
{
    int64_t columns = lb_dim(weight, -1);
    if (rows == 0) rows = lb_count(weight) / columns;
    assert((first + rows) * columns <= lb_count(weight));
    add_weights(n, name, rows, columns, weight->data + first * columns);
    add_bias(n, name, bias, first, rows);
    add_layer(n, name, rows, columns, bias ? name : NULL);
}

void app_numbers_named(app_numbers *n, const char *name, const lb_tensor *weight, const lb_tensor *bias)
{
    lb_buffer_print(&n->layers, "static const linear %s = ", name);
    app_numbers_linear(n, name, weight, bias, 0, 0);
    lb_buffer_print(&n->layers, ";\n");
}

void app_numbers_output(app_numbers *n, const lb_linear *output, const lb_embedding *target)
{
    const lb_tensor *w = output->weight;
    if (w != target->weight) {
        app_numbers_named(n, "output", w, output->bias);
        return;
    }
    add_bias(n, "output", output->bias, 0, lb_dim(w, 0));
    lb_buffer_print(&n->layers, "static const linear output = ");
    add_layer(n, "target_embedding", lb_dim(w, 0), lb_dim(w, 1), "output");
    lb_buffer_print(&n->layers, ";\n");
}

void app_numbers_array(app_numbers *n, const char *name, const char *suffix, const lb_tensor *parameter)
{
    app_numbers_floats(&n->arrays, name, suffix, lb_count(parameter), parameter->data);
    n->weights += lb_count(parameter);
}
