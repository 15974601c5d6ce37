#include "support/onnx_ops.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const support_onnx_attribute *support_onnx_attribute_of(const support_onnx_node *node, const char *name)
{
    for (int i = 0; i < node->attributes; i++)
        if (strcmp(node->attribute[i].name, name) == 0) return &node->attribute[i];
    return NULL;
}

int64_t support_onnx_whole(const support_onnx_node *node, const char *name, int64_t standard)
{
    const support_onnx_attribute *found = support_onnx_attribute_of(node, name);
    return found ? found->whole[0] : standard;
}

int support_onnx_axis(int64_t axis, int dims)
{
    if (axis < 0) axis += dims;
    ck_assert(axis >= 0 && axis < dims);
    return (int)axis;
}

int64_t support_onnx_product(const support_onnx_array *x, int first, int end)
{
    int64_t count = 1;
    for (int i = first; i < end; i++) count *= x->dim[i];
    return count;
}

bool support_onnx_is_whole(const support_onnx_array *x)
{
    return x->type == SUPPORT_ONNX_INT64 || x->type == SUPPORT_ONNX_INT32;
}

support_onnx_array support_onnx_alike(const support_onnx_array *x)
{
    return support_onnx_array_new(x->type, x->dims, x->dim);
}

static double tanh_of(double x)
{
    return tanh(x);
}

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double sine(double x)
{
    return sin(x);
}

static void each(support_onnx_step *s, double (*f)(double))
{
    ck_assert_int_eq(s->in[0].type, SUPPORT_ONNX_FLOAT);
    s->out[0] = support_onnx_alike(&s->in[0]);
    for (int64_t i = 0; i < support_onnx_count(&s->out[0]); i++) s->out[0].number[i] = f(s->in[0].number[i]);
}

static double add(double a, double b)
{
    return a + b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double greater(double a, double b)
{
    return a > b;
}

support_onnx_array support_onnx_broadcast(const support_onnx_array *a, const support_onnx_array *b,
                                          support_onnx_type type)
{
    int dims = a->dims > b->dims ? a->dims : b->dims;
    int64_t dim[SUPPORT_ONNX_DIMS];
    for (int i = 1; i <= dims; i++) {
        int64_t in_a = i <= a->dims ? a->dim[a->dims - i] : 1, in_b = i <= b->dims ? b->dim[b->dims - i] : 1;
        ck_assert(in_a == in_b || in_a == 1 || in_b == 1);
        dim[dims - i] = in_a == 1 ? in_b : in_a;
    }
    return support_onnx_array_new(type, dims, dim);
}

double support_onnx_number_at(const support_onnx_array *x, const support_onnx_array *out, int64_t i)
{
    int64_t at = 0, stride = 1;
    for (int k = 1; k <= out->dims; k++) {
        int64_t length = out->dim[out->dims - k], index = i % length;
        i /= length;
        if (k > x->dims) continue;
        at += x->dim[x->dims - k] == 1 ? 0 : index * stride;
        stride *= x->dim[x->dims - k];
    }
    return x->number[at];
}

static void both(support_onnx_step *s, double (*f)(double, double), bool compares)
{
    const support_onnx_array *a = &s->in[0], *b = &s->in[1];
    ck_assert_int_eq(a->type, b->type);
    ck_assert(compares || a->type == SUPPORT_ONNX_FLOAT);
    s->out[0] = support_onnx_broadcast(a, b, compares ? SUPPORT_ONNX_BOOL : a->type);
    for (int64_t i = 0; i < support_onnx_count(&s->out[0]); i++)
        s->out[0].number[i] =
            f(support_onnx_number_at(a, &s->out[0], i), support_onnx_number_at(b, &s->out[0], i));
}

static void where(support_onnx_step *s)
{
    ck_assert_int_eq(s->in[0].type, SUPPORT_ONNX_BOOL);
    ck_assert_int_eq(s->in[1].type, s->in[2].type);
    support_onnx_array shape = support_onnx_broadcast(&s->in[1], &s->in[2], s->in[1].type);
    s->out[0] = support_onnx_broadcast(&s->in[0], &shape, shape.type);
    for (int64_t i = 0; i < support_onnx_count(&s->out[0]); i++)
        s->out[0].number[i] = support_onnx_number_at(
            &s->in[support_onnx_number_at(&s->in[0], &s->out[0], i) != 0 ? 1 : 2], &s->out[0], i);
    free(shape.number);
}

static void cast(support_onnx_step *s)
{
    s->out[0] = support_onnx_alike(&s->in[0]);
    s->out[0].type = (support_onnx_type)support_onnx_whole(s->node, "to", 0);
    ck_assert(s->out[0].type == SUPPORT_ONNX_FLOAT || support_onnx_is_whole(&s->out[0]));
    ck_assert_int_ne(s->in[0].type, SUPPORT_ONNX_FLOAT); /* which would be cut */
    memcpy(s->out[0].number, s->in[0].number,
           (size_t)support_onnx_count(&s->in[0]) * sizeof *s->out[0].number);
}

static void run_tanh_of(support_onnx_step *s)
{
    each(s, tanh_of);
}

static void run_relu(support_onnx_step *s)
{
    each(s, relu);
}

static void run_sine(support_onnx_step *s)
{
    each(s, sine);
}

static void run_add(support_onnx_step *s)
{
    both(s, add, false);
}

static void run_multiply(support_onnx_step *s)
{
    both(s, multiply, false);
}

static void run_divide(support_onnx_step *s)
{
    both(s, divide, false);
}

static void run_greater(support_onnx_step *s)
{
    both(s, greater, true);
}

static void identity(support_onnx_step *s)
{
    s->out[0] = support_onnx_alike(&s->in[0]);
    memcpy(s->out[0].number, s->in[0].number,
           (size_t)support_onnx_count(&s->in[0]) * sizeof *s->out[0].number);
}

const support_onnx_op support_onnx_element_ops[] = {{"Tanh", 1, 1, run_tanh_of},
                                                    {"Relu", 1, 1, run_relu},
                                                    {"Sin", 1, 1, run_sine},
                                                    {"Add", 2, 2, run_add},
                                                    {"Mul", 2, 2, run_multiply},
                                                    {"Div", 2, 2, run_divide},
                                                    {"Greater", 2, 2, run_greater},
                                                    {"Where", 3, 3, where},
                                                    {"Cast", 1, 1, cast},
                                                    {"Identity", 1, 1, identity},
                                                    {0}};

/* All tables are searched, so that an op that no table has is an error with its name. */
static const support_onnx_op *op_of(const support_onnx_node *node)
{
    const support_onnx_op *const tables[] = {support_onnx_element_ops, support_onnx_shape_ops,
                                             support_onnx_layer_ops};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const support_onnx_op *op = tables[i]; op->name; op++)
            if (strcmp(op->name, node->op) == 0) return op;
    ck_abort_msg("the op %s is not known", node->op);
    return NULL;
}

void support_onnx_run(const support_onnx_graph *graph)
{
    for (int k = 0; k < graph->nodes; k++) {
        const support_onnx_node *node = &graph->node[k];
        const support_onnx_op *op = op_of(node);
        support_onnx_step step = {.node = node};
        ck_assert_msg(node->reads >= op->least && node->reads <= op->most, "%s reads %d values", node->op,
                      node->reads);
        for (int i = 0; i < node->reads; i++) {
            if (node->in[i] < 0) continue;
            step.in[i] = graph->value[node->in[i]];
            ck_assert_msg(step.in[i].number != NULL, "%s is not set", graph->names.text[node->in[i]]);
        }
        op->run(&step);
        for (int i = 0; i < node->makes; i++) {
            ck_assert(step.out[i].number != NULL);
            free(graph->value[node->out[i]].number);
            graph->value[node->out[i]] = step.out[i];
        }
    }
}
