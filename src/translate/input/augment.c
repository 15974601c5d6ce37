#include "translate/input/augment.h"

#include "base/alloc.h"
#include "data/text/symbols.h"
#include "lookback/op.h"
#include "translate/batches/batch.h"

#include <math.h>
#include <string.h>

/* One row of a batch, writable. */
typedef struct row {
    int32_t *source, *target_in, *target_out;
    int32_t source_length, target_length; /* the latter with LB_EOS */
} row;

static row row_of(const lb_batch_rows *rows, int64_t i)
{
    int64_t source = i * rows->source_width, target = i * rows->target_width;
    return (row){rows->source + source, rows->target_in + target, rows->target_out + target,
                 rows->source_lengths[i], rows->out_lengths[i]};
}

/* ---- Hallucination. ---- */

enum {
    SHORTEST = 3, /* stretch */
    INSIDE = 5    /* of a longer one, only what is inside is replaced */
};

static const double REPLACED = 0.5;

/* One pair that becomes another one. */
typedef struct pair {
    row row;
    const lb_shared_symbols *shared;
    const int32_t *letter; /* [letters]: the source ids of shared symbols */
    int32_t letters;
    lb_rng rng;
    uint64_t first; /* random number of this pair */
} pair;

/* Symbols [source, source_end) of the source and [target, target_end) of the target. */
typedef struct part {
    int32_t source, source_end, target, target_end;
} part;

/* The symbols that both have in common from these places on. */
static int32_t common_length(const pair *p, part within, int32_t source, int32_t target)
{
    int32_t length = 0;
    while (source + length < within.source_end && target + length < within.target_end) {
        int32_t same = p->shared->target[p->row.source[source + length]];
        if (same < LB_FIRST_TOKEN || same != p->row.target_out[target + length]) break;
        length++;
    }
    return length;
}

/* The longest stretch, and the first of these. */
static part longest_stretch(const pair *p, part within)
{
    part found = {0};
    for (int32_t s = within.source; s < within.source_end; s++)
        for (int32_t t = within.target; t < within.target_end; t++) {
            int32_t length = common_length(p, within, s, t);
            if (length > found.source_end - found.source) found = (part){s, s + length, t, t + length};
        }
    return found;
}

static void replace_stretch(const pair *p, part stretch)
{
    int32_t length = stretch.source_end - stretch.source, edge = length > INSIDE;
    for (int32_t i = edge; i < length - edge; i++) {
        int32_t source = stretch.source + i, target = stretch.target + i;
        uint64_t number = p->first + 2 * (uint64_t)source;
        if (lb_rng_uniform(p->rng, number) >= REPLACED) continue;
        int32_t letter = p->letter[lb_rng_below(p->rng, number + 1, (uint64_t)p->letters)];
        p->row.source[source] = letter;
        p->row.target_out[target] = p->row.target_in[target + 1] = p->shared->target[letter];
    }
}

static void replace_all(const pair *p, part within)
{
    part stretch = longest_stretch(p, within);
    if (stretch.source_end - stretch.source < SHORTEST) return;
    replace_all(p, (part){within.source, stretch.source, within.target, stretch.target});
    replace_all(p, (part){stretch.source_end, within.source_end, stretch.target_end, within.target_end});
    replace_stretch(p, stretch);
}

/* The ids of all shared symbols, on the tape. */
static const int32_t *list_letters(const lb_shared_symbols *shared, lb_tape *tape, int32_t *count)
{
    int32_t *letter = lb_tape_alloc(tape, (size_t)shared->size * sizeof *letter);
    *count = 0;
    for (int32_t id = LB_FIRST_TOKEN; letter && id < shared->size; id++)
        if (shared->target[id] >= LB_FIRST_TOKEN) letter[(*count)++] = id;
    return letter;
}

lb_batch lb_hallucinate(lb_batch batch, const lb_shared_symbols *shared, double share, uint64_t seed,
                        int64_t step)
{
    if (share <= 0 || batch.source.batch == 0) return batch;
    lb_tape *tape = batch.source.tape;
    lb_rng chosen = {seed, lb_rng_stream("hallucinated pairs"), (uint32_t)step};
    pair p = {.shared = shared, .rng = {seed, lb_rng_stream("hallucinated letters"), (uint32_t)step}};
    p.letter = list_letters(shared, tape, &p.letters);
    if (!p.letter) return lb_batch_empty(tape);
    lb_batch_rows rows;
    lb_batch made = lb_batch_copy(batch, &rows);
    for (int64_t i = 0; i < made.source.batch; i++) {
        if (lb_rng_uniform(chosen, (uint64_t)i) >= share) continue;
        p.row = row_of(&rows, i);
        p.first = 2 * (uint64_t)(i * rows.source_width);
        replace_all(&p, (part){0, p.row.source_length, 0, p.row.target_length - 1});
    }
    return made;
}

/* ---- Hidden symbols. ---- */

lb_status lb_hidden_shares(const lb_shared_symbols *shared, const lb_vocabulary *source, double most,
                           double **share, lb_error *error)
{
    double sum = 0, copied = 0;
    const int32_t size = shared->size;
    double *each = *share = lb_alloc_zero((size_t)size * sizeof *each);
    if (!each) return lb_no_memory(error, NULL);
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++) {
        if (shared->target[id] < LB_FIRST_TOKEN) continue;
        sum += (double)lb_vocabulary_count(source, id);
        copied++;
    }
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++)
        if (shared->target[id] >= LB_FIRST_TOKEN)
            each[id] = most * fmin(1, sum / copied / fmax((double)lb_vocabulary_count(source, id), 1));
    return LB_OK;
}

/* Makes a symbol of the source unknown in the whole row, and in the target where it is copied as `target`. */
static void hide(const row *r, int32_t source, int32_t target)
{
    for (int32_t i = 0; i < r->source_length; i++)
        if (r->source[i] == source) r->source[i] = LB_UNK;
    for (int32_t i = 0; i < r->target_length; i++) {
        if (r->target_in[i] == target) r->target_in[i] = LB_UNK;
        if (r->target_out[i] == target) r->target_out[i] = LB_UNK;
    }
}

static bool has(const int32_t *id, int32_t length, int32_t wanted)
{
    for (int32_t i = 0; i < length; i++)
        if (id[i] == wanted) return true;
    return false;
}

static void hide_some(const lb_shared_symbols *shared, const row *r, const double *share, lb_rng rng,
                      uint64_t first)
{
    for (int32_t i = 0; i < r->source_length; i++) {
        int32_t source = r->source[i], target = shared->target[source];
        if (target < LB_FIRST_TOKEN || has(r->source, i, source)) continue; /* once per symbol */
        if (lb_rng_uniform(rng, first + (uint64_t)i) >= share[source]) continue;
        if (has(r->target_out, r->target_length, target)) hide(r, source, target);
    }
}

lb_batch lb_hide_symbols(const lb_shared_symbols *shared, lb_batch batch, const double *share, uint64_t seed,
                         int64_t step)
{
    if (!share || batch.source.batch == 0) return batch;
    lb_batch_rows to;
    lb_batch hidden = lb_batch_copy(batch, &to);
    lb_rng rng = {seed, lb_rng_stream("hidden symbols"), (uint32_t)step};
    for (int64_t i = 0; i < hidden.source.batch; i++) {
        row r = row_of(&to, i);
        hide_some(shared, &r, share, rng, (uint64_t)(i * to.source_width));
    }
    return hidden;
}

/* ---- Scheduled sampling. ---- */

/* With more logits than this, threads share the work. */
enum { MANY = 1 << 13 };

/* Replaces tokens of `id`; the token at t comes from the logits at t - 1. */
static void mix(lb_tokens right, const lb_tensor *logits, lb_scheduled_sampling sampling, int64_t step,
                int32_t *id)
{
    lb_rng replace = {sampling.seed, lb_rng_stream("scheduled_sampling.replace"), (uint32_t)step};
    lb_rng draw = {sampling.seed, lb_rng_stream("scheduled_sampling.draw"), (uint32_t)step};
    int64_t classes = lb_dim(logits, -1), tokens = right.batch * right.length;
#pragma omp parallel for schedule(static) if (tokens * classes > MANY)
    for (int64_t i = 0; i < tokens; i++) {
        int64_t t = i % right.length;
        if (t == 0 || t >= right.lengths[i / right.length]) continue;
        if (lb_rng_uniform(replace, (uint64_t)i) >= sampling.probability) continue;
        const lb_real *before = logits->data + (i - 1) * classes;
        id[i] = sampling.likeliest ? lb_argmax(before, classes)
                                   : lb_draw(before, classes, 1, lb_rng_uniform(draw, (uint64_t)i));
    }
}

static lb_tensor *forward_without_gradient(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    lb_mode mode = lb_tape_mode(target_in.tape);
    lb_tape_set_mode(target_in.tape, LB_MODE_EVALUATE);
    /* Softmax turns logarithms of probabilities into these probabilities. */
    lb_tensor *logits = lb_written_log_probabilities(model, lb_model_forward(model, source, target_in));
    lb_tape_set_mode(target_in.tape, mode);
    return logits;
}

lb_tokens lb_scheduled_tokens(const lb_model *model, lb_tokens source, lb_tokens target_in,
                              lb_scheduled_sampling sampling, int64_t step)
{
    lb_tokens none = {.tape = target_in.tape};
    if (sampling.probability == 0) return target_in;
    if (!(sampling.probability > 0 && sampling.probability <= 1)) {
        lb_tape_fail(target_in.tape, LB_ERROR_ARGUMENT,
                     "lb_scheduled_tokens: invalid probability %g, expected 0 to 1", sampling.probability);
        return none;
    }
    const lb_tensor *logits = forward_without_gradient(model, source, target_in);
    if (lb_tape_status(target_in.tape)) return none;
    int32_t *id, *lengths;
    lb_tokens mixed = lb_tokens_new(target_in.tape, target_in.batch, target_in.length, &id, &lengths);
    if (mixed.batch == 0) return mixed;
    memcpy(id, target_in.id, (size_t)(mixed.batch * mixed.length) * sizeof *id);
    memcpy(lengths, target_in.lengths, (size_t)mixed.batch * sizeof *lengths);
    mix(target_in, logits, sampling, step, id);
    return mixed;
}
