/* write masked_softmax: crashed
 * Is an index out of range? */
#include "exercises.h"

#include <stdlib.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    (void)score, (void)mask, (void)keys, (void)weight;
    abort(); /* as the hardening of libc does where it sees a write out of range */
}
