/* Exercise 10: a transformer that sorts. Read docs/lessons/10_transformer.md first, then work here. `./run check 10`
 * checks both parts, and `git checkout exercises/10_transformer.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: the numbers that are added to a token at a position, so that attention can see the order.
 *
 *   encoding [width]: encoding[2 i] = sin(position / 10000^(2 i / width)), encoding[2 i + 1] = cos(the same angle)
 *
 * The width may be odd; the last number is then a sine. */
void encode_position(int position, int width, double *encoding)
{
}

/* To mend: what the decoder reads in training, and what it must predict.
 *
 *   token [count] -> input [count + 1], answer [count + 1]
 *
 * `token` is the sorted list. At position i, the decoder reads input[0] to input[i], and is asked for answer[i]. Its
 * first input is LB_BOS, because it has written nothing yet. Its last answer is LB_EOS: the list ends here. */
void teach(const int *token, int count, int *input, int *answer)
{
    for (int i = 0; i < count; i++) {
        input[i] = token[i];
        answer[i] = token[i];
    }
    input[count] = LB_EOS;
    answer[count] = LB_EOS;
}
