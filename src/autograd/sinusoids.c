/* Sines and cosines of positions. A step of a decoder needs one row of them, and so does the next step, and the next
 * batch: the tape keeps a table. */
#include "autograd/tape.h"
#include "autograd/tape_internal.h"
#include "base/transcendental.h"
#include "lookback/op.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FIRST_ROWS = 16, MOST_ROWS = 1 << 14 /* of a table; what is beyond is computed anew */ };

/* Rows 0, 1, ... for one base and width. A larger table replaces it, but recorded ops still read it: all of them live
 * as long as the tape. */
struct lb_sinusoids {
    struct lb_sinusoids *next;
    double base;
    int64_t width, rows;
    lb_real row[];
};

static void compute(double base, int64_t width, int64_t first, int64_t count, lb_real *rows)
{
    for (int64_t column = 0; column < width; column++) {
        int64_t pair = column - column % 2;
        double frequency = lb_pow64(base, -(double)pair / (double)width);
        for (int64_t i = 0; i < count; i++) {
            double angle = (double)(first + i) * frequency;
            rows[i * width + column] = (lb_real)(column % 2 ? lb_cos64(angle) : lb_sin64(angle));
        }
    }
}

/* A table of at least `rows` rows; NULL without memory. */
static struct lb_sinusoids *find_table(lb_tape *tape, double base, int64_t width, int64_t rows)
{
    struct lb_sinusoids *known = tape->sinusoids; /* the latest is the largest */
    while (known && (known->base < base || known->base > base || known->width != width)) known = known->next;
    if (known && known->rows >= rows) return known;
    int64_t before = known ? known->rows : 0, wanted = known ? 2 * before : FIRST_ROWS;
    if (wanted < rows) wanted = rows;
    struct lb_sinusoids *table = lb_alloc(sizeof *table + (size_t)(wanted * width) * sizeof *table->row);
    if (!table) return NULL;
    *table = (struct lb_sinusoids){tape->sinusoids, base, width, wanted};
    if (known) memcpy(table->row, known->row, (size_t)(before * width) * sizeof *table->row);
    compute(base, width, before, wanted - before, table->row + before * width);
    return tape->sinusoids = table;
}

lb_real *lb_tape_sinusoids(lb_tape *tape, double base, int64_t width, int64_t first, int64_t count)
{
    assert(first >= 0 && width > 0);
    if (first <= MOST_ROWS - count) {
        struct lb_sinusoids *table = find_table(tape, base, width, first + count);
        if (table) return table->row + first * width;
    }
    lb_real *rows = lb_tape_alloc(tape, (size_t)(count * width) * sizeof *rows);
    if (rows) compute(base, width, first, count, rows);
    return rows;
}

void lb_sinusoids_free(struct lb_sinusoids *table)
{
    while (table) {
        struct lb_sinusoids *next = table->next;
        lb_release(table);
        table = next;
    }
}
