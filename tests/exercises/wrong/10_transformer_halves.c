/* write encode_position: wrong
 * All sines come first here. They take turns: sine, cosine, sine, cosine ... */
#include "exercises.h"

#include <math.h>

void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        double angle = position / pow(10000, 2.0 * (c % ((width + 1) / 2)) / width);
        encoding[c] = c < (width + 1) / 2 ? sin(angle) : cos(angle);
    }
}
