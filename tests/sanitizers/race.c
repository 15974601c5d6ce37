/* Two threads write one number: in no order, or, with an argument, one after the other, separated only by OpenMP
 * barriers. The sanitizer must report the first and accept the second. */
#include <stdio.h>

enum { COUNT = 1000 };

int main(int argc, char **argv)
{
    (void)argv;
    int sum = 0;
    if (argc > 1) {
        int parts[COUNT];
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int i = 0; i < COUNT; i++) parts[i] = i;
                /* backwards: each thread reads the number that the other wrote */
#pragma omp for schedule(static) reduction(+ : sum)
            for (int i = 0; i < COUNT; i++) sum += parts[COUNT - 1 - i];
#pragma omp single
            sum++;
        }
    } else {
#pragma omp parallel for
        for (int i = 0; i < COUNT; i++) sum += i;
    }
    printf("%d\n", sum);
    return 0;
}
