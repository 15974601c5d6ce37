/* write last_states: wrong
 * List 0: this is the state after its first number. */
#include "exercises.h"

void last_states(const double *state, const int *lengths, int batch, int time, int hidden, double *last)
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < hidden; i++) {
            int t = lengths[b] > 0 ? 0 : -1;
            last[b * hidden + i] = t < 0 ? 0 : state[(b * time + t) * hidden + i];
        }
}
