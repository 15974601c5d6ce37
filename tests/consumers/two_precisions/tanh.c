/* tanh(1) from the library, in the precision of this build. */
#include <lookback/lookback.h>

double TANH(void);

double TANH(void)
{
    lb_tape *tape = lb_tape_new();
    const lb_real one = 1;
    double result = (double)lb_item(lb_tanh(lb_tensor_new(tape, LB_SHAPE(1), &one)));
    lb_tape_free(tape);
    return result;
}
