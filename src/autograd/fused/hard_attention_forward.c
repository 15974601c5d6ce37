/* The forward pass of hard attention: row by row, the forward algorithm of a hidden Markov chain in logarithms. */
#include "autograd/fused/hard_attention.h"
#include "autograd/op.h"
#include "base/transcendental.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <string.h>

static const double NEVER = -(double)INFINITY;

lb_hard_run lb_hard_run_of(const lb_node *node)
{
    const lb_hard_attributes *how = node->attributes;
    lb_tensor *const *in = node->in;
    lb_hard_run run = {.node = node, .how = how, .logits = in[0], .scores = in[1]};
    run.jumps = how->monotonic ? in[2] : NULL;
    run.before = how->monotonic ? in[3] : NULL;
    run.mask = how->monotonic ? in[4] : in[2];
    run.log_probs = node->out[0];
    run.weights = node->out[1];
    run.after = node->out[2];
    run.batch = lb_dim(run.logits, 0);
    run.steps = lb_dim(run.logits, 1);
    run.keys = lb_dim(run.logits, 2);
    run.classes = lb_dim(run.logits, 3);
    run.reach = run.jumps ? lb_dim(run.jumps, -1) - 1 : 0;
    return run;
}

/* Divides a block among the parts of a trace, and returns how much it takes. */
static int64_t lay_out_trace(const lb_hard_run *run, lb_real *block, lb_hard_trace *trace)
{
    lb_parts parts = {.block = block};
    trace->prior = lb_parts_next_doubles(&parts, run->keys);
    trace->largest = lb_parts_next_doubles(&parts, run->keys);
    trace->normal = lb_parts_next_doubles(&parts, run->keys);
    trace->leave = lb_parts_next_doubles(&parts, run->keys);
    trace->outlet = lb_parts_next_doubles(&parts, run->keys);
    trace->arrive = lb_parts_next_doubles(&parts, run->keys);
    trace->mixed = lb_parts_next_doubles(&parts, run->classes);
    return parts.count;
}

lb_hard_trace lb_hard_trace_at(const lb_hard_run *run, int64_t row, int64_t t)
{
    lb_hard_trace trace;
    int64_t each = lay_out_trace(run, NULL, &trace);
    lay_out_trace(run, (lb_real *)run->node->saved + (row * run->steps + t) * each, &trace);
    return trace;
}

int64_t lb_hard_length(const lb_hard_run *run, int64_t row)
{
    return run->how->lengths ? run->how->lengths[row] : run->steps;
}

/* Turns numbers into their distances from the largest one. */
static void subtract_largest(int64_t count, double *x)
{
    double largest = NEVER;
    for (int64_t i = 0; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    for (int64_t i = 0; i < count && largest != NEVER; i++) x[i] -= largest;
}

void lb_hard_scores(const lb_hard_run *run, int64_t row, int64_t t, double *score)
{
    const lb_real *from = run->scores->data + (row * run->steps + t) * run->keys;
    const lb_real *mask = run->mask ? run->mask->data + row * run->keys : NULL;
    for (int64_t j = 0; j < run->keys; j++) score[j] = mask && mask[j] == 0 ? NEVER : (double)from[j];
    subtract_largest(run->keys, score);
}

void lb_hard_jumps(const lb_hard_run *run, int64_t row, int64_t t, double *jump)
{
    const lb_real *from = run->jumps ? run->jumps->data + (row * run->steps + t) * (run->reach + 1) : NULL;
    for (int64_t k = 0; k < run->keys; k++)
        jump[k] = from ? (double)from[k < run->reach ? k : run->reach] : 0;
    subtract_largest(run->keys, jump);
}

/* What is subtracted before exp, so that nothing overflows and -inf minus -inf does not occur. */
static inline double shift_of(double largest)
{
    return largest == NEVER ? 0 : largest;
}

/* Normalises the moves from each position to itself and to the right. */
LB_KERNEL(hard_leave,
          (int64_t keys, const double *score, const double *jump, const double *from, lb_hard_trace trace),
          (keys, score, jump, from, trace))
{
    for (int64_t i = 0; i < keys; i++) {
        double largest = -DBL_MAX;
        trace.leave[i] = NEVER;
        trace.outlet[i] = 0;
        if (from[i] == NEVER) continue;
#pragma omp simd reduction(max : largest)
        for (int64_t j = i; j < keys; j++) {
            double move = score[j] + jump[j - i];
            largest = move > largest ? move : largest;
        }
        LB_SUM(lb_real, sum, k, keys - i, lb_exp_inline(fused, (lb_real)(score[i + k] + jump[k] - largest)));
        if (sum == 0) continue;
        trace.outlet[i] = largest + lb_log64((double)sum);
        trace.leave[i] = from[i] - trace.outlet[i];
    }
}

/* Sums up how likely the moves are to end at each position. `most` is memory for [keys]. */
LB_KERNEL(hard_arrive,
          (int64_t keys, const double *score, const double *jump, lb_hard_trace trace, double *most),
          (keys, score, jump, trace, most))
{
    for (int64_t j = 0; j < keys; j++) {
        most[j] = NEVER;
        trace.arrive[j] = 0;
    }
    for (int64_t i = 0; i < keys; i++) {
        if (trace.leave[i] == NEVER) continue;
        for (int64_t j = i; j < keys; j++) {
            double move = trace.leave[i] + jump[j - i];
            most[j] = move > most[j] ? move : most[j];
        }
    }
    for (int64_t i = 0; i < keys; i++) {
        if (trace.leave[i] == NEVER) continue;
        for (int64_t j = i; j < keys; j++)
            trace.arrive[j] +=
                (double)lb_exp_inline(fused, (lb_real)(trace.leave[i] + jump[j - i] - most[j]));
    }
    for (int64_t j = 0; j < keys; j++) {
        bool reached = trace.arrive[j] > 0;
        trace.arrive[j] = reached ? most[j] + lb_log64(trace.arrive[j]) : NEVER;
        trace.prior[j] = reached ? score[j] + trace.arrive[j] : NEVER;
    }
}

/* Turns logarithms of shares into those of probabilities. */
static void normalise(int64_t count, double *x)
{
    double sum = 0;
    subtract_largest(count, x);
    for (int64_t i = 0; i < count; i++) sum += lb_exp64(x[i]);
    double normal = sum > 0 ? lb_log64(sum) : 0;
    for (int64_t i = 0; i < count; i++) x[i] -= normal;
}

/* ln sum_j p(v, a_t = j | y_<t) for each class v. `sum` is memory for [classes]. */
LB_KERNEL(hard_mix,
          (int64_t keys, int64_t classes, const lb_real *x, const double *base, lb_hard_trace trace,
           lb_real *sum),
          (keys, classes, x, base, trace, sum))
{
    double *mixed = trace.mixed;
    for (int64_t v = 0; v < classes; v++) {
        mixed[v] = NEVER;
        sum[v] = 0;
    }
    for (int64_t j = 0; j < keys; j++) {
        const lb_real *row = x + j * classes;
        const double here = base[j], largest = trace.largest[j];
        if (here == NEVER) continue;
#pragma omp simd
        for (int64_t v = 0; v < classes; v++) {
            double joint = lb_hard_joint(row[v], largest, here);
            mixed[v] = joint > mixed[v] ? joint : mixed[v];
        }
    }
    for (int64_t v = 0; v < classes; v++) mixed[v] = shift_of(mixed[v]);
    for (int64_t j = 0; j < keys; j++) {
        const lb_real *row = x + j * classes;
        const double here = base[j], largest = trace.largest[j];
        if (here == NEVER) continue;
#pragma omp simd
        for (int64_t v = 0; v < classes; v++)
            sum[v] += lb_exp_inline(fused, (lb_real)(lb_hard_joint(row[v], largest, here) - mixed[v]));
    }
    for (int64_t v = 0; v < classes; v++) mixed[v] += lb_log64((double)sum[v]);
}

/* The memory for one row at a time. */
typedef struct row_memory {
    double *from, *score, *jump, *base, *most; /* [keys] */
    lb_real *sum;                              /* [classes] */
} row_memory;

/* Divides a block among the parts, and returns how much it takes. */
static int64_t lay_out(const lb_hard_run *run, lb_real *block, row_memory *memory)
{
    lb_parts parts = {.block = block};
    memory->from = lb_parts_next_doubles(&parts, run->keys);
    memory->score = lb_parts_next_doubles(&parts, run->keys);
    memory->jump = lb_parts_next_doubles(&parts, run->keys);
    memory->base = lb_parts_next_doubles(&parts, run->keys);
    memory->most = lb_parts_next_doubles(&parts, run->keys);
    memory->sum = lb_parts_next(&parts, run->classes);
    lb_parts_next_doubles(&parts, 0); /* the block of the next row starts at a multiple, too */
    return parts.count;
}

/* ln p(a | all symbols so far) when the symbol that is read first is known. */
static void begin_row(const lb_hard_run *run, int64_t row, double *from)
{
    const lb_real *before = run->before ? run->before->data + row * run->keys * run->classes : NULL;
    int32_t read = run->how->monotonic && run->steps ? run->how->tokens.id[row * run->steps] : 0;
    for (int64_t j = 0; j < run->keys; j++) {
        lb_real belief = before ? before[j * run->classes + read] : (lb_real)(j == 0);
        from[j] = belief > 0 ? lb_log64((double)belief) : NEVER;
    }
}

/* A row without steps passes on the beliefs that it began with. */
static void pass_on(const lb_hard_run *run, int64_t row)
{
    int64_t count = run->keys * run->classes;
    lb_real *after = run->after->data + row * count;
    if (run->before) memcpy(after, run->before->data + row * count, (size_t)count * sizeof *after);
    for (int64_t i = 0; !run->before && i < count; i++) after[i] = i < run->classes ? 1 : 0;
}

/* p(a_t = j | y_<t, y_t = v) for the last step of a row. */
LB_KERNEL(hard_believe,
          (int64_t keys, int64_t classes, const lb_real *x, const double *base, lb_hard_trace trace,
           lb_real *after),
          (keys, classes, x, base, trace, after))
{
    for (int64_t j = 0; j < keys; j++)
        for (int64_t v = 0; v < classes; v++) {
            double joint = lb_hard_joint(x[j * classes + v], trace.largest[j], base[j]);
            bool never = base[j] == NEVER || trace.mixed[v] == NEVER;
            after[j * classes + v] = never ? 0 : lb_exp_inline(fused, (lb_real)(joint - trace.mixed[v]));
        }
}

static void forward_step(const lb_hard_run *run, int64_t row, int64_t t, lb_hard_trace trace,
                         const row_memory *m)
{
    int64_t at = row * run->steps + t, keys = run->keys, classes = run->classes;
    const lb_real *x = run->logits->data + at * keys * classes;
    lb_real *mixed = run->log_probs->data + at * classes, *weight = run->weights->data + at * keys;
    lb_hard_scores(run, row, t, m->score);
    if (run->how->monotonic) {
        lb_hard_jumps(run, row, t, m->jump);
        hard_leave(keys, m->score, m->jump, m->from, trace);
        hard_arrive(keys, m->score, m->jump, trace, m->most);
    } else {
        memcpy(trace.prior, m->score, (size_t)keys * sizeof *trace.prior);
        normalise(keys, trace.prior);
    }
    bool any = false;
    for (int64_t j = 0; j < keys; j++) {
        bool may = trace.prior[j] != NEVER;
        trace.largest[j] = 0;
        double normal = may ? lb_log_normal(classes, x + j * classes, &trace.largest[j]) : NEVER;
        m->base[j] = normal == NEVER ? NEVER : trace.prior[j] - normal;
        trace.normal[j] = shift_of(normal);
        weight[j] = lb_exp_inline(false, (lb_real)trace.prior[j]);
        any = any || may;
    }
    hard_mix(keys, classes, x, m->base, trace, m->sum);
    for (int64_t v = 0; !any && v < classes; v++) trace.mixed[v] = -lb_log64((double)classes);
    for (int64_t v = 0; v < classes; v++) mixed[v] = (lb_real)trace.mixed[v];
}

/* Computes the distribution over positions, given the symbol that was written at step t. */
static void condition(const lb_hard_run *run, int64_t row, int64_t t, lb_hard_trace trace,
                      const row_memory *m)
{
    int64_t at = row * run->steps + t;
    int32_t written = run->how->tokens.id[at + 1];
    const lb_real *x = run->logits->data + at * run->keys * run->classes + written;
    for (int64_t j = 0; j < run->keys; j++)
        m->from[j] =
            m->base[j] == NEVER ? NEVER : lb_hard_joint(x[j * run->classes], trace.largest[j], m->base[j]);
    normalise(run->keys, m->from);
}

static void forward_row(const lb_hard_run *run, int64_t row, const row_memory *m)
{
    int64_t length = lb_hard_length(run, row), first = row * run->steps + length, keys = run->keys;
    begin_row(run, row, m->from);
    for (int64_t t = 0; t < length; t++) {
        lb_hard_trace trace = lb_hard_trace_at(run, row, t);
        forward_step(run, row, t, trace, m);
        if (run->how->monotonic && t + 1 < length) condition(run, row, t, trace, m);
    }
    size_t left = (size_t)(run->steps - length);
    memset(run->log_probs->data + first * run->classes, 0, left * (size_t)run->classes * sizeof(lb_real));
    memset(run->weights->data + first * keys, 0, left * (size_t)keys * sizeof(lb_real));
    if (run->after && length > 0)
        hard_believe(keys, run->classes, run->logits->data + (first - 1) * keys * run->classes, m->base,
                     lb_hard_trace_at(run, row, length - 1), run->after->data + row * keys * run->classes);
    else if (run->after)
        pass_on(run, row);
}

lb_status lb_hard_forward(lb_node *node)
{
    lb_hard_run run = lb_hard_run_of(node);
    int64_t each = lay_out(&run, NULL, &(row_memory){0});
    lb_real *memory = lb_op_reals(node, run.batch * each);
    node->saved = lb_op_reals(node, run.batch * run.steps * lay_out_trace(&run, NULL, &(lb_hard_trace){0}));
    if (!memory || !node->saved) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (run.batch > 1)
    for (int64_t row = 0; row < run.batch; row++) {
        row_memory own;
        lay_out(&run, memory + row * each, &own);
        forward_row(&run, row, &own);
    }
    return LB_OK;
}
