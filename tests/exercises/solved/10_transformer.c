#include "exercises.h"

#include <math.h>

#if SOLVED & 1
void encode_position(int position, int width, double *encoding)
{
    for (int c = 0; c < width; c++) {
        int pair = c - c % 2;
        double angle = position / pow(10000, (double)pair / width);
        encoding[c] = c == pair ? sin(angle) : cos(angle);
    }
}
#endif

#if SOLVED & 2
void teach(const int *token, int count, int *input, int *answer)
{
    input[0] = LB_BOS;
    for (int i = 0; i < count; i++) {
        input[i + 1] = token[i];
        answer[i] = token[i];
    }
    answer[count] = LB_EOS;
}
#endif
