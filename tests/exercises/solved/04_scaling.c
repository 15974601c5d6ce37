#include "exercises.h"

#include <math.h>

#if SOLVED & 1
double keys_in_view(const double *weight, int keys)
{
    double entropy = 0;
    for (int i = 0; i < keys; i++)
        if (weight[i] > 0) entropy -= weight[i] * log(weight[i]);
    return exp(entropy);
}
#endif

#if SOLVED & 2
lb_tensor *attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(key, 2));
    return lb_attend_dot(query, key, value, NULL, NULL, 1, scale, 0);
}
#endif
