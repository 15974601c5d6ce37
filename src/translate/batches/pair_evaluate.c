/* Batches of pairs, and the evaluation of a model on a sample of pairs. */
#include "translate/batches/evaluate.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/threads.h"
#include "data/pairs/pairs.h"
#include "lookback/op.h"

#include <stdlib.h>
#include <string.h>

/* ---- Batches. ---- */

typedef struct longest {
    int32_t source, target;
} longest;

static void add_lengths(longest *all, const lb_pairs *pairs, int64_t pair)
{
    int32_t source = (int32_t)lb_pairs_source_length(pairs, pair),
            target = (int32_t)lb_pairs_target_length(pairs, pair);
    all->source = source > all->source ? source : all->source;
    all->target = target > all->target ? target : all->target;
}

static bool find_longest(const lb_pairs *pairs, lb_tape *tape, const int64_t *pair, int64_t count,
                         longest *found)
{
    *found = (longest){0, 0};
    for (int64_t i = 0; i < count; i++) {
        if (pair[i] < 0 || pair[i] >= lb_pairs_count(pairs)) {
            lb_tape_fail(tape, LB_ERROR_INDEX, "lb_pair_batch: pair %lld is out of range: there are %lld",
                         (long long)pair[i], (long long)lb_pairs_count(pairs));
            return false;
        }
        add_lengths(found, pairs, pair[i]);
    }
    return true;
}

lb_batch lb_pair_batch(lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                       lb_tape *tape, const int64_t *pair, int64_t count)
{
    longest width;
    lb_batch_rows rows;
    if (!find_longest(pairs, tape, pair, count, &width)) return lb_batch_empty(tape);
    int32_t *source_ids = lb_tape_alloc(tape, (size_t)width.source * sizeof *source_ids);
    int32_t *target_ids = lb_tape_alloc(tape, (size_t)width.target * sizeof *target_ids);
    lb_batch batch = lb_batch_new(tape, count, width.source, width.target, &rows);
    if (lb_tape_status(tape)) return lb_batch_empty(tape);
    for (int64_t row = 0; row < count; row++) {
        lb_error error = {0};
        if (lb_pairs_encode(pairs, pair[row], source, target, source_ids, target_ids, &error)) {
            lb_tape_fail(tape, error.status, "%s", error.message);
            return lb_batch_empty(tape);
        }
        lb_batch_set_source(&rows, row, source_ids, (int32_t)lb_pairs_source_length(pairs, pair[row]));
        lb_batch_set_target(&rows, row, target_ids, (int32_t)lb_pairs_target_length(pairs, pair[row]));
    }
    return batch;
}

/* ---- Samples. ---- */

enum {
    MOST_PAIRS = 128,     /* per batch, whose loss takes a page a tenth of a second */
    PART = 25,            /* outputs that are decoded at once in parts */
    MOST_CELLS = 1 << 20, /* attention weights per batch: long pairs get smaller batches */
    MOST_LOGITS = 1 << 21 /* per batch: so do those with many classes */
};

/* A pair with its lengths, for sorting. */
typedef struct entry {
    int64_t pair;
    int32_t source, target;
    bool possible;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->possible != y->possible) return x->possible ? -1 : 1;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* A model that copies can write what is in the source. */
static bool is_writable(const lb_vocabulary *vocabulary, const lb_pair_line *line, size_t i, bool copies)
{
    const char *symbol = line->target.symbol[i];
    bool writable = lb_vocabulary_id(vocabulary, symbol) != LB_UNK;
    for (size_t k = 0; k < line->source.count && copies && !writable; k++)
        writable = strcmp(line->source.symbol[k], symbol) == 0;
    return writable;
}

static bool is_possible(const lb_vocabulary *vocabulary, const lb_pair_line *line, bool copies)
{
    for (size_t i = 0; i < line->target.count; i++)
        if (!is_writable(vocabulary, line, i, copies)) return false;
    return true;
}

static lb_status choose_pairs(lb_pair_sample *sample, lb_pairs *pairs, const lb_vocabulary *target,
                              entry *entries, lb_error *error)
{
    for (int64_t i = 0; i < sample->count; i++) {
        const lb_pair_line *line;
        int64_t pair = i * lb_pairs_count(pairs) / sample->count;
        lb_status status = lb_pairs_read(pairs, pair, &line, error);
        if (status) return status;
        entries[i] =
            (entry){pair, (int)lb_pairs_source_length(pairs, pair), (int)lb_pairs_target_length(pairs, pair),
                    is_possible(target, line, sample->copies)};
        sample->possible += entries[i].possible;
    }
    qsort(entries, (size_t)sample->count, sizeof *entries, compare_entries);
    for (int64_t i = 0; i < sample->count; i++) sample->pair[i] = entries[i].pair;
    return LB_OK;
}

lb_status lb_pair_sample_make(lb_pairs *pairs, const lb_vocabulary *target, bool copies, int64_t most,
                              lb_pair_sample *sample, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs), wanted = count < most ? count : most;
    *sample = (lb_pair_sample){.count = wanted, .copies = copies};
    if (most < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found a sample of %lld pairs, expected at least 1",
                            (long long)most);
    entry *entries = lb_alloc((size_t)wanted * sizeof *entries);
    sample->pair = lb_alloc((size_t)wanted * sizeof *sample->pair);
    lb_status status = entries && sample->pair
                           ? choose_pairs(sample, pairs, target, entries, error)
                           : lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sample of %lld pairs",
                                          (long long)wanted);
    if (status) lb_pair_sample_free(sample);
    lb_release(entries);
    return status;
}

/* A pair, with the hash of its source. */
typedef struct sourced {
    uint64_t source;
    int64_t pair;
} sourced;

static lb_status read_sourced(lb_pairs *pairs, int64_t pair, sourced *found, lb_error *error)
{
    const lb_pair_line *line;
    lb_status status = lb_pairs_read(pairs, pair, &line, error);
    if (!status) *found = (sourced){lb_symbols_hash(&line->source, LB_HASH), pair};
    return status;
}

/* All pairs whose source is in the sample, sorted by source. `all` has room for every pair. */
static lb_status find_sources(const lb_pair_sample *sample, lb_pairs *pairs, sourced *wanted, sourced *all,
                              int64_t *count, lb_error *error)
{
    *count = 0;
    for (int64_t i = 0; i < sample->count; i++) {
        lb_status status = read_sourced(pairs, sample->pair[i], &wanted[i], error);
        if (status) return status;
    }
    qsort(wanted, (size_t)sample->count, sizeof *wanted, lb_compare_whole);
    for (int64_t pair = 0; pair < lb_pairs_count(pairs); pair++) {
        lb_status status = read_sourced(pairs, pair, &all[*count], error);
        if (status) return status;
        *count +=
            bsearch(&all[*count], wanted, (size_t)sample->count, sizeof *wanted, lb_compare_whole) != NULL;
    }
    qsort(all, (size_t)*count, sizeof *all, lb_compare_two);
    return LB_OK;
}

/* Counts from the last pair to the first, since each counts those behind it. */
static void fill_sources(lb_pair_sample *sources, const sourced *all)
{
    for (int64_t i = sources->count - 1; i >= 0; i--) {
        bool more = i + 1 < sources->count && all[i + 1].source == all[i].source;
        sources->pair[i] = all[i].pair;
        sources->same[i] = more ? sources->same[i + 1] + 1 : 1;
    }
}

lb_status lb_pair_sample_any_target(lb_pair_sample *sample, lb_pairs *pairs, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    sourced *wanted = lb_alloc((size_t)sample->count * sizeof *wanted);
    sourced *all = lb_alloc((size_t)count * sizeof *all);
    lb_pair_sample *sources = lb_alloc_zero(sizeof *sources);
    sample->sources = sources;
    if (sources)
        *sources = (lb_pair_sample){.copies = sample->copies,
                                    .pair = lb_alloc((size_t)count * sizeof *sources->pair),
                                    .same = lb_alloc((size_t)count * sizeof *sources->same)};
    const bool ready = wanted && all && sources && sources->pair && sources->same;
    lb_status status =
        ready ? find_sources(sample, pairs, wanted, all, &sources->count, error)
              : lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a sample of %lld sources",
                             (long long)sample->count);
    if (ready && !status) fill_sources(sources, all);
    lb_release(wanted);
    lb_release(all);
    return status;
}

void lb_pair_sample_free(lb_pair_sample *sample)
{
    if (sample->sources) lb_pair_sample_free(sample->sources);
    lb_release(sample->sources);
    lb_release(sample->same);
    lb_release(sample->pair);
    *sample = (lb_pair_sample){0};
}

int64_t lb_pair_sample_alike(const lb_pair_sample *sample, int64_t first)
{
    return (first < sample->possible ? sample->possible : sample->count) - first;
}

int64_t lb_pair_sample_same(const lb_pair_sample *sample, int64_t first)
{
    return sample->same ? sample->same[first] : 1;
}

int64_t lb_pair_sample_judged(const lb_pair_sample *sample)
{
    const lb_pair_sample *sources = sample->sources;
    if (!sources) return sample->count;
    int64_t judged = 0;
    for (int64_t i = 0; i < sources->count; i += sources->same[i]) judged++;
    return judged;
}

/* Marks the symbols that the model cannot write, so that no output equals them. */
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

/* The number of pairs in the batch that starts at pair `first` of the sample: about `most`, at least one, or one
 * source. */
static int64_t batch_size(const lb_pairs *pairs, const lb_pair_sample *sample, int64_t classes, int64_t first,
                          int64_t most)
{
    int64_t size = 0;
    longest width = {0, 0};
    while (size < most && size < lb_pair_sample_alike(sample, first)) {
        int64_t more = lb_pair_sample_same(sample, first + size);
        for (int64_t i = 0; i < more; i++) add_lengths(&width, pairs, sample->pair[first + size + i]);
        int64_t rows = (size + more) * width.target;
        if (size > 0 && (rows * width.source > MOST_CELLS || rows * classes > MOST_LOGITS)) break;
        size += more;
    }
    return size;
}

/* ---- Evaluations. ---- */

typedef struct evaluation {
    const lb_model *model;
    lb_pairs *pairs;
    const lb_vocabulary *source, *target;
    lb_tape *tape;
    lb_tallies *tallies;
    int64_t longest;
} evaluation;

/* The first part of a batch is its loss; the others write the outputs that this has not found right. Returns whether
 * the batch is done. */
static bool add_part(const evaluation *e, lb_batch batch, lb_tally *tally)
{
    lb_tallies *t = e->tallies;
    if (t->left == 0) {
        if (!lb_alloc_room(&t->wrong, 0, (size_t)batch.source.batch, &t->wrong_room, sizeof *t->wrong)) {
            lb_tape_fail(e->tape, LB_ERROR_MEMORY, "out of memory for an evaluation");
            return false;
        }
        t->left = lb_tally_add_forced(tally, e->model, batch, t->wrong);
    } else {
        const int64_t count = lb_smaller(t->left, PART);
        t->left -= count;
        if (lb_tally_add_edits(tally, e->model, batch, t->wrong + t->left, count, e->longest)) return false;
    }
    return t->left == 0;
}

static bool add_pairs(const evaluation *e, const lb_pair_sample *sample, int64_t first, lb_batch batch,
                      lb_tally *tally)
{
    if (sample->same)
        return !lb_tally_add_outputs(tally, e->model, batch, sample->same + first, NULL, e->longest);
    if (sample->sources) return !lb_tally_add_loss(tally, e->model, batch);
    return e->tallies->in_parts ? add_part(e, batch, tally)
                                : !lb_tally_add(tally, e->model, batch, true, e->longest);
}

/* Adds the batch that begins at pair `first` of a sample, or of its sources, which follow, or a part of it. Returns its
 * size once it is done; 0 before, and after an error. */
static int64_t add_batch(const evaluation *e, const lb_pair_sample *sample, int64_t first)
{
    if (sample->sources && first >= sample->count) {
        first -= sample->count;
        sample = sample->sources;
    }
    lb_tallies *t = e->tallies;
    const int64_t most = t->in_parts && sample->same ? PART : MOST_PAIRS, classes = e->model->target_vocab,
                  size = batch_size(e->pairs, sample, classes, first, most);
    lb_tape_reset(e->tape);
    lb_tally *tally = t->left == 0 ? lb_tallies_next(t, e->tape) : &t->batch[t->count - 1];
    if (!tally || !lb_tallies_mine(t)) return size;
    lb_batch batch = lb_pair_sample_batch(sample, e->pairs, e->source, e->target, e->tape, first, size);
    return add_pairs(e, sample, first, batch, tally) ? size : 0;
}

lb_status lb_pair_evaluate(const lb_model *model, lb_pairs *pairs, const lb_vocabulary *source,
                           const lb_vocabulary *target, const lb_pair_sample *sample, lb_tape *tape,
                           lb_tallies *tallies, lb_evaluation *found)
{
    lb_tally sum;
    lb_tallies alone = {0};
    evaluation e = {model,
                    pairs,
                    source,
                    target,
                    tape,
                    .tallies = tallies ? tallies : &alone,
                    .longest = sample->longest};
    lb_tallies *t = e.tallies;
    const int64_t all = sample->count + (sample->sources ? sample->sources->count : 0);
    const lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    do t->next += add_batch(&e, sample, t->next);
    while (t->next < all && !t->in_parts && lb_tape_status(tape) == LB_OK);
    lb_tape_set_mode(tape, mode);
    if (t->next < all && lb_tape_status(tape) == LB_OK) return LB_ERROR_INTERRUPTED;
    lb_status status = lb_tallies_sum(t, tape, &sum);
    *found = lb_tally_evaluation(&sum, lb_pair_sample_judged(sample));
    return status;
}
