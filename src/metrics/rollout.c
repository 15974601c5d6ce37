#include "lookback/metrics.h"

#include "base/alloc.h"

#include <string.h>

/* The mean of a layer's heads from position `to` to position `from`, mixed with the identity. */
static double mixed(const double *layer, int64_t heads, int64_t length, int64_t to, int64_t from)
{
    double sum = 0;
    for (int64_t head = 0; head < heads; head++) sum += layer[(head * length + to) * length + from];
    return (sum / (double)heads + (to == from)) / 2;
}

/* product = layer * rollout. */
static void multiply(const double *layer, int64_t heads, int64_t length, const double *rollout,
                     double *product)
{
    memset(product, 0, (size_t)(length * length) * sizeof *product);
    for (int64_t to = 0; to < length; to++)
        for (int64_t via = 0; via < length; via++) {
            double weight = mixed(layer, heads, length, to, via);
            for (int64_t from = 0; from < length; from++)
                product[to * length + from] += weight * rollout[via * length + from];
        }
}

lb_status lb_attention_rollout(const double *weights, int64_t layers, int64_t heads, int64_t length,
                               double *rollout, lb_error *error)
{
    size_t bytes = (size_t)(length * length) * sizeof *rollout;
    double *product = lb_alloc(bytes);
    if (!product)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a map of %lld positions",
                            (long long)length);
    for (int64_t i = 0; i < length * length; i++) rollout[i] = i % (length + 1) == 0;
    for (int64_t layer = 0; layer < layers; layer++) {
        multiply(weights + layer * heads * length * length, heads, length, rollout, product);
        memcpy(rollout, product, bytes);
    }
    lb_release(product);
    return LB_OK;
}
