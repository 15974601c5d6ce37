/* Ancestral sampling: draws each token from the distribution of the model. */
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
    const lb_model *model;
    lb_tape *tape;
    lb_sample_config config;
    lb_tokens source;
    int64_t maps; /* of attention; 0: the outputs have none */
    draw *draws;  /* [batch, count] */
} sampling;

int32_t lb_draw(const lb_real *logits, int64_t classes, double temperature, double uniform)
{
    int32_t likeliest = lb_argmax(logits, classes);
    double largest = classes > 0 ? (double)logits[likeliest] : 0, sum = 0;
    if (!(temperature > 0)) return likeliest;
    for (int64_t i = 0; i < classes; i++) sum += exp(((double)logits[i] - largest) / temperature);
    double left = uniform * sum;
    for (int64_t i = 0; i < classes; i++) {
        left -= exp(((double)logits[i] - largest) / temperature);
        if (left < 0) return (int32_t)i;
    }
    return likeliest; /* rounding has left over a little, or nothing is a number */
}

/* Draws a token of one output. `row` is its row in the batch of the step. False if the token was the last. */
static bool write_token(const sampling *s, draw *d, int64_t row, const lb_model_step *step,
                        const lb_tensor *log_probabilities)
{
    const lb_real *x = log_probabilities->data + row * s->model->target_vocab;
    lb_rng rng = {s->config.seed, lb_rng_stream("sample"), (uint32_t)d->steps};
    int64_t first = LB_FIRST_WRITTEN;
    int32_t token = (int32_t)first + lb_draw(x + first, s->model->target_vocab - first, s->config.temperature,
                                             lb_rng_uniform(rng, d->number));
    int64_t map = s->maps * s->source.length;
    lb_back_pointer n = {.before = d->last, .token = token, .log_probability = (double)x[token]};
    if (map) n.weights = step->weights->data + row * map;
    d->last = lb_back_pointer_new(s->tape, n, map);
    if (!d->last) return false;
    d->log_probability += n.log_probability;
    d->steps++;
    d->finished = token == LB_EOS;
    return !d->finished && d->steps < s->config.limit;
}

static void draw_all(const sampling *s)
{
    int64_t count = s->source.batch * s->config.count;
    int64_t *writing = lb_tape_alloc_zero(s->tape, count, sizeof *writing),
            *origin = lb_tape_alloc_zero(s->tape, count, sizeof *origin);
    int32_t *token = lb_tape_alloc_zero(s->tape, count, sizeof *token);
    lb_decoder_state state = lb_model_encode(s->model, s->source);
    if (!writing || !origin || !token) return; /* as the tape says */
    for (int64_t i = 0; i < count; i++) {
        origin[i] = i / s->config.count;
        writing[i] = i;
        token[i] = LB_BOS;
    }
    while (count > 0 && lb_tape_status(s->tape) == LB_OK) {
        if (lb_model_stops(s->tape, s->config.stop, s->config.context)) return;
        lb_tape_begin_step(s->tape, false);
        lb_model_step step =
            lb_model_extend(s->model, s->tape, state, origin, token, count, s->source.length);
        lb_tensor *log_probabilities = lb_model_log_probabilities(s->model, step.logits);
        if (lb_tape_status(s->tape)) return;
        int64_t kept = 0;
        for (int64_t i = 0; i < count; i++) {
            if (!write_token(s, &s->draws[writing[i]], i, &step, log_probabilities)) continue;
            origin[kept] = i;
            token[kept] = s->draws[writing[i]].last->token;
            writing[kept++] = writing[i];
        }
        count = kept;
        state = step.state;
    }
}

static lb_hypothesis *trace_all(const sampling *s)
{
    int64_t count = s->source.batch * s->config.count;
    lb_hypothesis *all = lb_tape_alloc_zero(s->tape, count, sizeof *all);
    for (int64_t i = 0; i < count && all; i++) {
        const draw *d = &s->draws[i];
        lb_hypothesis h = {.finished = d->finished,
                           .steps = d->steps,
                           .score = lb_score_of(d->log_probability, d->steps, s->config.length_penalty)};
        all[i] = lb_back_pointer_trace(s->model, s->tape, d->last, h, s->maps, s->source.length);
    }
    return all;
}

static bool is_possible(const sampling *s)
{
    const lb_sample_config *c = &s->config;
    if (c->count >= 1 && c->count <= MOST_DRAWS && c->limit >= 1 && c->temperature > 0 &&
        isfinite(c->temperature) && isfinite(c->length_penalty) && s->model->target_vocab > LB_EOS)
        return true;
    lb_tape_fail(s->tape, LB_ERROR_ARGUMENT,
                 "lb_sample: expected 1 <= count <= %d, limit >= 1, a finite temperature > 0, a finite "
                 "length_penalty and vocabulary > %d, found count %lld, limit %lld, temperature %g, "
                 "length_penalty %g, vocabulary %lld",
                 MOST_DRAWS, (int)LB_EOS, (long long)c->count, (long long)c->limit, c->temperature,
                 c->length_penalty, (long long)s->model->target_vocab);
    return false;
}

lb_beam lb_sample(const lb_model *model, lb_tokens source, lb_sample_config config)
{
    if (config.count == 0) config.count = 1;
    if (config.limit == 0) config.limit = 2 * source.length + 8;
    config.limit = lb_model_limit(model, config.limit);
    if (config.temperature == 0) config.temperature = 1;
    if (config.length_penalty == 0) config.length_penalty = 1;
    sampling s = {.model = model,
                  .tape = source.tape,
                  .config = config,
                  .source = source,
                  .maps = config.without_weights ? 0 : model->layers * model->heads};
    if (!is_possible(&s)) return (lb_beam){0};
    s.draws = lb_tape_alloc_zero(s.tape, source.batch * config.count, sizeof *s.draws);
    if (lb_tape_status(s.tape)) return (lb_beam){0};
    for (int64_t i = 0; i < source.batch * config.count; i++) {
        uint64_t text = (uint64_t)(i / config.count), own = (uint64_t)(i % config.count);
        s.draws[i].number = (config.text ? config.text[text] : text) * MOST_DRAWS + own;
    }
    lb_mode mode = lb_tape_mode(s.tape);
    lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
    draw_all(&s);
    lb_tape_end_steps(s.tape);
    lb_hypothesis *all = lb_tape_status(s.tape) ? NULL : trace_all(&s);
    lb_tape_set_mode(s.tape, mode);
    if (lb_tape_status(s.tape)) return (lb_beam){0};
    return (lb_beam){source.batch, config.count, all};
}
