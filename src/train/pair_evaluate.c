#include "train/pair_evaluate.h"

#include "base/alloc.h"
#include "lookback/op.h"
#include "train/batch.h"
#include "train/tally.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PAIRS = 250,    /* per batch */
    MOST_CELLS = 1 << 20 /* attention weights per batch: long pairs get smaller batches */
};

/* A pair with its lengths, for sorting. */
typedef struct entry {
    int64_t pair;
    int32_t source, target;
    bool possible;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->possible != y->possible) return x->possible ? -1 : 1;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static bool has(const lb_symbols *symbols, const char *wanted)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(symbols->symbol[i], wanted) == 0) return true;
    return false;
}

/* A model that copies can write what is in the source. */
static bool is_writable(const lb_vocabulary *vocabulary, const lb_pair_line *line, size_t i, bool copies)
{
    const char *symbol = line->target.symbol[i];
    return lb_vocabulary_id(vocabulary, symbol) != LB_UNK || (copies && has(&line->source, symbol));
}

static bool is_possible(const lb_vocabulary *vocabulary, const lb_pair_line *line, bool copies)
{
    for (size_t i = 0; i < line->target.count; i++)
        if (!is_writable(vocabulary, line, i, copies)) return false;
    return true;
}

static lb_status choose(lb_pairs *pairs, const lb_vocabulary *target, bool copies, int64_t wanted,
                        entry *entries, int64_t *possible, lb_error *error)
{
    *possible = 0;
    for (int64_t i = 0; i < wanted; i++) {
        const lb_pair_line *line;
        int64_t pair = i * lb_pairs_count(pairs) / wanted;
        lb_status status = lb_pairs_read(pairs, pair, &line, error);
        if (status) return status;
        entries[i] = (entry){pair, lb_pairs_source_length(pairs, pair), lb_pairs_target_length(pairs, pair),
                             is_possible(target, line, copies)};
        *possible += entries[i].possible;
    }
    return LB_OK;
}

lb_status lb_pair_sample_make(lb_pairs *pairs, const lb_vocabulary *target, bool copies, int64_t most,
                              lb_pair_sample *sample, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs), wanted = count < most ? count : most, possible = 0;
    *sample = (lb_pair_sample){0};
    if (most < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found a sample of %lld pairs, expected at least 1",
                            (long long)most);
    entry *entries = lb_alloc((size_t)wanted * sizeof *entries);
    int64_t *pair = lb_alloc((size_t)wanted * sizeof *pair);
    lb_status status;
    if (!entries || !pair) {
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sample of %lld pairs",
                              (long long)wanted);
    } else if ((status = choose(pairs, target, copies, wanted, entries, &possible, error)) == LB_OK) {
        qsort(entries, (size_t)wanted, sizeof *entries, compare);
        for (int64_t i = 0; i < wanted; i++) pair[i] = entries[i].pair;
        *sample = (lb_pair_sample){.pair = pair, .possible = possible, .count = wanted, .copies = copies};
        pair = NULL;
    }
    lb_release(pair);
    lb_release(entries);
    return status;
}

void lb_pair_sample_free(lb_pair_sample *sample)
{
    lb_release(sample->pair);
    *sample = (lb_pair_sample){0};
}

int64_t lb_pair_sample_alike(const lb_pair_sample *sample, int64_t first)
{
    return (first < sample->possible ? sample->possible : sample->count) - first;
}

/* No output shall equal what the model cannot write. */
static lb_status mark_unwritable(const lb_pair_sample *sample, lb_pairs *pairs, const lb_vocabulary *target,
                                 int64_t first, int64_t count, const lb_batch_rows *rows, lb_error *error)
{
    for (int64_t row = 0; row < count; row++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(pairs, sample->pair[first + row], &line, error);
        if (status) return status;
        for (size_t i = 0; i < line->target.count; i++)
            if (!is_writable(target, line, i, sample->copies))
                rows->target_out[row * rows->target_width + (int64_t)i] = LB_UNWRITABLE;
    }
    return LB_OK;
}

lb_batch lb_pair_sample_batch(const lb_pair_sample *sample, lb_pairs *pairs, const lb_vocabulary *source,
                              const lb_vocabulary *target, lb_tape *tape, int64_t first, int64_t count)
{
    lb_error error = {0};
    lb_batch_rows rows;
    lb_batch batch = lb_pair_batch(pairs, source, target, tape, sample->pair + first, count);
    if (first < sample->possible || lb_tape_status(tape)) return batch;
    batch = lb_batch_copy(batch, &rows);
    if (lb_tape_status(tape)) return batch;
    if (!mark_unwritable(sample, pairs, target, first, count, &rows, &error)) return batch;
    lb_tape_fail(tape, error.status, "%s", error.message);
    return lb_batch_empty(tape);
}

/* The number of pairs in the batch that starts at pair `first` of the sample: at least one. */
static int64_t batch_size(const lb_pairs *pairs, const lb_pair_sample *sample, int64_t first)
{
    int64_t source = 0, target = 0, size = 0;
    while (size < MOST_PAIRS && size < lb_pair_sample_alike(sample, first)) {
        int64_t pair = sample->pair[first + size];
        source = lb_pairs_source_length(pairs, pair) > source ? lb_pairs_source_length(pairs, pair) : source;
        target = lb_pairs_target_length(pairs, pair) > target ? lb_pairs_target_length(pairs, pair) : target;
        if (size > 0 && (size + 1) * source * target > MOST_CELLS) break;
        size++;
    }
    return size;
}

lb_status lb_pair_evaluate(const lb_model *model, lb_pairs *pairs, const lb_vocabulary *source,
                           const lb_vocabulary *target, const lb_pair_sample *sample, lb_tape *tape,
                           const lb_group *group, lb_evaluation *found)
{
    lb_tallies tallies = {.group = group};
    lb_tally sum;
    int64_t size;
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    for (int64_t first = 0; first < sample->count && lb_tape_status(tape) == LB_OK; first += size) {
        size = batch_size(pairs, sample, first);
        lb_tape_reset(tape);
        lb_tally *tally = lb_tallies_next(&tallies, tape);
        if (!tally) break;
        if (!lb_tallies_mine(&tallies)) continue;
        lb_batch batch = lb_pair_sample_batch(sample, pairs, source, target, tape, first, size);
        bool possible = first < sample->possible;
        if (possible ? lb_tally_add(tally, model, batch, true)
                     : lb_tally_add_edits(tally, model, batch, NULL))
            break;
    }
    lb_tape_set_mode(tape, mode);
    lb_status status = lb_tallies_sum(&tallies, tape, &sum);
    *found = lb_tally_evaluation(&sum, sample->count);
    return status;
}
