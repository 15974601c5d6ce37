/* write encode_position: wrong
 * Column 5 belongs to pair 2. Is its exponent a fraction, not a whole number? */
#include "exercises.h"

#include <math.h>

void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        int exponent = (c - c % 2) / width;
        double angle = position / pow(10000, exponent);
        encoding[c] = c % 2 == 0 ? sin(angle) : cos(angle);
    }
}
