/* References and cases of the ops in hard_attention.c. */
#include "autograd/fused/hard_attention.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

/* p(v | position j, step t) of a row. */
static double emission(const lb_hard_run *run, int64_t row, int64_t t, int64_t j, int64_t v)
{
    const lb_real *x = run->logits->data + ((row * run->steps + t) * run->keys + j) * run->classes;
    double sum = 0;
    for (int64_t i = 0; i < run->classes; i++) sum += exp((double)x[i]);
    return exp((double)x[v]) / sum;
}

/* What speaks for position j after position i at step t; 0 if it cannot be. */
static double pull(const lb_hard_run *run, int64_t row, int64_t t, int64_t i, int64_t j)
{
    int64_t at = row * run->steps + t, jump = j - i < run->reach ? j - i : run->reach;
    if (run->mask && run->mask->data[row * run->keys + j] == 0) return 0;
    if (!run->how->monotonic) return exp((double)run->scores->data[at * run->keys + j]);
    double more = run->jumps && j >= i ? (double)run->jumps->data[at * (run->reach + 1) + jump] : 0;
    return j < i ? 0 : exp((double)run->scores->data[at * run->keys + j] + more);
}

/* p(a_t = j | a_(t-1) = i) */
static double move(const lb_hard_run *run, int64_t row, int64_t t, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < run->keys; k++) sum += pull(run, row, t, i, k);
    return sum > 0 ? pull(run, row, t, i, j) / sum : 0;
}

/* Sums over the positions of one step. `belief` holds a distribution in its first column. */
static void reference_step(const lb_hard_run *run, int64_t row, int64_t t, const double *belief,
                           double *mixed, double *prior)
{
    double total = 0;
    for (int64_t j = 0; j < run->keys; j++) {
        prior[j] = run->how->monotonic ? 0 : move(run, row, t, 0, j);
        for (int64_t i = 0; belief && i < run->keys; i++)
            prior[j] += belief[i * run->classes] * move(run, row, t, i, j);
        total += prior[j];
    }
    for (int64_t v = 0; v < run->classes; v++) {
        double sum = total > 0 ? 0 : 1 / (double)run->classes;
        for (int64_t j = 0; j < run->keys; j++) sum += prior[j] * emission(run, row, t, j, v);
        mixed[v] = log(sum);
    }
}

static void reference_row(const lb_hard_run *run, int64_t row, double *const *out)
{
    int64_t length = lb_hard_length(run, row), keys = run->keys, classes = run->classes;
    double *belief = run->after ? out[2] + row * keys * classes : NULL;
    const lb_real *before = run->before ? run->before->data + row * keys * classes : NULL;
    int32_t read = length > 0 && run->how->monotonic ? run->how->tokens.id[row * run->steps] : 0;
    for (int64_t i = 0; belief && i < keys * classes; i++) {
        bool begins = length > 0 && i % classes == 0;
        belief[i] = before ? (double)before[begins ? i + read : i] : (i < classes ? 1 : 0);
    }
    for (int64_t t = 0; t < length; t++) {
        int64_t at = row * run->steps + t;
        double *mixed = out[0] + at * classes, *prior = out[1] + at * keys;
        bool last = t + 1 == length;
        reference_step(run, row, t, belief, mixed, prior);
        for (int64_t i = 0; belief && i < keys * classes; i++) {
            int64_t symbol = last ? i % classes : run->how->tokens.id[at + 1], j = i / classes;
            belief[i] = prior[j] * emission(run, row, t, j, symbol) / exp(mixed[symbol]);
        }
    }
}

static void reference(const lb_node *node, double *const *out)
{
    lb_hard_run run = lb_hard_run_of(node);
    for (int64_t row = 0; row < run.batch; row++) reference_row(&run, row, out);
}

static const int32_t some_lengths[] = {2, 3, 0};

static lb_tensor *hard_case(lb_tensor *const *in)
{
    return lb_attend_hard(in[0], in[1], in[2], NULL);
}

static lb_tensor *open_case(lb_tensor *const *in)
{
    return lb_attend_hard(in[0], in[1], NULL, some_lengths);
}

/* The tokens of three rows of three steps. */
static lb_tokens some_tokens(lb_tape *tape, const int32_t *row_lengths)
{
    static const int32_t id[] = {1, 2, 0, 3, 0, 2, 2, 1, 1}, full[] = {3, 3, 3};
    return (lb_tokens){tape, 3, 3, id, row_lengths ? row_lengths : full};
}

static lb_tensor *monotonic_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], NULL, NULL, in[2], some_tokens(in[0]->tape, NULL));
}

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], NULL, NULL, some_tokens(in[0]->tape, some_lengths));
}

static lb_tensor *continued_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], in[3], in[4], some_tokens(in[0]->tape, some_lengths));
}

static lb_tensor *one_jump_case(lb_tensor *const *in)
{
    return lb_attend_monotonic(in[0], in[1], in[2], NULL, NULL, some_tokens(in[0]->tape, NULL));
}

static const lb_op_case hard_cases[] = {
    {"masked",
     3,
     {LB_DIMS(3, 2, 4, 5), LB_DIMS(3, 2, 4), LB_DIMS(3, 4)},
     .fixed = {[2] = true},
     .apply = hard_case},
    {"padded", 2, {LB_DIMS(3, 3, 2, 4), LB_DIMS(3, 3, 2)}, .low = -3, .high = 3, .apply = open_case},
};

static const lb_op_case monotonic_cases[] = {
    {"masked",
     3,
     {LB_DIMS(3, 3, 5, 4), LB_DIMS(3, 3, 5), LB_DIMS(3, 5)},
     .fixed = {[2] = true},
     .apply = monotonic_case},
    {"jumps, padded",
     3,
     {LB_DIMS(3, 3, 5, 4), LB_DIMS(3, 3, 5), LB_DIMS(3, 3, 3)},
     .low = -2,
     .high = 2,
     .apply = padded_case},
    {"continued",
     5,
     {LB_DIMS(3, 3, 4, 4), LB_DIMS(3, 3, 4), LB_DIMS(3, 3, 2), LB_DIMS(3, 4, 4), LB_DIMS(3, 4)},
     .low = 0.1,
     .high = 2,
     .fixed = {[4] = true},
     .apply = continued_case},
    {"one jump", 3, {LB_DIMS(3, 3, 2, 4), LB_DIMS(3, 3, 2), LB_DIMS(3, 3, 1)}, .apply = one_jump_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("attend_hard", reference, hard_cases),
    LB_OP_PROOF("attend_monotonic", reference, monotonic_cases),
};
const lb_op_proofs lb_proofs_hard_attention = {proofs, LB_LENGTH(proofs)};
