/* The ops of ONNX that change shapes, and move numbers. */
#include "support/onnx_ops.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static void reshaped(support_onnx_step *s, int dims, const int64_t *dim)
{
    s->out[0] = support_onnx_array_new(s->in[0].type, dims, dim);
    ck_assert_int_eq(support_onnx_count(&s->out[0]), support_onnx_count(&s->in[0]));
    memcpy(s->out[0].number, s->in[0].number,
           (size_t)support_onnx_count(&s->in[0]) * sizeof *s->out[0].number);
}

/* 0 is the length of the operand, and -1 what is left. */
static void reshape(support_onnx_step *s)
{
    const support_onnx_array *wanted = &s->in[1];
    int64_t dim[SUPPORT_ONNX_DIMS], known = 1, open = -1;
    ck_assert(wanted->type == SUPPORT_ONNX_INT64 && wanted->dims == 1 && wanted->dim[0] <= SUPPORT_ONNX_DIMS);
    for (int i = 0; i < wanted->dim[0]; i++) {
        dim[i] = (int64_t)wanted->number[i];
        ck_assert(dim[i] != 0 || i < s->in[0].dims);
        if (dim[i] == 0) dim[i] = s->in[0].dim[i];
        if (dim[i] < 0)
            open = i;
        else
            known *= dim[i];
    }
    if (open >= 0) dim[open] = support_onnx_count(&s->in[0]) / known;
    reshaped(s, (int)wanted->dim[0], dim);
}

static void unsqueeze(support_onnx_step *s)
{
    ck_assert(s->in[1].type == SUPPORT_ONNX_INT64 && support_onnx_count(&s->in[1]) == 1);
    int64_t dim[SUPPORT_ONNX_DIMS];
    int dims = s->in[0].dims + 1, axis = support_onnx_axis((int64_t)s->in[1].number[0], dims);
    ck_assert_int_le(dims, SUPPORT_ONNX_DIMS);
    for (int i = 0; i < dims; i++) dim[i] = i == axis ? 1 : s->in[0].dim[i - (i > axis)];
    reshaped(s, dims, dim);
}

/* Without axes, all of length 1 go. */
static void squeeze(support_onnx_step *s)
{
    int64_t dim[SUPPORT_ONNX_DIMS];
    int dims = 0, axis = -1;
    if (s->in[1].number) axis = support_onnx_axis((int64_t)s->in[1].number[0], s->in[0].dims);
    for (int i = 0; i < s->in[0].dims; i++) {
        bool goes = axis < 0 ? s->in[0].dim[i] == 1 : i == axis;
        ck_assert(!goes || s->in[0].dim[i] == 1);
        if (!goes) dim[dims++] = s->in[0].dim[i];
    }
    reshaped(s, dims, dim);
}

static void transpose(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0];
    const support_onnx_attribute *order = support_onnx_attribute_of(s->node, "perm");
    int64_t dim[SUPPORT_ONNX_DIMS] = {0}, stride[SUPPORT_ONNX_DIMS] = {0};
    ck_assert(order && order->count == x->dims);
    unsigned seen = 0;
    for (int i = 0; i < x->dims; i++) {
        int from = support_onnx_axis(order->whole[i], x->dims);
        seen |= 1U << from;
        dim[i] = x->dim[from];
        stride[i] = support_onnx_product(x, from + 1, x->dims);
    }
    ck_assert_uint_eq(seen, (1U << x->dims) - 1);
    s->out[0] = support_onnx_array_new(x->type, x->dims, dim);
    for (int64_t i = 0; i < support_onnx_count(x); i++) {
        int64_t at = 0, rest = i;
        for (int k = x->dims - 1; k >= 0; rest /= dim[k--]) at += rest % dim[k] * stride[k];
        s->out[0].number[i] = x->number[at];
    }
}

static void concat(support_onnx_step *s)
{
    const support_onnx_array *a = &s->in[0], *b = &s->in[1];
    ck_assert(support_onnx_attribute_of(s->node, "axis") && s->node->reads == 2 && a->dims == b->dims &&
              a->type == b->type);
    int axis = support_onnx_axis(support_onnx_whole(s->node, "axis", 0), a->dims);
    support_onnx_array *out = &s->out[0];
    int64_t dim[SUPPORT_ONNX_DIMS];
    for (int i = 0; i < a->dims; i++) {
        ck_assert(i == axis || a->dim[i] == b->dim[i]);
        dim[i] = a->dim[i] + (i == axis ? b->dim[i] : 0);
    }
    *out = support_onnx_array_new(a->type, a->dims, dim);
    int64_t of_a = support_onnx_product(a, axis, a->dims), of_b = support_onnx_product(b, axis, b->dims);
    for (int64_t i = 0; i < support_onnx_product(a, 0, axis); i++) {
        memcpy(out->number + i * (of_a + of_b), a->number + i * of_a, (size_t)of_a * sizeof *out->number);
        memcpy(out->number + i * (of_a + of_b) + of_a, b->number + i * of_b,
               (size_t)of_b * sizeof *out->number);
    }
}

/* Into equal parts, as many as there are results. */
static void split(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0];
    int axis = support_onnx_axis(support_onnx_whole(s->node, "axis", 0), x->dims), parts = s->node->makes;
    ck_assert(s->node->reads == 1 && x->dim[axis] % parts == 0);
    int64_t dim[SUPPORT_ONNX_DIMS], run = support_onnx_product(x, axis, x->dims) / parts;
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] /= parts;
    for (int k = 0; k < parts; k++) {
        s->out[k] = support_onnx_array_new(x->type, x->dims, dim);
        for (int64_t i = 0; i < support_onnx_product(x, 0, axis); i++)
            memcpy(s->out[k].number + i * run, x->number + (i * parts + k) * run,
                   (size_t)run * sizeof *x->number);
    }
}

static void shape(support_onnx_step *s)
{
    int64_t first = support_onnx_whole(s->node, "start", 0),
            end = support_onnx_whole(s->node, "end", s->in[0].dims);
    ck_assert(first >= 0 && first < end && end <= s->in[0].dims);
    s->out[0] = support_onnx_array_new(SUPPORT_ONNX_INT64, 1, (const int64_t[]){end - first});
    for (int64_t i = first; i < end; i++) s->out[0].number[i - first] = (double)s->in[0].dim[i];
}

static void constant_of_shape(support_onnx_step *s)
{
    int64_t dim[SUPPORT_ONNX_DIMS];
    ck_assert(s->in[0].type == SUPPORT_ONNX_INT64 && s->in[0].dims == 1 && !s->node->attributes);
    ck_assert_int_le(s->in[0].dim[0], SUPPORT_ONNX_DIMS);
    for (int i = 0; i < s->in[0].dim[0]; i++) dim[i] = (int64_t)s->in[0].number[i];
    s->out[0] = support_onnx_array_new(SUPPORT_ONNX_FLOAT, (int)s->in[0].dim[0], dim);
}

static void range(support_onnx_step *s)
{
    for (int i = 0; i < 3; i++) ck_assert(s->in[i].dims == 0 && s->in[i].type == s->in[0].type);
    double first = s->in[0].number[0], end = s->in[1].number[0], more = s->in[2].number[0];
    int64_t count = end > first ? (int64_t)ceil((end - first) / more) : 0;
    s->out[0] = support_onnx_array_new(s->in[0].type, 1, &count);
    for (int64_t i = 0; i < count; i++) s->out[0].number[i] = first + (double)i * more;
}

static void gather(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0], *rows = &s->in[1];
    ck_assert(support_onnx_is_whole(rows) && support_onnx_whole(s->node, "axis", 0) == 0 && x->dims > 0);
    int64_t dim[SUPPORT_ONNX_DIMS], width = support_onnx_product(x, 1, x->dims);
    ck_assert_int_le(rows->dims + x->dims - 1, SUPPORT_ONNX_DIMS);
    memcpy(dim, rows->dim, sizeof dim);
    for (int i = 1; i < x->dims; i++) dim[rows->dims + i - 1] = x->dim[i];
    s->out[0] = support_onnx_array_new(x->type, rows->dims + x->dims - 1, dim);
    for (int64_t i = 0; i < support_onnx_count(rows); i++) {
        int64_t row = (int64_t)rows->number[i];
        ck_assert(row >= 0 && row < x->dim[0]);
        memcpy(s->out[0].number + i * width, x->number + row * width, (size_t)width * sizeof *x->number);
    }
}

const support_onnx_op support_onnx_shape_ops[] = {{"Reshape", 2, 2, reshape},
                                                  {"Unsqueeze", 2, 2, unsqueeze},
                                                  {"Squeeze", 1, 2, squeeze},
                                                  {"Transpose", 1, 1, transpose},
                                                  {"Concat", 2, 2, concat},
                                                  {"Split", 1, 1, split},
                                                  {"Shape", 1, 1, shape},
                                                  {"ConstantOfShape", 1, 1, constant_of_shape},
                                                  {"Range", 3, 3, range},
                                                  {"Gather", 2, 2, gather},
                                                  {0}};
