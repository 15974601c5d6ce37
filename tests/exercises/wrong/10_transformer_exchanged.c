/* write encode_position: wrong
 * Sine and cosine are exchanged: encoding[0] is a sine. */
#include "exercises.h"

#include <math.h>

void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        double angle = position / pow(10000, (double)(c - c % 2) / width);
        encoding[c] = c % 2 ? sin(angle) : cos(angle);
    }
}
