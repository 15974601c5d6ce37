#include "support/op_trials.h"

#include "support/leaf.h"

#include <string.h>

enum { MOST = 512 };

lb_tensor *support_trial_leaf(const lb_op_case *example, int operand)
{
    bool plain = example->low == 0 && example->high == 0;
    lb_tensor *leaf = support_leaf(example->shape[operand], plain ? -1 : example->low,
                                   plain ? 1 : example->high, (uint64_t)operand + 1);
    for (int64_t j = 0; j < lb_count(leaf) && example->fixed[operand]; j++)
        leaf->data[j] = lb_rng_uniform((lb_rng){.seed = 77}, (uint64_t)j) < 0.6 ? 1 : 0;
    leaf->requires_grad = !example->fixed[operand];
    return leaf;
}

const lb_node *support_node_of(const char *op, const lb_tensor *result)
{
    const lb_node *node = result->node;
    while (node && strcmp(node->op->name, op) != 0) node = node->in[0] ? node->in[0]->node : NULL;
    return node;
}

static const lb_op *find_op(const lb_op_proof *proof)
{
    lb_tensor *leaf[LB_MAX_INPUTS], *in[LB_MAX_INPUTS];
    lb_tape *tape = lb_tape_new();
    int count = proof->cases->inputs;
    for (int i = 0; i < count; i++) {
        leaf[i] = support_trial_leaf(proof->cases, i);
        in[i] = lb_on_tape(tape, leaf[i]);
    }
    const lb_node *node = support_node_of(proof->op, proof->cases->apply(in));
    const lb_op *op = node ? node->op : NULL;
    for (int i = 0; i < count; i++) support_leaf_free(leaf[i]);
    lb_tape_free(tape);
    return op;
}

const support_trial *support_trials(int *count)
{
    static support_trial trials[MOST];
    static int found;
    int files;
    const lb_op_proofs *const *file = lb_op_registry(&files);
    for (int f = found ? files : 0; f < files; f++)
        for (const lb_op_proof *proof = file[f]->proof; proof < file[f]->proof + file[f]->count; proof++) {
            const lb_op *op = find_op(proof);
            for (int c = 0; c < proof->case_count && found < MOST; c++)
                trials[found++] = (support_trial){op, proof, &proof->cases[c]};
        }
    *count = found;
    return trials;
}
