/* Lessons 1 to 4: attention over vectors that are given. The vectors are those of examples/. */
#include "lessons.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 3, WORDS = 6, WIDEST = 64 };

static const lb_real unit_vectors[] = {1, 0, 0, 1, 1, 1};

/* Of any number of queries of width two to the three keys and values of lesson 1. */
static lb_tensor *attend(lesson *l, lb_tensor *query, lb_tensor *mask, lb_tensor *bias, lb_real scale)
{
    lb_tensor *key = lb_tensor_new(l->tape, LB_SHAPE(1, VECTORS, 2), unit_vectors);
    lb_tensor *value = lb_tensor_new(l->tape, LB_SHAPE(1, VECTORS, 2), (const lb_real[]){1, 10, 10, 1, 5, 5});
    return lb_attend_dot(query, key, value, mask, bias, 1, scale, 0);
}

/* The three queries of lesson 1, the first of them replaced. */
static lb_tensor *queries(lesson *l, double x, double y)
{
    return lb_tensor_new(l->tape, LB_SHAPE(1, VECTORS, 2),
                         (const lb_real[]){(lb_real)x, (lb_real)y, 0, 1, 1, 1});
}

static void show(lesson *l, const char *weights, const char *output, lb_tensor *attended)
{
    lesson_show(l, weights, lb_op_output(attended, 1));
    lesson_show(l, output, attended);
}

lb_status lesson_dot_product(lesson *l)
{
    double angle = lesson_number(l, "angle", 0) * acos(-1) / 180, length = lesson_number(l, "length", 1);
    lb_real temperature = (lb_real)lesson_number(l, "temperature", 1);
    lb_real divisor = (lb_real)lesson_number(l, "divisor", WIDEST);
    lb_tensor *query = queries(l, length * cos(angle), length * sin(angle));
    lesson_show(l, "query", query);
    show(l, "weights", "output", attend(l, query, NULL, NULL, 1 / (sqrtf(2) * temperature)));

    lb_safetensors *file = lesson_open(l, "vectors");
    if (!file) return l->error->status;
    lb_tensor *output = lb_attend_dot(
        lb_checkpoint_tensor(l->tape, file, "query"), lb_checkpoint_tensor(l->tape, file, "key"),
        lb_checkpoint_tensor(l->tape, file, "value"), NULL, NULL, 1, 1 / divisor, 0);
    lesson_show(l, "sentence", lb_op_output(output, 1));
    lb_safetensors_close(file);
    return LB_OK;
}

lb_status lesson_changing_a_query(lesson *l)
{
    enum { STEPS = 41 };
    double share = lesson_number(l, "share", 0.9), length = lesson_number(l, "length", 1);
    lb_real way[STEPS][2];
    for (int i = 0; i < STEPS; i++) {
        double moved = (double)i / (STEPS - 1);
        way[i][0] = (lb_real)(length * (1 - moved));
        way[i][1] = (lb_real)(length * moved);
    }
    lb_tensor *query = queries(l, length * (1 - share), length * share);
    lesson_show(l, "query", query);
    show(l, "weights before", "output before", attend(l, queries(l, 1, 0), NULL, NULL, 1 / sqrtf(2)));
    show(l, "weights after", "output after", attend(l, query, NULL, NULL, 1 / sqrtf(2)));
    lb_tensor *moved = lb_tensor_new(l->tape, LB_SHAPE(1, STEPS, 2), way[0]);
    lesson_show(l, "way", lb_op_output(attend(l, moved, NULL, NULL, 1 / sqrtf(2)), 1));
    return LB_OK;
}

/* "cells" has a digit for each query and key, or for each key. */
static lb_tensor *mask_of_cells(lesson *l, int64_t rows)
{
    lb_real visible[VECTORS * VECTORS] = {0};
    const char *cells = lesson_word(l, rows == 1 ? "keys" : "cells");
    for (int i = 0; cells && i < rows * VECTORS && cells[i]; i++) visible[i] = cells[i] == '1';
    return lb_tensor_new(l->tape, LB_SHAPE(rows, VECTORS), visible);
}

lb_status lesson_masking(lesson *l)
{
    lb_tensor *mask = NULL, *bias = NULL;
    if (lesson_is(l, "kind", "length")) {
        int32_t length = (int32_t)lesson_number(l, "length", 2);
        mask = lb_key_mask(lb_length_mask(l->tape, &length, 1, VECTORS));
    } else if (lesson_is(l, "kind", "bias")) {
        lb_real added = (lb_real)lesson_number(l, "bias", -INFINITY); /* JSON has no infinity */
        bias = lb_tensor_new(l->tape, LB_SHAPE(VECTORS), (const lb_real[]){0, 0, added});
    } else if (lesson_is(l, "kind", "causal")) {
        mask = lb_causal_mask(l->tape, VECTORS);
    } else if (lesson_is(l, "kind", "cells")) {
        mask = mask_of_cells(l, VECTORS);
    } else if (!lesson_is(l, "kind", "none")) {
        mask = mask_of_cells(l, 1);
    }
    lb_tensor *query = lb_tensor_new(l->tape, LB_SHAPE(1, VECTORS, 2), unit_vectors);
    show(l, "weights", "output", attend(l, query, mask, bias, 1 / sqrtf(2)));
    return LB_OK;
}

/* One divided by width to the power. */
static lb_real scale_of(int64_t width, double power)
{
    if (power == 0) return 1;
    if (power == 0.5) return 1 / sqrtf((float)width);
    return power == 1 ? 1 / (lb_real)width : powf((lb_real)width, -(lb_real)power);
}

static lb_tensor *weights_of_columns(lb_tensor *query, lb_tensor *key, int64_t width, double power)
{
    lb_tensor *scores =
        lb_matmul_transposed(lb_slice(query, 2, 0, width), false, lb_slice(key, 2, 0, width), true);
    return lb_softmax(lb_scale(scores, scale_of(width, power)));
}

/* The mean of the largest weight of each row. */
static double certainty(const lb_tensor *weights)
{
    const double *weight = lb_doubles(weights);
    double sum = 0;
    for (int row = 0; weight && row < WORDS; row++) {
        double largest = 0;
        for (int i = 0; i < WORDS; i++) largest = fmax(largest, weight[row * WORDS + i]);
        sum += largest;
    }
    return sum / WORDS;
}

lb_status lesson_scaling(lesson *l)
{
    static const char *const names[] = {"not divided", "by the root", "by the width", "chosen"};
    int64_t width = (int64_t)lesson_number(l, "width", WIDEST);
    double power = lesson_number(l, "power", 0.5), powers[] = {0, 0.5, 1, power}, sure[WIDEST];
    lb_safetensors *file = lesson_open(l, "vectors");
    if (!file) return l->error->status;
    lb_tensor *query = lb_checkpoint_tensor(l->tape, file, "query"); /* [1, WORDS, WIDEST] */
    lb_tensor *key = lb_checkpoint_tensor(l->tape, file, "key");
    lb_safetensors_close(file);
    lesson_show(l, "weights", weights_of_columns(query, key, width, power));
    for (int way = 0; way < 4; way++) {
        for (int64_t i = 0; i < WIDEST; i++)
            sure[i] = certainty(weights_of_columns(query, key, i + 1, powers[way]));
        lesson_show_numbers(l, names[way], sure, WIDEST);
    }
    lb_tensor *three = lb_tensor_new(l->tape, LB_SHAPE(1, VECTORS, 2), unit_vectors);
    show(l, "three weights", "three output", attend(l, three, NULL, NULL, scale_of(2, power)));
    return LB_OK;
}
