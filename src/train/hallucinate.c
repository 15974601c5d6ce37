#include "train/hallucinate.h"

#include "lookback/op.h"
#include "train/batch.h"

enum {
    SHORTEST = 3, /* stretch */
    INSIDE = 5    /* of a longer one, only what is inside is replaced */
};

static const double REPLACED = 0.5;

/* One pair that becomes another one. */
typedef struct pair {
    int32_t *source, *target_in, *target_out;
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

static int32_t common(const pair *p, part within, int32_t source, int32_t target)
{
    int32_t length = 0;
    while (source + length < within.source_end && target + length < within.target_end) {
        int32_t same = p->shared->target[p->source[source + length]];
        if (same < LB_FIRST_TOKEN || same != p->target_out[target + length]) break;
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
            int32_t length = common(p, within, s, t);
            if (length > found.source_end - found.source) found = (part){s, s + length, t, t + length};
        }
    return found;
}

static void replace(const pair *p, part stretch)
{
    int32_t length = stretch.source_end - stretch.source, edge = length > INSIDE;
    for (int32_t i = edge; i < length - edge; i++) {
        int32_t source = stretch.source + i, target = stretch.target + i;
        uint64_t number = p->first + 2 * (uint64_t)source;
        if (lb_rng_uniform(p->rng, number) >= REPLACED) continue;
        int32_t letter = p->letter[lb_rng_below(p->rng, number + 1, (uint64_t)p->letters)];
        p->source[source] = letter;
        p->target_out[target] = p->target_in[target + 1] = p->shared->target[letter];
    }
}

static void replace_all(const pair *p, part within)
{
    part stretch = longest_stretch(p, within);
    if (stretch.source_end - stretch.source < SHORTEST) return;
    replace_all(p, (part){within.source, stretch.source, within.target, stretch.target});
    replace_all(p, (part){stretch.source_end, within.source_end, stretch.target_end, within.target_end});
    replace(p, stretch);
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
        p.source = rows.source + i * rows.source_width;
        p.target_in = rows.target_in + i * rows.target_width;
        p.target_out = rows.target_out + i * rows.target_width;
        p.first = 2 * (uint64_t)(i * rows.source_width);
        replace_all(&p, (part){0, rows.source_lengths[i], 0, rows.out_lengths[i] - 1});
    }
    return made;
}
