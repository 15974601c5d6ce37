/* References and cases of the ops in attention_gru.c. */
#include "autograd/fused/attention_gru.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>
#include <string.h>

static double dot(const lb_real *weight, const double *x, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++) sum += (double)weight[j] * x[j];
    return sum;
}

static void reference_attend(const lb_attention_gru_run *run, int64_t row, const double *state,
                             double *weights, double *context)
{
    lb_attended to = lb_attention_gru_attended(run, row, NULL);
    for (int64_t k = 0; k < to.count; k++) {
        double score = 0;
        for (int64_t i = 0; i < to.width; i++)
            score +=
                (double)to.v[i] * tanh(dot(run->in.weight_query->data + i * run->hidden, state, run->hidden) +
                                       (double)to.keys[k * to.width + i]);
        weights[k] = to.mask && to.mask[k] == 0 ? (double)-INFINITY : score;
    }
    lb_reference_weights(to.normalizer, to.count, weights);
    for (int64_t k = 0; k < to.count; k++)
        for (int64_t i = 0; i < to.depth; i++) context[i] += weights[k] * (double)to.values[k * to.depth + i];
}

/* Gate number `which` of all three kinds: W_hh h + b_hh, and x + W_context c. */
static double state_part(const lb_attention_gru_run *run, int64_t which, const double *state)
{
    return (double)run->in.bias_hh->data[which] +
           dot(run->in.weight_hh->data + which * run->hidden, state, run->hidden);
}

static double input_part(const lb_attention_gru_run *run, int64_t which, const lb_real *x,
                         const double *context)
{
    const lb_tensor *weight = run->in.weight_context;
    return (double)x[which] +
           dot(weight->data + which * lb_dim(weight, 1) + run->context_column, context, run->depth);
}

static void reference_step(const lb_attention_gru_run *run, const lb_real *x, const double *context,
                           double *state, double *next)
{
    int64_t hidden = run->hidden;
    for (int64_t j = 0; j < hidden; j++) {
        int64_t at_r = j, at_z = hidden + j, at_n = 2 * hidden + j;
        double r = 1 / (1 + exp(-input_part(run, at_r, x, context) - state_part(run, at_r, state)));
        double z = 1 / (1 + exp(-input_part(run, at_z, x, context) - state_part(run, at_z, state)));
        double n = tanh(input_part(run, at_n, x, context) + r * state_part(run, at_n, state));
        next[j] = (1 - z) * n + z * state[j];
    }
    memcpy(state, next, (size_t)hidden * sizeof *state);
}

static void reference(const lb_node *node, double *const *out)
{
    lb_attention_gru_run run = lb_attention_gru_run_of(node);
    for (int64_t row = 0; row < run.batch; row++) {
        double *state = out[LB_AGRU_FINAL] + row * run.hidden;
        for (int64_t j = 0; j < run.hidden; j++)
            state[j] = (double)run.in.initial->data[row * run.hidden + j];
        for (int64_t t = 0; lb_gru_input_has(&run.x, row, t); t++) {
            int64_t at = row * run.steps + t;
            double *context = out[LB_AGRU_CONTEXTS] + at * run.depth;
            reference_attend(&run, row, state, out[LB_AGRU_WEIGHTS] + at * run.keys, context);
            reference_step(&run, lb_gru_input_row(&run.x, at), context, state,
                           out[LB_AGRU_OUTPUTS] + at * run.hidden);
        }
    }
}

static lb_tensor *masked_case(lb_tensor *const *in)
{
    lb_attention_gru_operands operands = lb_attention_gru_operands_of(in);
    return lb_attention_gru_sequence(&operands);
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    lb_attention_gru_operands operands = lb_attention_gru_operands_of(in);
    operands.normalizer = LB_SPARSEMAX;
    return lb_attention_gru_sequence(&operands);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    lb_attention_gru_operands operands = lb_attention_gru_operands_of(in);
    operands.normalizer = LB_ENTMAX;
    return lb_attention_gru_sequence(&operands);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 2, 2, 2}, lengths[] = {2, 4, 0};
    lb_attention_gru_operands operands = lb_attention_gru_operands_of(in);
    operands.tokens = &(lb_tokens){in[LB_AGRU_X]->tape, 3, 4, id, lengths};
    operands.lengths = lengths;
    return lb_attention_gru_sequence(&operands);
}

static const lb_op_case cases[] = {
    {"masked",
     10,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[LB_AGRU_MASK] = true},
     .apply = masked_case},
    {"several tiles",
     10,
     {LB_DIMS(17, 2, 3), LB_DIMS(17, 1), LB_DIMS(17, 3, 2), LB_DIMS(17, 3, 1), LB_DIMS(17, 3), LB_DIMS(2, 1),
      LB_DIMS(1, 2), LB_DIMS(3, 1), LB_DIMS(3, 1), LB_DIMS(3)},
     .fixed = {[LB_AGRU_MASK] = true},
     .apply = masked_case},
    {"a table, padded",
     10,
     {LB_DIMS(5, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[LB_AGRU_MASK] = true},
     .apply = table_case},
    {"sparsemax",
     10,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[LB_AGRU_MASK] = true},
     .apply = sparsemax_case},
    {"entmax",
     10,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[LB_AGRU_MASK] = true},
     .apply = entmax_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("attention_gru_sequence", reference, cases),
};
const lb_op_proofs lb_proofs_attention_gru = {proofs, LB_LENGTH(proofs)};
