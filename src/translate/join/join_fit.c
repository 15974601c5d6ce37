#include "translate/join/join_fit.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "data/pairs.h"
#include "models/ensemble/ensemble.h"
#include "train/evaluate.h"

#include <string.h>

enum { BEAM = 5, ROWS = 32, MOST_CELLS = 1 << 15 };

/* A walk over the pairs of the sample, batch by batch. */
typedef struct walk {
    const lb_text_model *text;
    lb_training_data *data;
    const lb_pair_sample *sample; /* of the data, or its sources */
    lb_tape *tape;
    int64_t next, end; /* of the sample */
    lb_batch batch;
    lb_beam_config search;
    lb_error *error;
} walk;

static lb_status open_walk(walk *w, const lb_text_model *text, lb_training_data *data, lb_error *error)
{
    int64_t symbols = lb_vocabulary_size(text->target);
    *w = (walk){.text = text,
                .data = data,
                .sample = &data->sample,
                .tape = lb_tape_new(),
                .end = data->sample.possible,
                .error = error};
    w->search = (lb_beam_config){
        .beam = symbols < BEAM ? symbols : BEAM, .length_penalty = 1, .without_weights = true};
    if (!w->tape) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an ensemble");
    lb_tape_set_mode(w->tape, LB_MODE_EVALUATE);
    return LB_OK;
}

static lb_status tape_status(const walk *w)
{
    lb_status status = lb_tape_status(w->tape);
    return status ? lb_error_set(w->error, status, "%s", lb_tape_error(w->tape)) : LB_OK;
}

/* Long pairs get smaller batches. */
static int64_t size_of_next(const walk *w)
{
    int64_t size = 0, longest = 0;
    while (size < ROWS && w->next + size < w->end) {
        const int64_t *pair = w->sample->pair + w->next + size;
        int64_t more = lb_pair_sample_same(w->sample, w->next + size);
        for (int64_t i = 0; i < more; i++) {
            int64_t source = lb_pairs_source_length(w->data->dev, pair[i]),
                    target = lb_pairs_target_length(w->data->dev, pair[i]);
            longest = source > longest ? source : longest;
            longest = target > longest ? target : longest;
        }
        if (size > 0 && (size + more) * longest * longest > MOST_CELLS) break;
        size += more;
    }
    return size;
}

/* False at the end, and after an error. */
static bool advance(walk *w)
{
    int64_t size = size_of_next(w);
    if (size == 0 || lb_tape_status(w->tape)) return false;
    if (w->sample == &w->data->sample) lb_counter_tell(&w->data->counter, w->next);
    lb_tape_reset(w->tape);
    w->batch = lb_pair_sample_batch(w->sample, w->data->dev, w->text->source, w->text->target, w->tape,
                                    w->next, size);
    w->search.limit = lb_text_model_limit(w->text, w->batch.source.length);
    w->next += size;
    return lb_tape_status(w->tape) == LB_OK;
}

static bool is_right(const walk *w, int64_t row, const lb_hypothesis *h)
{
    lb_tokens out = w->batch.target_out;
    return h->finished && h->length == out.lengths[row] - 1 &&
           memcmp(h->id, out.id + row * out.length, (size_t)h->length * sizeof *h->id) == 0;
}

/* The outputs alone, up to `end` of the sample. */
static lb_status add_outputs(walk *w, const lb_model *model, int64_t end, lb_tally *tally)
{
    lb_status status = LB_OK;
    w->end = end;
    while (!status && advance(w)) {
        const int64_t *same = w->sample->same ? w->sample->same + w->next - w->batch.source.batch : NULL;
        status =
            lb_tally_add_outputs(tally, model, w->batch, same, &w->search, lb_text_model_longest(w->text));
    }
    return status;
}

static lb_status add_sources(walk *w, const lb_model *model, lb_tally *tally)
{
    *tally = (lb_tally){.loss = tally->loss, .tokens = tally->tokens};
    w->sample = w->sample->sources;
    w->next = 0;
    return add_outputs(w, model, w->sample->count, tally);
}

lb_status lb_join_measure(const lb_text_model *text, const lb_model *model, lb_training_data *data,
                          lb_evaluation *found, lb_error *error)
{
    walk w;
    lb_tally tally = {0};
    const lb_pair_sample *sample = &data->sample;
    lb_status status = open_walk(&w, text, data, error);
    while (!status && advance(&w))
        status = lb_tally_add_search(&tally, model, w.batch, w.search, lb_text_model_longest(text));
    if (!status)
        status =
            sample->sources ? add_sources(&w, model, &tally) : add_outputs(&w, model, sample->count, &tally);
    status = w.tape ? tape_status(&w) : status;
    lb_tape_free(w.tape);
    *found = lb_tally_evaluation(&tally, lb_pair_sample_judged(sample));
    return status;
}

/* Copies the scores of a row, which live on the tape. */
static bool keep_case(const walk *w, const lb_vote_pool *pool, int64_t row, int members, lb_arena *memory,
                      lb_vote_case *to)
{
    size_t bytes = (size_t)(pool->count[row] * members) * sizeof(double);
    double *score = lb_arena_alloc(memory, bytes);
    if (!score) return false;
    memcpy(score, pool->score + row * pool->most * members, bytes);
    *to = (lb_vote_case){.score = score, .count = pool->count[row], .right = -1};
    for (int64_t i = 0; i < pool->count[row]; i++)
        if (is_right(w, row, &pool->hypothesis[row * pool->most + i])) to->right = i;
    return true;
}

static lb_status gather_cases(walk *w, const lb_ensemble *ensemble, lb_arena *memory, lb_vote_case *cases,
                              int64_t *count)
{
    while (advance(w)) {
        lb_vote_pool pool = lb_vote_gather(ensemble, w->batch.source, w->search);
        for (int64_t row = 0; row < pool.batch && w->batch.target_out.lengths; row++)
            if (!keep_case(w, &pool, row, (int)ensemble->count, memory, &cases[(*count)++]))
                return lb_error_set(w->error, LB_ERROR_MEMORY, "out of memory for an ensemble");
    }
    return tape_status(w);
}

lb_status lb_join_fit(const lb_text_model *text, const lb_ensemble *ensemble, lb_training_data *data,
                      double *weight, lb_error *error)
{
    walk w;
    int64_t count = 0;
    lb_status status = open_walk(&w, text, data, error);
    lb_arena *memory = lb_arena_new();
    lb_vote_case *cases = lb_alloc((size_t)(data->sample.possible + 1) * sizeof *cases);
    if (!status && (!memory || !cases))
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an ensemble");
    if (!status) status = gather_cases(&w, ensemble, memory, cases, &count);
    if (!status) lb_vote_fit(cases, count, (int)ensemble->count, weight);
    lb_release(cases);
    lb_arena_free(memory);
    lb_tape_free(w.tape);
    return status;
}
