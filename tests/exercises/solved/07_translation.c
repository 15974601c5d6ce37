#include "exercises.h"

#include <math.h>

#if SOLVED & 1
void align(const double *weight, int heads, int targets, int sources, int *looks_at)
{
    for (int i = 0; i < targets; i++) {
        double largest = -1;
        for (int j = 0; j < sources; j++) {
            double mean = 0;
            for (int h = 0; h < heads; h++) mean += weight[(h * targets + i) * sources + j] / heads;
            if (mean > largest) {
                largest = mean;
                looks_at[i] = j;
            }
        }
    }
}
#endif

#if SOLVED & 2
lb_tensor *attend_across(lb_tensor *target, lb_tensor *source)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(source, 2));
    return lb_attend_dot(target, source, source, NULL, NULL, 1, scale, 0);
}
#endif
