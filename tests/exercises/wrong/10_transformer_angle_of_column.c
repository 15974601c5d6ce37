/* write encode_position: wrong
 * The sine and the cosine of a pair have the same angle: the exponent is 2 i / width for both. */
#include "exercises.h"

#include <math.h>

void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        double angle = position / pow(10000, (double)c / width);
        encoding[c] = c % 2 == 0 ? sin(angle) : cos(angle);
    }
}
