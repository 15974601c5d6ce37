/* write last_states: wrong
 * List 0 is empty: there is no state of its own in the array. */
#include "exercises.h"

void last_states(const double *state, const int *lengths, int batch, int time, int hidden, double *last)
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < hidden; i++) {
            int t = lengths[b] > 0 ? lengths[b] - 1 : 0;
            last[b * hidden + i] = state[(b * time + t) * hidden + i];
        }
}
