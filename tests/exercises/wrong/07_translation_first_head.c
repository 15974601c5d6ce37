/* write align: wrong
 * This is what the first head alone looks at. */
#include "exercises.h"

void align(const double *weight, int heads, int targets, int sources, int *looks_at)
{
    for (int i = 0; i < targets; i++) {
        double largest = -1;
        for (int j = 0; j < sources; j++) {
            double value = 0;
            for (int h = 0; h < heads; h++) value += h == 0 ? weight[(h * targets + i) * sources + j] : 0;
            if (value > largest) {
                largest = value;
                looks_at[i] = j;
            }
        }
    }
}
