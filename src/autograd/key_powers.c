#include "autograd/key_powers.h"

#include "tensor/attention_kernel.h"

lb_key_powers lb_key_powers_kept(const lb_node *node, const lb_tensor *keys)
{
    lb_kept *kept = lb_op_kept(node, keys->data, lb_count(keys));
    if (!kept || kept->uses++ == 0) return (lb_key_powers){.all = NULL};
    lb_key_powers powers = {.row = lb_dim(keys, 1) * lb_dim(keys, 2), .filled = kept->made != NULL};
    if (!kept->made) kept->made = lb_op_reals(node, lb_count(keys));
    powers.all = kept->made;
    return powers;
}

const lb_real *lb_key_powers_of_rows(lb_key_powers powers, const lb_tensor *keys, int64_t first,
                                     int64_t height)
{
    if (!powers.all || powers.row == 0) return NULL;
    int64_t at = first * powers.row;
    lb_real *rows = powers.all + at;
    /* A first power of 0, which no power is, tells that these rows have none. */
    if (!powers.filled && !lb_attend_powers(height * powers.row, keys->data + at, rows)) rows[0] = 0;
    return rows[0] > 0 ? rows : NULL;
}
