#include "models/decode/trail.h"

#include "autograd/tape.h"
#include "lookback/op.h"

#include <string.h>

const lb_trail *lb_trail_new(lb_tape *tape, lb_trail step, int64_t weights)
{
    lb_trail *made = lb_tape_alloc_lasting(tape, sizeof *made);
    size_t bytes = (size_t)weights * sizeof(lb_real);
    lb_real *kept = step.weights ? lb_tape_alloc_lasting(tape, bytes) : NULL;
    if (!made || (step.weights && !kept)) return NULL;
    *made = step;
    if (kept) made->weights = memcpy(kept, step.weights, bytes);
    return made;
}

lb_hypothesis lb_trail_trace(lb_tape *tape, const lb_trail *last, lb_hypothesis h, int64_t maps,
                             int64_t source_length)
{
    h.id = lb_tape_alloc_zero(tape, h.length, sizeof *h.id);
    h.log_probability = lb_tape_alloc_zero(tape, h.steps, sizeof *h.log_probability);
    if (maps) h.weights = lb_tape_alloc_zero(tape, maps * h.steps * source_length, sizeof *h.weights);
    if (lb_tape_status(tape)) return h;
    int64_t t = h.steps - 1;
    for (const lb_trail *at = last; at; at = at->before, t--) {
        if (t < h.length) h.id[t] = at->token;
        h.log_probability[t] = at->log_probability;
        for (int64_t map = 0; at->weights && map < maps; map++)
            memcpy(h.weights + (map * h.steps + t) * source_length, at->weights + map * source_length,
                   (size_t)source_length * sizeof *h.weights);
    }
    return h;
}
