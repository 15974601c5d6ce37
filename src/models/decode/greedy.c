/* Greedy decoding: the likeliest token at each step, for evaluations and lb_greedy. */
#include "lookback/models.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "models/decode/model.h"

/* Takes the token of one step. Rows that have ended go on beside the others, for their attention alone. Returns how
 * many have not ended. */
static int64_t take_tokens(lb_decoded *all, const lb_writing *w, const lb_back_pointer **last)
{
    int64_t classes = lb_dim(w->step.logits, -1), writing = 0;
    for (int64_t row = 0; row < all->batch; row++) {
        w->token[row] = lb_model_likeliest(w->step.logits->data + row * classes, classes);
        last[row] = lb_writing_add(w, last[row], row, w->token[row]);
        all->finished[row] |= w->token[row] == LB_EOS;
        if (all->finished[row]) continue;
        all->lengths[row]++;
        writing++;
    }
    return writing;
}

/* Each row in reading order, as long as the longest. */
static void trace_all(lb_decoded *all, const lb_writing *w, const lb_back_pointer *const *last)
{
    int64_t row_weights = w->maps * all->length * all->source_length;
    all->id = lb_tape_alloc_zero(w->tape, all->batch * all->length, sizeof *all->id);
    if (w->maps) all->weights = lb_tape_alloc_zero(w->tape, all->batch * row_weights, sizeof *all->weights);
    for (int64_t row = 0; row < all->batch && lb_tape_status(w->tape) == LB_OK; row++)
        lb_writing_fill(w, last[row],
                        &(lb_hypothesis){.id = all->id + row * all->length,
                                         .length = all->lengths[row],
                                         .steps = all->length,
                                         .weights = w->maps ? all->weights + row * row_weights : NULL});
}

lb_decoded lb_greedy(const lb_model *model, lb_tokens source, int64_t limit)
{
    if (limit < 1) {
        lb_tape_fail(source.tape, LB_ERROR_ARGUMENT, "lb_greedy: found limit %lld, expected at least 1",
                     (long long)limit);
        return (lb_decoded){0};
    }
    lb_tape *tape = source.tape;
    lb_decoded all = {.source_length = source.length, .layers = model->layers, .heads = model->heads};
    lb_writing w = lb_writing_begin(model, source, false, source.batch, 1);
    w.all_go_on = true;
    const lb_back_pointer **last = lb_tape_alloc_zero(tape, source.batch, sizeof *last);
    all.lengths = lb_tape_alloc_zero(tape, source.batch, sizeof *all.lengths);
    all.finished = lb_tape_alloc_zero(tape, source.batch, sizeof *all.finished);
    if (lb_tape_status(tape) == LB_OK) all.batch = source.batch;
    limit = lb_model_limit(model, limit);
    for (int64_t writing = all.batch; writing > 0 && all.length < limit; all.length++) {
        if (!lb_writing_step(&w, all.batch, NULL, NULL)) break;
        writing = take_tokens(&all, &w, last);
    }
    lb_writing_end(&w);
    if (lb_tape_status(tape) == LB_OK) trace_all(&all, &w, last);
    if (lb_tape_status(tape) || all.length == 0) all = (lb_decoded){0};
    return all;
}
