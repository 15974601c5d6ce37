#include "support/leaf.h"

#include "lookback/base.h"

#include <stdlib.h>

lb_tensor *support_leaf(lb_shape shape, double low, double high, uint64_t which)
{
    size_t count = (size_t)lb_shape_count(shape);
    lb_tensor *leaf = calloc(1, sizeof *leaf);
    *leaf = (lb_tensor){.shape = shape, .requires_grad = true};
    leaf->data = calloc(count + 1, sizeof(lb_real));
    leaf->grad = calloc(count + 1, sizeof(lb_real));
    for (size_t i = 0; i < count; i++)
        leaf->data[i] = (lb_real)(low + (high - low) * lb_rng_uniform((lb_rng){.seed = which}, i));
    return leaf;
}

void support_leaf_free(lb_tensor *leaf)
{
    free(leaf->data);
    free(leaf->grad);
    free(leaf);
}
