/* write encode_position: wrong
 * The exponent is 2 i / width, and i counts pairs. */
#include "exercises.h"

#include <math.h>

void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        int pair = c / 2;
        double angle = position / pow(10000, (double)pair / width);
        encoding[c] = c % 2 == 0 ? sin(angle) : cos(angle);
    }
}
