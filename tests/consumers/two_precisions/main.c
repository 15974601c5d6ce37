/* Computes in float and in double, and fails unless each has the expected precision. */
#include <math.h>
#include <stdio.h>

double tanh_in_float(void);
double tanh_in_double(void);

int main(void)
{
    const double right = 0.76159415595576488812;
    double coarse = fabs(tanh_in_float() - right), fine = fabs(tanh_in_double() - right);
    printf("tanh(1) is %.1e off in float, %.1e in double\n", coarse, fine);
    return coarse < 1e-6 && coarse > 1e-10 && fine < 1e-15 ? 0 : 1;
}
