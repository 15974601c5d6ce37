/* Random lists for scripts, by lb_rng: what srand of awk begins differs from one awk to the next.
 *   random_lists SEED COUNT LEAST MOST BELOW
 * prints COUNT lines of LEAST to MOST numbers from 0 to below BELOW, with spaces between them. */
#include "lookback/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEED, COUNT, LEAST, MOST, BELOW, NUMBERS };

static bool read_numbers(char *const *words, uint64_t number[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        errno = 0;
        number[i] = strtoull(words[i], &end, 10);
        if (errno || words[i][0] < '0' || words[i][0] > '9' || *end) return false;
    }
    return number[COUNT] <= UINT32_MAX && number[MOST] <= UINT32_MAX && number[LEAST] <= number[MOST] &&
           number[BELOW] > 0;
}

/* A line has a sequence of its own: its length, then its numbers. */
static void print_line(const uint64_t number[NUMBERS], uint64_t line)
{
    lb_rng rng = {number[SEED], lb_rng_stream("random lists"), (uint32_t)line};
    uint64_t length = number[LEAST] + lb_rng_below(rng, 0, number[MOST] - number[LEAST] + 1);
    for (uint64_t i = 1; i <= length; i++)
        printf("%s%" PRIu64, i > 1 ? " " : "", lb_rng_below(rng, i, number[BELOW]));
    putchar('\n');
}

int main(int argc, char **argv)
{
    uint64_t number[NUMBERS];
    if (argc != NUMBERS + 1 || !read_numbers(argv + 1, number)) {
        fprintf(stderr, "usage: random_lists SEED COUNT LEAST MOST BELOW\n");
        return 2;
    }
    for (uint64_t line = 0; line < number[COUNT]; line++) print_line(number, line);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
