#include "autograd/fused/key_powers.h"

#include "autograd/steps.h"
#include "tensor/attention_kernel.h"

typedef enum row_state { NOT_MADE, MADE, BEYOND_RANGE } row_state;

struct lb_key_powers {
    const lb_real *keys;
    lb_real *all;     /* [batch, row] */
    row_state *state; /* [batch] */
    int64_t row;      /* numbers in a row: keys * width */
};

static lb_key_powers *new_powers(lb_tape *tape, const lb_tensor *keys, void *(*alloc)(lb_tape *, size_t))
{
    int64_t batch = lb_dim(keys, 0);
    lb_key_powers *powers = alloc(tape, sizeof *powers);
    row_state *state = alloc(tape, (size_t)batch * sizeof *state);
    lb_real *all = alloc(tape, (size_t)lb_count(keys) * sizeof *all);
    if (!powers || !state || !all) return NULL;
    for (int64_t row = 0; row < batch; row++) state[row] = NOT_MADE;
    *powers = (lb_key_powers){
        .keys = keys->data, .all = all, .state = state, .row = lb_dim(keys, 1) * lb_dim(keys, 2)};
    return powers;
}

lb_key_powers *lb_key_powers_new(const lb_node *node, const lb_tensor *keys)
{
    return new_powers(node->tape, keys, lb_tape_alloc);
}

lb_key_powers *lb_key_powers_kept(const lb_node *node, const lb_tensor *keys)
{
    /* Empty tensors may share an address, and the tape identifies tensors by their address. */
    lb_kept *kept = lb_count(keys) > 0 ? lb_op_kept(node, keys->data, lb_count(keys)) : NULL;
    if (!kept || kept->uses++ == 0) return NULL;
    if (!kept->made) kept->made = new_powers(node->tape, keys, lb_tape_alloc_lasting);
    return kept->made;
}

const lb_real *lb_key_powers_of_row(lb_key_powers *powers, int64_t row)
{
    if (!powers) return NULL;
    int64_t first = row * powers->row;
    row_state *state = &powers->state[row];
    if (*state == NOT_MADE)
        *state =
            lb_attend_powers(powers->row, powers->keys + first, powers->all + first) ? MADE : BEYOND_RANGE;
    return *state == MADE ? powers->all + first : NULL;
}
