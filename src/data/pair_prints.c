#include "data/pair_report.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"

#include <stdlib.h>

/* Prints are in the order of sources, then of pairs. */
static int compare(const void *a, const void *b)
{
    const lb_pair_print *one = a, *other = b;
    if (one->source != other->source) return one->source < other->source ? -1 : 1;
    return (one->pair > other->pair) - (one->pair < other->pair);
}

static lb_pair_print print_of(const lb_pair_line *line)
{
    uint64_t source = lb_symbols_hash(&line->source, LB_HASH);
    /* The tab separates them, so that moving a symbol from one side to the other changes the hash. */
    return (lb_pair_print){source, lb_symbols_hash(&line->target, (source ^ '\t') * 1099511628211u)};
}

lb_pair_print *lb_pair_prints_make(lb_pairs *pairs, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    lb_pair_print *prints = lb_alloc((size_t)count * sizeof *prints);
    if (!prints) return lb_null(lb_no_memory(error, "a report on pairs"));
    for (int64_t i = 0; i < count; i++) {
        const lb_pair_line *line;
        if (lb_pairs_read(pairs, i, &line, error)) {
            lb_release(prints);
            return NULL;
        }
        prints[i] = print_of(line);
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

const lb_pair_print *lb_pair_prints_find(const lb_pair_print *prints, int64_t count, lb_pair_print wanted)
{
    while (count > 0) {
        int64_t half = count / 2;
        if (compare(&prints[half], &wanted) < 0) {
            prints += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return prints;
}

lb_print_match lb_pair_prints_match(const lb_pair_print *prints, int64_t count, lb_pair_print wanted)
{
    const lb_pair_print *end = prints + count;
    const lb_pair_print *source = lb_pair_prints_find(prints, count, (lb_pair_print){wanted.source, 0});
    if (source == end || source->source != wanted.source) return LB_PRINT_NEW;
    const lb_pair_print *pair = lb_pair_prints_find(source, end - source, wanted);
    return pair == end || compare(pair, &wanted) != 0 ? LB_PRINT_SOURCE : LB_PRINT_PAIR;
}

/* ---- Equal pairs. ---- */

/* A pair in the order of its print. */
typedef struct numbered {
    lb_pair_print print;
    int64_t pair;
} numbered;

static int by_print(const void *a, const void *b)
{
    const numbered *one = a, *other = b;
    int order = compare(&one->print, &other->print);
    return order ? order : (one->pair > other->pair) - (one->pair < other->pair);
}

static lb_status read_all(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target, numbered *all,
                          lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < lb_pairs_count(pairs) && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (!status) status = lb_pair_line_tally(line, source, target, error);
        if (!status) all[i] = (numbered){print_of(line), i};
    }
    if (!status) qsort(all, (size_t)lb_pairs_count(pairs), sizeof *all, by_print);
    return status;
}

/* The end of those that equal the first one, or only have its source. */
static const numbered *end_of(const numbered *first, const numbered *end, bool source)
{
    const numbered *next = first + 1;
    while (next < end &&
           (source ? next->print.source == first->print.source : compare(&next->print, &first->print) == 0))
        next++;
    return next;
}

/* Gives weights to the pairs of one source, in the order of prints. Returns how many of them differ. */
static int64_t weigh_source(lb_pairs *pairs, const numbered *first, const numbered *end)
{
    int64_t different = 0;
    for (const numbered *at = first; at < end; at = end_of(at, end, false)) different++;
    double mean = pairs->format.weight_column ? 1 : (double)(end - first) / (double)different;
    for (const numbered *at = first, *next; at < end; at = next) {
        next = end_of(at, end, false);
        pairs->owned_weights[at->pair] = (float)((double)(next - at) / mean);
    }
    return different;
}

lb_status lb_pairs_take_stock(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    numbered *all = lb_alloc((size_t)count * sizeof *all);
    pairs->owned_weights = lb_alloc_zero((size_t)count * sizeof *pairs->owned_weights);
    lb_status status = LB_ERROR_MEMORY;
    if (!all || !pairs->owned_weights)
        lb_pairs_out_of_memory(pairs, error);
    else
        status = read_all(pairs, source, target, all, error);
    for (const numbered *at = all, *next; !status && at < all + count; at = next) {
        next = end_of(at, all + count, true);
        pairs->different += weigh_source(pairs, at, next);
    }
    if (!status && pairs->different < count) {
        pairs->weights = pairs->owned_weights;
    } else {
        lb_release(pairs->owned_weights);
        pairs->owned_weights = NULL;
    }
    lb_release(all);
    return status;
}

/* ---- Pairs of a file that contradict those of another one. ---- */

/* A pair of dev, and the first one of train with its source. */
typedef struct conflict {
    lb_pair_print print;
    int64_t dev, train;
} conflict;

/* Finds the first `most` conflicts, without their pairs in train. */
static lb_status find_in_dev(lb_pairs *dev, const lb_pair_print *train, int64_t count, int64_t most,
                             conflict *conflicts, int64_t *found, lb_error *error)
{
    for (int64_t i = 0; i < lb_pairs_count(dev) && *found < most; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(dev, i, &line, error);
        if (status) return status;
        const lb_pair_print print = print_of(line);
        if (lb_pair_prints_match(train, count, print) == LB_PRINT_SOURCE)
            conflicts[(*found)++] = (conflict){print, i, -1};
    }
    return LB_OK;
}

static lb_status find_in_train(lb_pairs *train, conflict *conflicts, int64_t count, lb_error *error)
{
    int64_t open = count;
    for (int64_t i = 0; i < lb_pairs_count(train) && open > 0; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(train, i, &line, error);
        if (status) return status;
        uint64_t source = print_of(line).source;
        for (conflict *c = conflicts; c < conflicts + count; c++) {
            if (c->train >= 0 || c->print.source != source) continue;
            c->train = i;
            open--;
        }
    }
    return LB_OK;
}

static void write_text(lb_buffer *text, const lb_symbol_rule *rule, const lb_symbols *symbols,
                       lb_error *error)
{
    char *joined = lb_symbols_join(rule, symbols->symbol, symbols->count, error);
    text->failed = text->failed || !joined;
    if (joined) lb_buffer_json_string(text, joined);
    lb_release(joined);
}

static lb_status describe(const conflict *c, lb_pairs *train, lb_pairs *dev, lb_strings *found,
                          lb_error *error)
{
    lb_buffer text = {0};
    const lb_pair_line *line;
    lb_status status = lb_pairs_read(dev, c->dev, &line, error);
    if (status) return status;
    write_text(&text, &dev->format.source, &line->source, error);
    lb_buffer_print(&text, ": ");
    write_text(&text, &dev->format.target, &line->target, error);
    lb_buffer_print(&text, " in line %lld, ", (long long)lb_pairs_line_number(dev, c->dev));
    status = lb_pairs_read(train, c->train, &line, error);
    if (!status) write_text(&text, &train->format.target, &line->target, error);
    lb_buffer_print(&text, " in line %lld of %s", (long long)lb_pairs_line_number(train, c->train),
                    train->path);
    char *whole = lb_buffer_end(&text);
    if (!status) return lb_strings_add(found, whole, error);
    lb_release(whole);
    return status;
}

lb_status lb_pair_conflicts_find(lb_pairs *train, lb_pairs *dev, int64_t most, lb_strings *found,
                                 lb_error *error)
{
    int64_t count = 0, shown;
    conflict *conflicts = lb_alloc((size_t)(most + 1) * sizeof *conflicts);
    if (!conflicts) return lb_no_memory(error, "conflicts");
    lb_pair_print *prints = lb_pair_prints_make(train, error);
    lb_status status = prints ? LB_OK : error->status;
    if (!status) status = find_in_dev(dev, prints, lb_pairs_count(train), most + 1, conflicts, &count, error);
    shown = count > most ? most : count;
    if (!status) status = find_in_train(train, conflicts, shown, error);
    for (int64_t i = 0; i < shown && !status; i++) status = describe(&conflicts[i], train, dev, found, error);
    if (!status && count > most) status = lb_strings_add(found, lb_alloc_string("..."), error);
    lb_release(conflicts);
    lb_release(prints);
    return status;
}
