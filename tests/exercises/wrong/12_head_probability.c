/* mend lost_by_erasure: wrong
 * Step 0 writes symbol */
#include "exercises.h"

#include <math.h>

void lost_by_erasure(const double *whole, const double *erased, const int *symbol, int steps, int symbols,
                     double *lost)
{
    for (int t = 0; t < steps; t++)
        lost[t] = exp(whole[t * symbols + symbol[t]]) - exp(erased[t * symbols + symbol[t]]);
}
