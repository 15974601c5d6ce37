/* write align: wrong
 * This is where the largest single weight is. One sure head must not decide alone. */
#include "exercises.h"

#include <math.h>

void align(const double *weight, int heads, int targets, int sources, int *looks_at)
{
    for (int i = 0; i < targets; i++) {
        double largest = -1;
        for (int j = 0; j < sources; j++) {
            double value = 0;
            for (int h = 0; h < heads; h++) value = fmax(value, weight[(h * targets + i) * sources + j]);
            if (value > largest) {
                largest = value;
                looks_at[i] = j;
            }
        }
    }
}
