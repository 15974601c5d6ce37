/* The product of int8 in a file of the kernel: nearly that of floats, and 0 for numbers whose inverse would be
 * infinite. */
#define INT8        1
#define TRANSFORMER 1
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "types.h"

enum { COLUMNS = 37, ROWS = 2, WIDEST = COLUMNS };

#include "linear.h"

int main(void)
{
    static const float scale[ROWS] = {0.01F, 0.5F}, bias[ROWS] = {1, -2},
                       sizes[] = {1e-44F, 1e-38F, 1e-3F, 1, 1e3F, 1e30F};
    static number weight[ROWS * COLUMNS];
    const linear l = {ROWS, COLUMNS, weight, scale, bias};
    for (int i = 0; i < ROWS * COLUMNS; i++) weight[i] = (number)(i * 31 % 255 - 127);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        float x[COLUMNS], y[ROWS], row[COLUMNS];
        for (int j = 0; j < COLUMNS; j++) x[j] = sizes[s] * (float)(j * 7 % 11 - 5) / 5;
        apply(&l, x, y);
        for (int i = 0; i < ROWS; i++) {
            double wanted = (double)bias[i], most = 1;
            copy_row(&l, i, row);
            for (int j = 0; j < COLUMNS; j++) wanted += (double)row[j] * (double)x[j];
            for (int j = 0; j < COLUMNS; j++) most += fabs((double)row[j]) * (double)sizes[s];
            if (!(fabs((double)y[i] - wanted) <= 1e-4 * most)) {
                printf("size %g, row %d: found %g, expected %g\n", (double)sizes[s], i, (double)y[i], wanted);
                return 1;
            }
        }
    }
    return 0;
}
