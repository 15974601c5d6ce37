#include "data/pair_prints.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

int lb_pair_print_compare(const lb_pair_print *a, const lb_pair_print *b)
{
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

static int compare(const void *a, const void *b)
{
    return lb_pair_print_compare(a, b);
}

lb_pair_print *lb_pair_prints_make(lb_pairs *pairs, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    lb_pair_print *prints = lb_alloc((size_t)count * sizeof *prints);
    if (!prints) {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a report on pairs");
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        if (lb_pairs_read(pairs, i, &line, error)) {
            lb_release(prints);
            return NULL;
        }
        prints[i].source = lb_symbols_hash(&line->source, LB_HASH);
        /* A separator, so that moving a symbol from one side to the other changes the hash. */
        prints[i].pair = lb_symbols_hash(&line->target, (prints[i].source ^ '\t') * 1099511628211u);
    }
    qsort(prints, (size_t)count, sizeof *prints, compare);
    return prints;
}

const lb_pair_print *lb_pair_print_find(const lb_pair_print *prints, int64_t count, lb_pair_print wanted)
{
    while (count > 0) {
        int64_t half = count / 2;
        if (lb_pair_print_compare(&prints[half], &wanted) < 0) {
            prints += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return prints;
}
