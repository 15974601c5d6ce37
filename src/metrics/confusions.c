/* Counts the symbols that outputs have in the place of others, for evaluation. */
#include "base/alloc.h"
#include "metrics/measures.h"

#include <stdlib.h>

static int compare_symbols(const void *a, const void *b)
{
    const lb_confusion *x = a, *y = b;
    if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
    return (x->output > y->output) - (x->output < y->output);
}

static int compare_counts(const void *a, const void *b)
{
    const lb_confusion *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return compare_symbols(a, b);
}

/* Merges all entries of a pair. */
static void merge(lb_confusions *c)
{
    int64_t kept = 0;
    if (c->count > 1) qsort(c->pair, (size_t)c->count, sizeof *c->pair, compare_symbols);
    for (int64_t i = 0; i < c->count; i++) {
        if (kept > 0 && compare_symbols(&c->pair[kept - 1], &c->pair[i]) == 0)
            c->pair[kept - 1].count += c->pair[i].count;
        else
            c->pair[kept++] = c->pair[i];
    }
    c->count = kept;
}

/* Makes room for one more. The table grows if merging does not free half of it, so that merging is rare. */
static bool make_room(lb_confusions *c)
{
    if (c->count < c->capacity) return true;
    merge(c);
    if (c->capacity > 0 && c->count <= c->capacity / 2) return true;
    size_t capacity = (size_t)c->capacity;
    const bool fits = lb_alloc_room(&c->pair, (size_t)c->count, capacity + 1, &capacity, sizeof *c->pair);
    c->capacity = (int64_t)capacity;
    return fits;
}

static bool take(void *to, int32_t reference, int32_t output)
{
    lb_confusions *c = to;
    if (reference == output) return true;
    if (!make_room(c)) return false;
    c->pair[c->count++] = (lb_confusion){reference, output, 1};
    return true;
}

lb_status lb_confusions_add(lb_confusions *confusions, lb_sequence reference, lb_sequence output,
                            lb_error *error)
{
    int64_t edits;
    return lb_edit_alignment(reference, output, take, confusions, &edits, error);
}

void lb_confusions_sort(lb_confusions *confusions)
{
    merge(confusions);
    if (confusions->count > 1)
        qsort(confusions->pair, (size_t)confusions->count, sizeof *confusions->pair, compare_counts);
}

void lb_confusions_free(lb_confusions *confusions)
{
    lb_release(confusions->pair);
    *confusions = (lb_confusions){0};
}
