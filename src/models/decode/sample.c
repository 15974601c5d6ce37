/* Ancestral sampling: draws each token from the distribution of the model. */
#include "base/transcendental.h"
#include "lookback/models.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "models/decode/model.h"

#include <math.h>

enum { MOST_DRAWS = 65536 }; /* per source; the random numbers depend on it */

/* An unfinished output. */
typedef struct draw {
    const lb_back_pointer *last;
    double log_probability;
    uint64_t number; /* of its random numbers */
    bool finished;
    int64_t steps;
} draw;

typedef struct sampling {
    lb_writing writing; /* of the unfinished outputs */
    lb_sample_config config;
    draw *draws; /* [batch, count] */
} sampling;

int32_t lb_draw(const lb_real *logits, int64_t classes, double temperature, double uniform)
{
    int32_t likeliest = lb_argmax(logits, classes);
    double largest = classes > 0 ? (double)logits[likeliest] : 0, sum = 0;
    if (!(temperature > 0)) return likeliest;
    for (int64_t i = 0; i < classes; i++) sum += lb_exp64(((double)logits[i] - largest) / temperature);
    double left = uniform * sum;
    for (int64_t i = 0; i < classes; i++) {
        left -= lb_exp64(((double)logits[i] - largest) / temperature);
        if (left < 0) return (int32_t)i;
    }
    return likeliest; /* rounding has left over a little, or nothing is a number */
}

/* Draws a token of one output. `row` is its row in the batch of the step. False if the token was the last. */
static bool write_token(const sampling *s, draw *d, int64_t row)
{
    const lb_writing *w = &s->writing;
    int64_t vocabulary = w->model->target_vocab, first = LB_FIRST_WRITTEN;
    lb_rng rng = {s->config.seed, lb_rng_stream("sample"), (uint32_t)d->steps};
    int32_t token =
        (int32_t)first + lb_draw(w->log_probabilities->data + row * vocabulary + first, vocabulary - first,
                                 s->config.temperature, lb_rng_uniform(rng, d->number));
    d->last = lb_writing_add(w, d->last, row, token);
    if (!d->last) return false;
    d->log_probability += d->last->log_probability;
    d->steps++;
    d->finished = token == LB_EOS;
    return !d->finished && d->steps < s->config.limit;
}

static void draw_all(sampling *s)
{
    lb_writing *w = &s->writing;
    int64_t count = w->source.batch * s->config.count,
            *number = lb_tape_alloc_zero(w->tape, count, sizeof *number);
    for (int64_t i = 0; i < count && number; i++) number[i] = i;
    while (number && count > 0 && lb_writing_step(w, count, s->config.stop, s->config.context)) {
        int64_t kept = 0;
        for (int64_t i = 0; i < count; i++) {
            draw *d = &s->draws[number[i]];
            if (!write_token(s, d, i)) continue;
            w->origin[kept] = i;
            w->token[kept] = d->last->token;
            number[kept++] = number[i];
        }
        count = kept;
    }
}

static lb_hypothesis *trace_all(const sampling *s)
{
    int64_t count = s->writing.source.batch * s->config.count;
    lb_hypothesis *all = lb_tape_alloc_zero(s->writing.tape, count, sizeof *all);
    for (int64_t i = 0; i < count && all; i++) {
        const draw *d = &s->draws[i];
        lb_hypothesis h = {.finished = d->finished,
                           .steps = d->steps,
                           .score = lb_score_of(d->log_probability, d->steps, s->config.length_penalty)};
        all[i] = lb_writing_trace(&s->writing, d->last, h);
    }
    return all;
}

static bool is_possible(const lb_sample_config *c, int64_t vocabulary, lb_tape *tape)
{
    if (c->count >= 1 && c->count <= MOST_DRAWS && c->limit >= 1 && c->temperature > 0 &&
        isfinite(c->temperature) && isfinite(c->length_penalty) && vocabulary > LB_EOS)
        return true;
    lb_tape_fail(tape, LB_ERROR_ARGUMENT,
                 "lb_sample: expected 1 <= count <= %d, limit >= 1, a finite temperature > 0, a finite "
                 "length_penalty and vocabulary > %d, found count %lld, limit %lld, temperature %g, "
                 "length_penalty %g, vocabulary %lld",
                 MOST_DRAWS, (int)LB_EOS, (long long)c->count, (long long)c->limit, c->temperature,
                 c->length_penalty, (long long)vocabulary);
    return false;
}

lb_beam lb_sample(const lb_model *model, lb_tokens source, lb_sample_config config)
{
    if (config.count == 0) config.count = 1;
    if (config.limit == 0) config.limit = lb_decoding_limit(source.length);
    config.limit = lb_model_limit(model, config.limit);
    if (config.temperature == 0) config.temperature = 1;
    if (config.length_penalty == 0) config.length_penalty = 1;
    lb_tape *tape = source.tape;
    int64_t all = source.batch * config.count;
    if (!is_possible(&config, model->target_vocab, tape)) return (lb_beam){0};
    sampling s = {.writing = lb_writing_begin(model, source, config.without_weights, all, config.count),
                  .config = config,
                  .draws = lb_tape_alloc_zero(tape, all, sizeof *s.draws)};
    for (int64_t i = 0; i < all && s.draws; i++) {
        uint64_t text = (uint64_t)(i / config.count), own = (uint64_t)(i % config.count);
        s.draws[i].number = (config.text ? config.text[text] : text) * MOST_DRAWS + own;
    }
    draw_all(&s);
    lb_writing_end(&s.writing);
    lb_beam result = {source.batch, config.count, lb_tape_status(tape) ? NULL : trace_all(&s)};
    if (lb_tape_status(tape)) result = (lb_beam){0};
    return result;
}
