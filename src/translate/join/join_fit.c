#include "translate/join/join_fit.h"

#include "base/alloc.h"
#include "models/ensemble/ensemble.h"
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

static lb_status open_pass(pass *p, const lb_text_model *text, const lb_tested_pairs *on, lb_error *error)
{
    int64_t symbols = lb_vocabulary_size(text->target);
    *p = (pass){.text = text,
                .on = on,
                .sample = &on->sample,
                .tape = lb_tape_new(),
                .end = on->sample.possible,
                .error = error};
    p->search = (lb_beam_config){
        .beam = symbols < BEAM ? symbols : BEAM, .length_penalty = 1, .without_weights = true};
    if (!p->tape) return lb_no_memory(error, "an ensemble");
    lb_tape_set_mode(p->tape, LB_MODE_EVALUATE);
    return LB_OK;
}

static lb_status tape_status(const pass *p)
{
    lb_status status = lb_tape_status(p->tape);
    return status ? lb_error_set(p->error, status, "%s", lb_tape_error(p->tape)) : LB_OK;
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

static bool is_right(const pass *p, int64_t row, const lb_hypothesis *h)
{
    lb_tokens out = p->batch.target_out;
    return h->finished && h->length == out.lengths[row] - 1 &&
           memcmp(h->id, out.id + row * out.length, (size_t)h->length * sizeof *h->id) == 0;
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
    pass p;
    lb_tally tally = {0};
    const lb_pair_sample *sample = &on->sample;
    lb_status status = open_pass(&p, text, on, error);
    if (!status) status = add_pairs(&p, model, sample->possible, &tally);
    if (!status) status = add_pairs(&p, model, sample->count, &tally);
    if (!status && sample->sources) {
        tally = (lb_tally){.loss = tally.loss, .tokens = tally.tokens};
        p.sample = sample->sources;
        p.next = 0;
        status = add_pairs(&p, model, p.sample->count, &tally);
    }
    status = p.tape ? tape_status(&p) : status;
    lb_tape_free(p.tape);
    *found = lb_tally_evaluation(&tally, lb_pair_sample_judged(sample));
    return status;
}

/* Copies the scores of a row, which live on the tape. */
static bool keep_case(const pass *p, const lb_vote_pool *pool, int64_t row, int members, lb_arena *memory,
                      lb_vote_case *to)
{
    size_t bytes = (size_t)(pool->count[row] * members) * sizeof(double);
    double *score = lb_arena_alloc(memory, bytes);
    if (!score) return false;
    memcpy(score, pool->score + row * pool->most * members, bytes);
    *to = (lb_vote_case){.score = score, .count = pool->count[row], .right = -1};
    for (int64_t i = 0; i < pool->count[row]; i++)
        if (is_right(p, row, &pool->hypothesis[row * pool->most + i])) to->right = i;
    return true;
}

static lb_status gather_cases(pass *p, const lb_ensemble *ensemble, lb_arena *memory, lb_vote_case *cases,
                              int64_t *count)
{
    while (advance(p)) {
        lb_vote_pool pool = lb_vote_gather(ensemble, p->batch.source, p->search);
        for (int64_t row = 0; row < pool.batch && p->batch.target_out.lengths; row++)
            if (!keep_case(p, &pool, row, (int)ensemble->count, memory, &cases[(*count)++]))
                return lb_no_memory(p->error, "an ensemble");
    }
    return tape_status(p);
}

lb_status lb_join_fit(const lb_text_model *text, const lb_ensemble *ensemble, const lb_tested_pairs *on,
                      double *weight, lb_error *error)
{
    pass p;
    int64_t count = 0;
    lb_status status = open_pass(&p, text, on, error);
    lb_arena *memory = lb_arena_new();
    lb_vote_case *cases = lb_alloc((size_t)(on->sample.possible + 1) * sizeof *cases);
    if (!status && (!memory || !cases)) status = lb_no_memory(error, "an ensemble");
    if (!status) status = gather_cases(&p, ensemble, memory, cases, &count);
    if (!status) lb_vote_fit(cases, count, (int)ensemble->count, weight);
    lb_release(cases);
    lb_arena_free(memory);
    lb_tape_free(p.tape);
    return status;
}
