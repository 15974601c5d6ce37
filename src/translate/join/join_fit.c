#include "translate/join/join_fit.h"

#include "base/alloc.h"
#include "translate/batches/evaluate.h"

#include <string.h>

enum { BEAM = 5, ROWS = 32, MOST_CELLS = 1 << 15 };

/* A pass over the pairs of the sample, batch by batch. */
typedef struct pass {
    const lb_text_model *text;
    const lb_tested_pairs *on;
    const lb_pair_sample *sample; /* of these pairs, or its sources */
    lb_tape *tape;
    int64_t next, end; /* of the sample */
    lb_batch batch;
    lb_beam_config search;
    lb_error *error;
} pass;

static pass pass_of(const lb_text_model *text, const lb_tested_pairs *on, lb_error *error)
{
    const int64_t symbols = lb_vocabulary_size(text->target);
    return (pass){
        .text = text,
        .on = on,
        .sample = &on->sample,
        .end = on->sample.possible,
        .search = {.beam = symbols < BEAM ? symbols : BEAM, .length_penalty = 1, .without_weights = true},
        .error = error};
}

/* Long pairs get smaller batches. */
static int64_t size_of_next(const pass *p)
{
    int64_t size = 0, longest = 0;
    while (size < ROWS && p->next + size < p->end) {
        const int64_t *pair = p->sample->pair + p->next + size;
        int64_t more = lb_pair_sample_same(p->sample, p->next + size);
        for (int64_t i = 0; i < more; i++) {
            int64_t source = lb_pairs_source_length(p->on->pairs, pair[i]),
                    target = lb_pairs_target_length(p->on->pairs, pair[i]);
            longest = source > longest ? source : longest;
            longest = target > longest ? target : longest;
        }
        if (size > 0 && (size + more) * longest * longest > MOST_CELLS) break;
        size += more;
    }
    return size;
}

/* False at the end, and after an error. */
static bool advance(pass *p)
{
    int64_t size = size_of_next(p);
    if (size == 0 || lb_tape_status(p->tape)) return false;
    if (p->sample == &p->on->sample) lb_counter_tell(&p->on->counter, p->next);
    lb_tape_reset(p->tape);
    p->batch = lb_pair_sample_batch(p->sample, p->on->pairs, p->text->source, p->text->target, p->tape,
                                    p->next, size);
    p->search.limit = lb_text_model_limit(p->text, p->batch.source.length);
    p->next += size;
    return lb_tape_status(p->tape) == LB_OK;
}

/* The pairs up to `end` of the sample; of sources, each of which counts once, the outputs alone. */
static lb_status add_pairs(pass *p, const lb_model *model, int64_t end, lb_tally *tally)
{
    const int64_t longest = lb_text_model_longest(p->text), *same = p->sample->same;
    lb_status status = LB_OK;
    p->end = end;
    while (!status && advance(p))
        status = same ? lb_tally_add_outputs(tally, model, p->batch, same + p->next - p->batch.source.batch,
                                             &p->search, longest)
                      : lb_tally_add_search(tally, model, p->batch, p->search, longest);
    return status;
}

lb_status lb_join_measure(const lb_text_model *text, const lb_model *model, const lb_tested_pairs *on,
                          lb_evaluation *found, lb_error *error)
{
    pass p = pass_of(text, on, error);
    lb_tally tally = {0};
    const lb_pair_sample *sample = &on->sample;
    p.tape = lb_tape_new();
    if (!p.tape) return lb_no_memory(error, "an ensemble");
    lb_tape_set_mode(p.tape, LB_MODE_EVALUATE);
    lb_status status = add_pairs(&p, model, sample->possible, &tally);
    if (!status) status = add_pairs(&p, model, sample->count, &tally);
    if (!status && sample->sources) {
        tally = (lb_tally){.loss = tally.loss, .tokens = tally.tokens};
        p.sample = sample->sources;
        p.next = 0;
        status = add_pairs(&p, model, p.sample->count, &tally);
    }
    if (!status) status = lb_tape_status(p.tape);
    if (status) lb_error_set(error, status, "%s", lb_tape_error(p.tape));
    lb_tape_free(p.tape);
    *found = lb_tally_evaluation(&tally, lb_pair_sample_judged(sample));
    return status;
}

/* An lb_right_outputs_fn. */
static bool next_right_outputs(void *context, lb_tape *tape, lb_tokens *source, lb_tokens *target_out,
                               lb_beam_config *search)
{
    pass *p = context;
    p->tape = tape;
    if (!advance(p)) return false;
    *source = p->batch.source;
    *target_out = p->batch.target_out;
    *search = p->search;
    return true;
}

lb_status lb_join_fit(const lb_text_model *text, lb_ensemble *ensemble, lb_params *params,
                      const lb_tested_pairs *on, lb_error *error)
{
    pass p = pass_of(text, on, error);
    return lb_ensemble_fit(ensemble, params, next_right_outputs, &p, error);
}
