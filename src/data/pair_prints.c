#include "data/pair_prints.h"

#include "base/alloc.h"
#include "base/bytes.h"

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

lb_pair_print lb_pair_print_of(const lb_pair_line *line)
{
    uint64_t source = lb_symbols_hash(&line->source, LB_HASH);
    /* A separator, so that moving a symbol from one side to the other changes the hash. */
    return (lb_pair_print){source, lb_symbols_hash(&line->target, (source ^ '\t') * 1099511628211u)};
}

lb_pair_print *lb_pair_prints_make(lb_pairs *pairs, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    lb_pair_print *prints = lb_alloc((size_t)count * sizeof *prints);
    if (!prints) return lb_null(lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a report on pairs"));
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        if (lb_pairs_read(pairs, i, &line, error)) {
            lb_release(prints);
            return NULL;
        }
        prints[i] = lb_pair_print_of(line);
    }
    lb_pair_prints_sort(prints, count);
    return prints;
}

void lb_pair_prints_sort(lb_pair_print *prints, int64_t count)
{
    if (count > 0) qsort(prints, (size_t)count, sizeof *prints, compare);
}

lb_pair_repetitions lb_pair_prints_count(const lb_pair_print *prints, int64_t count)
{
    lb_pair_repetitions found = {0};
    bool counted = false;       /* whether this source is already known to be ambiguous */
    int64_t same = 0, most = 0; /* pairs that equal this one; the most of its source */
    for (int64_t i = 0; i < count; i++) {
        bool same_source = i > 0 && prints[i].source == prints[i - 1].source;
        bool same_pair = same_source && prints[i].pair == prints[i - 1].pair;
        counted = counted && same_source;
        same = same_pair ? same + 1 : 1;
        if (!same_source) found.possible += most;
        most = same_source && most > same ? most : same;
        found.duplicates += same_pair;
        if (!same_source || same_pair || counted) continue;
        found.ambiguous++;
        counted = true;
    }
    found.possible += most;
    return found;
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
