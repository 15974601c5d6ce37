/* write last_states: wrong
 * List 0 has 2 numbers. 99 is what is in the array after its end. */
#include "exercises.h"

void last_states(const double *state, const int *lengths, int batch, int time, int hidden, double *last)
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < hidden; i++) {
            int t = lengths[b] >= 0 ? time - 1 : 0;
            last[b * hidden + i] = state[(b * time + t) * hidden + i];
        }
}
