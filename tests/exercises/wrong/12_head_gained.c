/* mend lost_by_erasure: wrong
 * This is what the erased run gains. What is needed is lost, and then the number is positive. */
#include "exercises.h"

void lost_by_erasure(const double *whole, const double *erased, const int *symbol, int steps, int symbols,
                     double *lost)
{
    for (int t = 0; t < steps; t++)
        lost[t] = erased[t * symbols + symbol[t]] - whole[t * symbols + symbol[t]];
}
