/* The ops of ONNX that sum up: products, normalisations and recurrent layers. */
#include "support/onnx_ops.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void reduce_sum(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0];
    ck_assert(s->in[1].type == SUPPORT_ONNX_INT64 && support_onnx_count(&s->in[1]) == 1);
    ck_assert_int_eq(support_onnx_whole(s->node, "keepdims", 1), 0);
    int axis = support_onnx_axis((int64_t)s->in[1].number[0], x->dims), dims = 0;
    int64_t dim[SUPPORT_ONNX_DIMS], inner = support_onnx_product(x, axis + 1, x->dims);
    for (int i = 0; i < x->dims; i++)
        if (i != axis) dim[dims++] = x->dim[i];
    s->out[0] = support_onnx_array_new(x->type, dims, dim);
    for (int64_t i = 0; i < support_onnx_count(x); i++)
        s->out[0].number[i / (inner * x->dim[axis]) * inner + i % inner] += x->number[i];
}

/* Of the last axis. */
static void softmax(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0];
    ck_assert_int_eq(support_onnx_axis(support_onnx_whole(s->node, "axis", -1), x->dims), x->dims - 1);
    ck_assert_int_eq(x->type, SUPPORT_ONNX_FLOAT);
    s->out[0] = support_onnx_alike(x);
    int64_t width = x->dim[x->dims - 1];
    for (int64_t first = 0; first < support_onnx_count(x); first += width) {
        double largest = -INFINITY, sum = 0, *y = s->out[0].number + first;
        for (int64_t i = 0; i < width; i++) largest = fmax(largest, x->number[first + i]);
        for (int64_t i = 0; i < width; i++) sum += y[i] = exp(x->number[first + i] - largest);
        for (int64_t i = 0; i < width; i++) y[i] /= sum;
    }
}

static void layer_normalization(support_onnx_step *s)
{
    const support_onnx_array *x = &s->in[0];
    int64_t width = x->dim[x->dims - 1];
    ck_assert(s->node->reads == 3 && s->node->makes == 1 && !s->node->attributes);
    ck_assert(support_onnx_count(&s->in[1]) == width && support_onnx_count(&s->in[2]) == width);
    s->out[0] = support_onnx_alike(x);
    for (int64_t first = 0; first < support_onnx_count(x); first += width) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < width; i++) mean += x->number[first + i] / (double)width;
        for (int64_t i = 0; i < width; i++) square += pow(x->number[first + i] - mean, 2) / (double)width;
        for (int64_t i = 0; i < width; i++)
            s->out[0].number[first + i] =
                (x->number[first + i] - mean) / sqrt(square + 1e-5) * s->in[1].number[i] + s->in[2].number[i];
    }
}

/* Matrices of the last two axes; the axes before go together as those of a sum. */
static void matmul(support_onnx_step *s)
{
    const support_onnx_array *a = &s->in[0], *b = &s->in[1];
    ck_assert(a->type == SUPPORT_ONNX_FLOAT && b->type == a->type && a->dims >= 2 && b->dims >= 2);
    int64_t rows = a->dim[a->dims - 2], inner = a->dim[a->dims - 1], columns = b->dim[b->dims - 1];
    ck_assert_int_eq(b->dim[b->dims - 2], inner);
    support_onnx_array outer_a = *a, outer_b = *b;
    outer_a.dims -= 2;
    outer_b.dims -= 2;
    support_onnx_array index_a = support_onnx_alike(&outer_a), index_b = support_onnx_alike(&outer_b);
    for (int64_t i = 0; i < support_onnx_count(&index_a); i++) index_a.number[i] = (double)(i * rows * inner);
    for (int64_t i = 0; i < support_onnx_count(&index_b); i++)
        index_b.number[i] = (double)(i * inner * columns);
    support_onnx_array outer = support_onnx_broadcast(&index_a, &index_b, a->type);
    int64_t dim[SUPPORT_ONNX_DIMS];
    memcpy(dim, outer.dim, sizeof dim);
    dim[outer.dims] = rows;
    dim[outer.dims + 1] = columns;
    s->out[0] = support_onnx_array_new(a->type, outer.dims + 2, dim);
    for (int64_t i = 0; i < support_onnx_count(&s->out[0]); i++) {
        int64_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
        const double *x = a->number + (int64_t)support_onnx_number_at(&index_a, &outer, matrix) + row * inner;
        const double *y = b->number + (int64_t)support_onnx_number_at(&index_b, &outer, matrix) + column;
        for (int64_t k = 0; k < inner; k++) s->out[0].number[i] += x[k] * y[k * columns];
    }
    free(index_a.number);
    free(index_b.number);
    free(outer.number);
}

/* ---- Recurrent layers. ---- */

/* One direction of a layer over one row of the batch. */
typedef struct cells {
    const support_onnx_step *s;
    int64_t hidden, width, gates, direction;
    const double *w, *r, *b; /* of this direction; b has the biases of both */
} cells;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* What gate `gate` gets of the input, or of the state: the product with a row, and its bias. */
static double from_input(const cells *c, int64_t gate, int64_t unit, const double *x)
{
    int64_t row = gate * c->hidden + unit;
    double sum = c->b[row];
    for (int64_t i = 0; i < c->width; i++) sum += c->w[row * c->width + i] * x[i];
    return sum;
}

static double from_state(const cells *c, int64_t gate, int64_t unit, const double *h)
{
    int64_t row = gate * c->hidden + unit;
    double sum = c->b[c->gates * c->hidden + row];
    for (int64_t i = 0; i < c->hidden; i++) sum += c->r[row * c->hidden + i] * h[i];
    return sum;
}

static double gate_of(const cells *c, int64_t gate, int64_t unit, const double *x, const double *h)
{
    return from_input(c, gate, unit, x) + from_state(c, gate, unit, h);
}

/* Gates z, r, h, with linear_before_reset. */
static void step_gru(const cells *c, const double *x, const double *h, double *next)
{
    for (int64_t i = 0; i < c->hidden; i++) {
        double z = sigmoid(gate_of(c, 0, i, x, h)), r = sigmoid(gate_of(c, 1, i, x, h));
        double n = tanh(from_input(c, 2, i, x) + r * from_state(c, 2, i, h));
        next[i] = (1 - z) * n + z * h[i];
    }
}

/* Gates i, o, f, c. */
static void step_lstm(const cells *c, const double *x, const double *h, double *next, double *memory)
{
    for (int64_t i = 0; i < c->hidden; i++) {
        double in = sigmoid(gate_of(c, 0, i, x, h)), out = sigmoid(gate_of(c, 1, i, x, h));
        double keep = sigmoid(gate_of(c, 2, i, x, h)), new = tanh(gate_of(c, 3, i, x, h));
        memory[i] = keep * memory[i] + in * new;
        next[i] = out * tanh(memory[i]);
    }
}

static void run_row(const cells *c, support_onnx_array *out, int64_t row, int64_t length, bool backwards)
{
    const support_onnx_array *x = &c->s->in[0];
    int64_t batch = x->dim[1], directions = out[1].dim[0], at = (c->direction * batch + row) * c->hidden;
    double *state = out[1].number + at, *next = calloc((size_t)c->hidden, sizeof *next);
    ck_assert_ptr_nonnull(next);
    for (int64_t k = 0; k < length; k++) {
        int64_t t = backwards ? length - 1 - k : k;
        const double *in = x->number + (t * batch + row) * c->width;
        if (c->gates == 4)
            step_lstm(c, in, state, next, out[2].number + at);
        else
            step_gru(c, in, state, next);
        memcpy(state, next, (size_t)c->hidden * sizeof *next);
        memcpy(out[0].number + ((t * directions + c->direction) * batch + row) * c->hidden, next,
               (size_t)c->hidden * sizeof *next);
    }
    free(next);
}

static void expect_shape(const support_onnx_array *x, int64_t a, int64_t b, int64_t c)
{
    ck_assert(x->type == SUPPORT_ONNX_FLOAT && x->dims == (c ? 3 : 2));
    ck_assert(x->dim[0] == a && x->dim[1] == b && (!c || x->dim[2] == c));
}

/* The first states: those of an operand, or zeros. */
static support_onnx_array begin_with(const support_onnx_array *initial, const int64_t dim[3])
{
    support_onnx_array state = support_onnx_array_new(SUPPORT_ONNX_FLOAT, 3, dim);
    if (!initial->number) return state;
    expect_shape(initial, dim[0], dim[1], dim[2]);
    memcpy(state.number, initial->number, (size_t)support_onnx_count(&state) * sizeof *state.number);
    return state;
}

/* X, W, R, B, lengths of rows, the first h, and the first c of an LSTM. */
static void recurrent(support_onnx_step *s, int64_t gates)
{
    const support_onnx_array *x = &s->in[0], *lengths = &s->in[4];
    const support_onnx_attribute *way = support_onnx_attribute_of(s->node, "direction");
    bool both_ways = way && strcmp(way->text, "bidirectional") == 0;
    ck_assert(both_ways || !way || strcmp(way->text, "forward") == 0);
    int64_t hidden = support_onnx_whole(s->node, "hidden_size", 0), directions = both_ways ? 2 : 1;
    const int64_t dim[] = {directions, x->dim[1], hidden};
    ck_assert_int_eq(x->dims, 3);
    expect_shape(&s->in[1], directions, gates * hidden, x->dim[2]);
    expect_shape(&s->in[2], directions, gates * hidden, hidden);
    expect_shape(&s->in[3], directions, 2 * gates * hidden, 0);
    ck_assert(!lengths->number || (lengths->type == SUPPORT_ONNX_INT32 && lengths->dim[0] == x->dim[1]));
    s->out[0] =
        support_onnx_array_new(x->type, 4, (const int64_t[]){x->dim[0], directions, x->dim[1], hidden});
    s->out[1] = begin_with(&s->in[5], dim);
    if (gates == 4) s->out[2] = begin_with(&s->in[6], dim);
    for (int64_t i = 0; i < directions * x->dim[1]; i++) {
        int64_t direction = i / x->dim[1], row = i % x->dim[1], rows = direction * gates * hidden;
        const cells c = {s,
                         hidden,
                         x->dim[2],
                         gates,
                         direction,
                         s->in[1].number + rows * x->dim[2],
                         s->in[2].number + rows * hidden,
                         s->in[3].number + 2 * rows};
        int64_t length = lengths->number ? (int64_t)lengths->number[row] : x->dim[0];
        ck_assert(length >= 0 && length <= x->dim[0]);
        run_row(&c, s->out, row, length, direction == 1);
    }
}

static void gru(support_onnx_step *s)
{
    ck_assert_int_eq(support_onnx_whole(s->node, "linear_before_reset", 0), 1);
    recurrent(s, 3);
}

static void lstm(support_onnx_step *s)
{
    recurrent(s, 4);
}

const support_onnx_op support_onnx_layer_ops[] = {{"ReduceSum", 2, 2, reduce_sum},
                                                  {"Softmax", 1, 1, softmax},
                                                  {"LayerNormalization", 3, 3, layer_normalization},
                                                  {"MatMul", 2, 2, matmul},
                                                  {"GRU", 4, 6, gru},
                                                  {"LSTM", 4, 7, lstm},
                                                  {0}};
