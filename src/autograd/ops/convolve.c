/* A convolution along a sequence of numbers, for features of the attention weights. */
#include "autograd/op.h"
#include "lookback/ops.h"

enum { X, FILTERS };

/* The sizes of a call: position j of a row is filtered from j - reach to j + reach. */
typedef struct sizes {
    int64_t batch, length, filters, width, reach;
} sizes;

static sizes sizes_of(const lb_node *node)
{
    lb_shape x = node->in[X]->shape, filters = node->in[FILTERS]->shape;
    return (sizes){x.dim[0], x.dim[1], filters.dim[0], filters.dim[2], filters.dim[2] / 2};
}

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    lb_shape x = node->in[X]->shape, filters = node->in[FILTERS]->shape;
    if (x.ndim != 2 || filters.ndim != 3 || filters.dim[1] != 1 || filters.dim[2] % 2 == 0)
        return lb_op_misfit(node, "expected x[batch,length] and filters[count,1,width] of an odd width", X,
                            FILTERS);
    *out = LB_SHAPE(x.dim[0], x.dim[1], filters.dim[0]);
    return LB_OK;
}

/* A filter at position `at` has the part [first, end) inside the row. */
static int64_t first_inside(const sizes *s, int64_t at)
{
    return at < s->reach ? s->reach - at : 0;
}

static int64_t end_inside(const sizes *s, int64_t at)
{
    int64_t left = s->length - at + s->reach;
    return left < s->width ? left : s->width;
}

static lb_status forward(lb_node *node)
{
    sizes s = sizes_of(node);
    lb_real *y = node->out[0]->data;
    for (int64_t i = 0; i < s.batch * s.length; i++, y += s.filters) {
        int64_t at = i % s.length, first = first_inside(&s, at), end = end_inside(&s, at);
        const lb_real *x = node->in[X]->data;
        int64_t from = i - s.reach;
        for (int64_t k = 0; k < s.filters; k++) {
            const lb_real *filter = node->in[FILTERS]->data + k * s.width;
            lb_real sum = 0;
            for (int64_t o = first; o < end; o++) sum += filter[o] * x[from + o];
            y[k] = sum;
        }
    }
    return LB_OK;
}

static void backward(lb_node *node)
{
    sizes s = sizes_of(node);
    lb_tensor *x = node->in[X], *filters = node->in[FILTERS];
    const lb_real *dy = node->out[0]->grad;
    for (int64_t i = 0; i < s.batch * s.length; i++, dy += s.filters) {
        int64_t at = i % s.length, first = first_inside(&s, at), end = end_inside(&s, at);
        for (int64_t k = 0; k < s.filters; k++)
            for (int64_t o = first; o < end; o++) {
                int64_t from = i - s.reach + o, weight = k * s.width + o;
                if (lb_wants_grad(x)) x->grad[from] += dy[k] * filters->data[weight];
                if (lb_wants_grad(filters)) filters->grad[weight] += dy[k] * x->data[from];
            }
    }
}

static const lb_op convolve_op = {
    .name = "convolve",
    .operands = "x filters",
    .formula = "y_jk = sum_o filter_k,o x_(j + o - r)",
    .derivative = "dx_(j + o - r) += sum_k filter_k,o dy_jk, dfilter_k,o += sum_j dy_jk x_(j + o - r)",
    .shape = output_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Filters over sequences, 0 beyond their ends: nn.Conv1d with one input channel, padding r, no bias, and channels
 *  last.
 *  Shapes: x [batch, length], filters [count, 1, 2 r + 1] -> [batch, length, count].
 *  Errors: LB_ERROR_SHAPE, also for filters of an even width. */
lb_tensor *lb_convolve(lb_tensor *x, lb_tensor *filters)
{
    return lb_op_apply(&convolve_op, LB_INPUTS(x, filters), NULL, 0);
}
