/* mend teach: wrong
 * This is the input. At position 0 the decoder has written nothing: it reads LB_BOS. */
#include "exercises.h"

void teach(const int *token, int count, int *input, int *answer)
{
    input[0] = LB_EOS;
    for (int i = 0; i < count; i++) input[i + 1] = token[i];
    for (int i = 0; i <= count; i++) answer[i] = i < count ? token[i] : LB_EOS;
}
