/* Two threads write one number: without an order, or with an argument one after the other, kept apart by nothing but
 * the barriers of OpenMP. The sanitizer must report the first and understand the second. */
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
                /* backwards: each thread reads what the other wrote */
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
