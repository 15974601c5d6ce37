/* Weights of attention and logarithms of softmax by their definitions, in double, for the references of several ops. */
#include "autograd/op_cases.h"

#include <math.h>

/* What a score gets if the threshold is `threshold`: e^x, max(x - threshold, 0) or max(x / 2 - threshold, 0)^2. */
static double share_of(lb_normalizer normalizer, double x, double threshold)
{
    if (normalizer == LB_SOFTMAX) return exp(x);
    double distance = (normalizer == LB_ENTMAX ? x / 2 : x) - threshold;
    if (distance <= 0) return 0;
    return normalizer == LB_ENTMAX ? distance * distance : distance;
}

static double total_of(lb_normalizer normalizer, int64_t count, const double *x, double threshold)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += share_of(normalizer, x[i], threshold);
    return sum;
}

/* Finds the threshold of numbers of which the largest is 0. */
static double threshold_of(lb_normalizer normalizer, int64_t count, const double *x)
{
    enum { HALVINGS = 100 };
    double high = 0, low = -1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (total_of(normalizer, count, x, middle) >= 1)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void lb_reference_weights(lb_normalizer normalizer, int64_t count, double *x)
{
    int64_t visible = 0;
    for (int64_t i = 0; i < count; i++) visible += x[i] > (double)-INFINITY;
    double largest = (double)-INFINITY;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, x[i]);
    for (int64_t i = 0; i < count && visible; i++) x[i] -= largest;
    double threshold = visible && normalizer != LB_SOFTMAX ? threshold_of(normalizer, count, x) : 0;
    double sum = normalizer == LB_SOFTMAX ? total_of(normalizer, count, x, 0) : 1;
    for (int64_t i = 0; i < count; i++)
        x[i] = visible && x[i] > (double)-INFINITY ? share_of(normalizer, x[i], threshold) / sum : 0;
}

double lb_reference_log_softmax(int64_t count, const lb_real *x, int64_t i)
{
    double largest = (double)-INFINITY, sum = 0;
    for (int64_t j = 0; j < count; j++) largest = fmax(largest, (double)x[j]);
    if (x[i] == -(lb_real)INFINITY) return -INFINITY;
    for (int64_t j = 0; j < count; j++) sum += exp((double)x[j] - largest);
    return (double)x[i] - largest - log(sum);
}
