/* mend teach: wrong
 * This is the answer. It is the input again: at each position the decoder is asked for what it reads. */
#include "exercises.h"

void teach(const int *token, int count, int *input, int *answer)
{
    input[0] = LB_BOS;
    for (int i = 0; i < count; i++) input[i + 1] = token[i];
    for (int i = 0; i <= count; i++) answer[i] = input[i];
}
