/* References and cases of the ops in position_bias.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>
#include <stdlib.h>

/* The same buckets, counted up: how many distances begin a new one. */
static void relative_reference(const lb_node *node, double *const *out)
{
    const lb_relative_options *o = node->attributes;
    int64_t heads = lb_dim(node->in[0], 1), rows = lb_dim(node->in[0], 0), half = o->causal ? rows : rows / 2;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        int64_t h = i / (o->queries * o->keys), away = i % o->keys - (o->first + i / o->keys % o->queries);
        int64_t distance = o->causal ? (away < 0 ? -away : 0) : llabs(away), bucket = 0, exact = half / 2;
        while (bucket < half - 1) {
            int64_t next = bucket + 1;
            double begins = next <= exact
                                ? (double)next
                                : (double)exact * pow((double)o->farthest / (double)exact,
                                                      (double)(next - exact) / (double)(half - exact));
            if ((double)distance < begins - 1e-9) break;
            bucket = next;
        }
        if (!o->causal && away > 0) bucket += half;
        out[0][i] = (double)node->in[0]->data[bucket * heads + h];
    }
}

static lb_tensor *both_ways_case(lb_tensor *const *in)
{
    return lb_relative_bias(in[0], (lb_relative_options){.queries = 9, .keys = 11, .farthest = 7});
}

static lb_tensor *causal_case(lb_tensor *const *in)
{
    return lb_relative_bias(
        in[0], (lb_relative_options){.queries = 2, .keys = 13, .first = 11, .farthest = 9, .causal = true});
}

static const lb_op_case cases[] = {
    {"both ways", 1, {LB_DIMS(8, 3)}, .apply = both_ways_case},
    {"causal, later queries", 1, {LB_DIMS(5, 2)}, .apply = causal_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("relative_bias", relative_reference, cases),
};
const lb_op_proofs lb_proofs_position_bias = {proofs, LB_LENGTH(proofs)};
