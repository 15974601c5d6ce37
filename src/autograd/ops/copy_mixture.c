/* Copying: each symbol comes from the vocabulary or from the source. */
#include "autograd/op.h"
#include "base/transcendental.h"
#include "lookback/ops.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <string.h>

enum { LOGITS, WEIGHTS, GATE };

/* One step of one row: what the op reads, and what backward needs. */
typedef struct mixture {
    int64_t classes, keys, length; /* `length` of the keys count */
    const lb_real *logits, *weights, *mixed;
    const int32_t *symbol;     /* [keys] */
    lb_real choosing, copying; /* ln g, ln (1 - g) */
    lb_real *share;            /* [classes] the part of the logits in e^mixed; 0 where that is 0 */
    lb_real *largest, *normal; /* of the logits; ln sum_v e^(logit_v - largest) */
} mixture;

/* What is kept for backward: a share for each logit, and two numbers for each step. */
static int64_t saved_reals(const lb_node *node, int64_t rows)
{
    return rows * (lb_dim(node->in[LOGITS], 2) + 2);
}

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    lb_shape logits = node->in[LOGITS]->shape, weights = node->in[WEIGHTS]->shape;
    const lb_tokens *symbols = node->attributes;
    if (logits.ndim != 3 || weights.ndim != 3 || logits.dim[0] != weights.dim[0] ||
        logits.dim[1] != weights.dim[1])
        return lb_op_misfit(node, "expected one row of weights per row of logits", LOGITS, WEIGHTS);
    if (!lb_shape_equal(node->in[GATE]->shape, LB_SHAPE(logits.dim[0], logits.dim[1], 1)))
        return lb_op_misfit(node, "expected a gate of shape [batch,steps,1]", LOGITS, GATE);
    if (symbols->batch != weights.dim[0] || symbols->length != weights.dim[2])
        return lb_op_fail(node, LB_ERROR_SHAPE, "found symbols [%lld,%lld], expected [%lld,%lld]",
                          (long long)symbols->batch, (long long)symbols->length, (long long)weights.dim[0],
                          (long long)weights.dim[2]);
    *out = logits;
    return lb_op_check_ids(node, symbols, logits.dim[2], NULL, "symbol", "there are", "classes");
}

/* ln sigmoid(x), also where sigmoid(x) underflows. */
static lb_real log_sigmoid(lb_real x)
{
    double least = x < 0 ? (double)x : 0;
    return (lb_real)(least - lb_log1p64(lb_exp64(-fabs((double)x))));
}

/* ln softmax(logits)_v. The difference first: it is exact for close numbers, however large they are. */
static inline lb_real choice(const mixture *m, int64_t v)
{
    return (m->logits[v] - *m->largest) - *m->normal;
}

/* Step `at` of all rows. */
static mixture mixture_at(const lb_node *node, int64_t at)
{
    const lb_tokens *symbols = node->attributes;
    int64_t steps = lb_dim(node->in[LOGITS], 1), row = at / steps;
    mixture m = {.classes = lb_dim(node->in[LOGITS], 2), .keys = lb_dim(node->in[WEIGHTS], 2)};
    lb_real gate = node->in[GATE]->data[at], *saved = (lb_real *)node->saved + saved_reals(node, at);
    m.length = symbols->lengths[row];
    m.symbol = symbols->id + row * m.keys;
    m.logits = node->in[LOGITS]->data + at * m.classes;
    m.weights = node->in[WEIGHTS]->data + at * m.keys;
    m.mixed = node->out[0]->data + at * m.classes;
    m.largest = saved;
    m.normal = saved + 1;
    m.share = saved + 2;
    m.choosing = log_sigmoid(gate);
    m.copying = log_sigmoid(-gate);
    return m;
}

/* ln (e^a + e^b), of which `share` receives the part of a; 0 if both are -inf. */
static lb_real log_add(lb_real a, lb_real b, lb_real *share)
{
    lb_real more = a > b ? a : b, less = a > b ? b : a;
    *share = a > -(lb_real)INFINITY ? 1 : 0;
    if (less == -(lb_real)INFINITY) return more;
    double ratio = lb_exp64((double)(less - more));
    *share = (lb_real)((a > b ? 1 : ratio) / (1 + ratio));
    return more + (lb_real)lb_log1p64(ratio);
}

static void forward_step(const mixture *m, lb_real *mass, lb_real *y)
{
    const lb_real never = -(lb_real)INFINITY;
    memset(mass, 0, (size_t)m->classes * sizeof *mass);
    for (int64_t i = 0; i < m->length; i++) mass[m->symbol[i]] += m->weights[i];
    double largest, normal = lb_log_normal(m->classes, m->logits, &largest);
    *m->largest = (lb_real)largest;
    *m->normal = normal == -(double)INFINITY ? 0 : (lb_real)normal; /* a row of only -inf chooses nothing */
    for (int64_t v = 0; v < m->classes; v++)
        y[v] = log_add(m->choosing + choice(m, v),
                       mass[v] > 0 ? m->copying + (lb_real)lb_log64((double)mass[v]) : never, &m->share[v]);
}

static lb_status forward(lb_node *node)
{
    int64_t classes = lb_dim(node->in[LOGITS], 2),
            rows = lb_dim(node->in[LOGITS], 0) * lb_dim(node->in[LOGITS], 1);
    lb_real *mass = lb_op_reals(node, rows * classes);
    node->saved = lb_op_reals(node, saved_reals(node, rows));
    if (!mass || !node->saved) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (rows * classes > (1 << 13))
    for (int64_t at = 0; at < rows; at++) {
        mixture m = mixture_at(node, at);
        forward_step(&m, mass + at * classes, node->out[0]->data + at * classes);
    }
    return LB_OK;
}

/* The gradient of the logits of a step, through their softmax; returns that of the gate. A class that is impossible
 * either way has none. `part` is memory for [classes]. */
static lb_real choose_back(const mixture *m, const lb_real *dy, lb_real *part, lb_real *logits)
{
    lb_real sum = 0, gate = 0, generates = lb_exp_inline(false, m->choosing);
    for (int64_t v = 0; v < m->classes; v++) {
        part[v] = dy[v] * m->share[v];
        sum += part[v];
        if (m->mixed[v] != -(lb_real)INFINITY) gate += dy[v] * (m->share[v] - generates);
    }
    for (int64_t v = 0; logits && v < m->classes; v++)
        logits[v] += part[v] - lb_exp_inline(false, choice(m, v)) * sum;
    return gate;
}

/* A symbol that neither the vocabulary nor the weights make likely has a slope beyond all numbers. */
static void copy_back(const mixture *m, const lb_real *dy, lb_real *weights)
{
    const lb_real most = 60;
    for (int64_t i = 0; i < m->length; i++) {
        lb_real slope = m->copying - m->mixed[m->symbol[i]];
        weights[i] += dy[m->symbol[i]] * lb_exp_inline(false, slope < most ? slope : most);
    }
}

static int64_t backward_work(const lb_node *node)
{
    return lb_count(node->in[LOGITS]);
}

static void backward(lb_node *node)
{
    lb_tensor *logits = node->in[LOGITS], *weights = node->in[WEIGHTS], *gate = node->in[GATE];
    int64_t classes = lb_dim(logits, 2), rows = lb_dim(logits, 0) * lb_dim(logits, 1);
#pragma omp parallel for schedule(static) if (rows * classes > (1 << 13))
    for (int64_t at = 0; at < rows; at++) {
        mixture m = mixture_at(node, at);
        const lb_real *dy = node->out[0]->grad + at * classes;
        lb_real slope = choose_back(&m, dy, node->work + at * classes,
                                    lb_wants_grad(logits) ? logits->grad + at * classes : NULL);
        if (lb_wants_grad(gate)) gate->grad[at] += slope;
        if (lb_wants_grad(weights)) copy_back(&m, dy, weights->grad + at * m.keys);
    }
}

static const lb_op copy_mixture_op = {
    .name = "copy_mixture",
    .operands = "logits weights gate",
    .formula = "y_v = ln (g softmax(logits)_v + (1 - g) sum of w_i over positions i with symbol v), g = "
               "sigmoid(gate)",
    .derivative =
        "r_v = g softmax(logits)_v / e^y_v, dlogits_v += r_v dy_v - softmax(logits)_v sum_u r_u dy_u, "
        "dgate += sum_v (r_v - g) dy_v, dw_i += (1 - g) dy_v / e^y_v with v the symbol of i",
    .shape = output_shape,
    .forward = forward,
    .work = LB_TRAINING(backward_work),
    .backward = LB_TRAINING(backward),
};

/** The mixture of a pointer-generator: with probability g the logits choose a symbol, otherwise the attention weights
 *  copy one from the source. The results are log-probabilities, which serve as logits.
 *  Shapes: logits [batch, T, classes], weights [batch, T, S] of which each row sums to 1, gate [batch, T, 1], symbols
 *          [batch, S]: the class that each position is copied as -> [batch, T, classes].
 *  Hidden: a logit of -inf leaves a class to copying; if nothing copies it, it is -inf and gets no gradient.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX if a symbol is not a class. Cost: O(batch T (classes + S)).
 *  Source: See, Liu, Manning 2017, arXiv:1704.04368, section 2.2. Differs: a slope with respect to a weight is at most
 *          e^60. */
lb_tensor *lb_copy_mixture(lb_tensor *logits, lb_tensor *weights, lb_tensor *gate, lb_tokens symbols)
{
    return lb_op_apply(&copy_mixture_op, LB_INPUTS(logits, weights, gate), &symbols, sizeof symbols);
}
