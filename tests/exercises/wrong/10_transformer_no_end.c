/* mend teach: wrong
 * This is the answer: what comes after each of the inputs. */
#include "exercises.h"

void teach(const int *token, int count, int *input, int *answer)
{
    input[0] = LB_BOS;
    for (int i = 0; i < count; i++) input[i + 1] = token[i];
    for (int i = 0; i <= count; i++) answer[i] = i < count ? token[i] : LB_PAD;
}
