/* ---- The search for an output. ---- */

/* The most symbols of an output for a text of this length. */
static int limit_of(int length)
{
    int most = 128, longest = TRAINED;
    while (most < 8 * length) most *= 2;
    longest = longest < most ? longest : most;
    int limit = 2 * (longest > length ? longest : length) + 8;
    return limit < LIMIT ? limit : LIMIT;
}

#if BEAM_SEARCH
#    include "beam.h"
#else
/* Takes the likeliest symbol at each step. Returns how many are written. */
static int decode(memory *m)
{
    int before = BOS, limit = limit_of(m->length);
    for (int step = 0; step < limit; step++) {
        decode_step(m, &m->state, before);
        before = EOS;
        for (int id = EOS + 1; id < TARGETS; id++)
            if (m->logit[id] > m->logit[before]) before = id;
        if (before == EOS) return step;
        m->written[step] = before;
    }
    return limit;
}

#endif
