/* Finds equal and contradicting pairs by their hashes, for training, the index and the report. */
#include "data/pairs/pairs.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"

#include <stdlib.h>

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
    if (count > 0) qsort(prints, (size_t)count, sizeof *prints, lb_compare_two);
}

lb_pair_repetitions lb_pair_prints_count(const lb_pair_print *prints, int64_t count)
{
    lb_pair_repetitions found = {0};
    for (const lb_pair_print *at = prints, *end = prints + count; at < end;) {
        const lb_pair_print *first = at;
        int64_t different = 0, most = 0; /* pairs of this source; the most that are equal */
        for (; at < end && at->source == first->source; different++) {
            const lb_pair_print *same = at;
            while (at < end && lb_compare_two(at, same) == 0) at++;
            most = at - same > most ? at - same : most;
        }
        found.duplicates += at - first - different;
        found.ambiguous += different > 1;
        found.possible += most;
    }
    return found;
}

const void *lb_pair_prints_find(const void *sorted, int64_t count, size_t size, lb_pair_print wanted)
{
    const char *at = sorted;
    while (count > 0) {
        int64_t half = count / 2;
        bool before = lb_compare_two(at + (size_t)half * size, &wanted) < 0;
        if (before) at += (size_t)(half + 1) * size;
        count = before ? count - half - 1 : half;
    }
    return at;
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
    int order = lb_compare_two(a, b);
    return order ? order : lb_compare_whole(&one->pair, &other->pair);
}

static lb_status read_all(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target, numbered *all,
                          lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < lb_pairs_count(pairs) && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (!status && source) status = lb_pair_line_tally(line, source, target, error);
        if (!status) all[i] = (numbered){print_of(line), i};
    }
    if (!status) qsort(all, (size_t)lb_pairs_count(pairs), sizeof *all, by_print);
    return status;
}

/* The end of those that equal the first one, or only have its source. */
static const numbered *end_of(const numbered *first, const numbered *end, bool source)
{
    const numbered *next = first + 1;
    while (next < end && (source ? next->print.source == first->print.source
                                 : lb_compare_two(&next->print, &first->print) == 0))
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

/* The first pair of all with the source of this one; -1 if there is none, or one of them equals it. */
static int64_t find_contradicted(const numbered *all, int64_t count, lb_pair_print print)
{
    const numbered *end = all + count, *same = lb_pair_prints_find(all, count, sizeof *all, print),
                   *at = lb_pair_prints_find(all, count, sizeof *all, (lb_pair_print){print.source, 0});
    int64_t first = -1;
    if (same < end && lb_compare_two(&same->print, &print) == 0) return -1;
    for (; at < end && at->print.source == print.source; at++)
        if (first < 0 || at->pair < first) first = at->pair;
    return first;
}

static void write_text(lb_buffer *text, const lb_symbol_rule *rule, const lb_symbols *symbols,
                       lb_error *error)
{
    char *joined = lb_symbols_join(rule, symbols->symbol, symbols->count, error);
    text->failed = text->failed || !joined;
    if (joined) lb_buffer_json_string(text, joined);
    lb_release(joined);
}

/* Describes a pair of dev, which has been read, and the pair of train that it contradicts. */
static lb_status describe(const lb_pairs *dev, int64_t dev_pair, lb_pairs *train, int64_t train_pair,
                          lb_strings *found, lb_error *error)
{
    lb_buffer text = {0};
    const lb_pair_line *line;
    write_text(&text, &dev->format.source, &dev->line.source, error);
    lb_buffer_print(&text, ": ");
    write_text(&text, &dev->format.target, &dev->line.target, error);
    lb_buffer_print(&text, " in line %lld, ", (long long)lb_pairs_line_number(dev, dev_pair));
    lb_status status = lb_pairs_read(train, train_pair, &line, error);
    if (!status) write_text(&text, &train->format.target, &line->target, error);
    lb_buffer_print(&text, " in line %lld of %s", (long long)lb_pairs_line_number(train, train_pair),
                    train->path);
    char *whole = lb_buffer_end(&text);
    if (!status) return lb_strings_add(found, whole, error);
    lb_release(whole);
    return status;
}

lb_status lb_pair_conflicts_find(lb_pairs *train, lb_pairs *dev, int64_t most, lb_strings *found,
                                 lb_error *error)
{
    int64_t count = lb_pairs_count(train), conflicts = 0;
    numbered *all = lb_alloc((size_t)count * sizeof *all);
    if (!all) return lb_no_memory(error, "conflicts");
    lb_status status = read_all(train, NULL, NULL, all, error);
    for (int64_t i = 0; i < lb_pairs_count(dev) && conflicts <= most && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(dev, i, &line, error);
        int64_t other = status ? -1 : find_contradicted(all, count, print_of(line));
        if (other < 0) continue;
        status = conflicts++ < most ? describe(dev, i, train, other, found, error)
                                    : lb_strings_add(found, lb_alloc_string("..."), error);
    }
    lb_release(all);
    return status;
}
