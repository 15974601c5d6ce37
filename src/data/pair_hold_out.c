#include "base/alloc.h"
#include "base/bytes.h"
#include "data/pairs_internal.h"

/* Marks the pairs to hold out, and counts them. */
static lb_status choose(lb_pairs *pairs, int64_t share, bool *chosen, int64_t *count, lb_error *error)
{
    *count = 0;
    for (int64_t i = 0; i < pairs->count; i++) {
        const lb_pair_line *line;
        lb_status status = lb_pairs_read(pairs, i, &line, error);
        if (status) return status;
        /* the generator mixes the bits: the high bits of the hash depend only on the last letters */
        lb_rng rng = {.seed = lb_symbols_hash(&line->source, LB_HASH)};
        chosen[i] = lb_rng_below(rng, 0, (uint64_t)share) == 0;
        *count += chosen[i];
    }
    if (*count > 0 && *count < pairs->count) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found %lld pair%s, too few to hold some out for development", pairs->path,
                        (long long)pairs->count, pairs->count == 1 ? "" : "s");
}

static lb_pairs *divide(lb_pairs *pairs, const bool *chosen, int64_t count, lb_error *error)
{
    lb_pairs *out = lb_pairs_new_held_out(pairs, error);
    if (!out) return NULL;
    out->places = out->own = lb_alloc((size_t)count * sizeof *out->own);
    if (!out->own) {
        lb_pairs_out_of_memory(pairs, error);
        lb_pairs_close(out);
        return NULL;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < pairs->count; i++)
        *(chosen[i] ? &out->own[out->count++] : &pairs->own[kept++]) = pairs->own[i];
    out->capacity = (size_t)count;
    out->facts.lines = count;
    pairs->count = kept;
    pairs->next = 0;
    return out;
}

lb_pairs *lb_pairs_hold_out(lb_pairs *pairs, int64_t share, lb_error *error)
{
    int64_t count;
    if (share < 2)
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT, "%s: cannot hold out one of %d pairs",
                                    pairs->path, (int)share));
    bool *chosen = lb_alloc((size_t)pairs->count * sizeof *chosen);
    lb_pairs *out = NULL;
    if (!chosen) lb_pairs_out_of_memory(pairs, error);
    if (chosen && !choose(pairs, share, chosen, &count, error)) out = divide(pairs, chosen, count, error);
    lb_release(chosen);
    return out;
}
