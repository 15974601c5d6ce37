#include "lookback/models.h"

#include "lookback/op.h"
#include "models/model.h"

#include <math.h>
#include <string.h>

/* One step of one hypothesis, linked to the step before: the way back from an end to its beginning. */
typedef struct node {
    const struct node *before; /* NULL at the first token */
    int32_t token;
    const lb_real *weights; /* [maps, source length]; NULL without attention */
} node;

/* A hypothesis that is still being written. */
typedef struct live {
    const node *last;
    double log_probability;
} live;

typedef struct candidate {
    int64_t from; /* which of the row's live hypotheses */
    int32_t token;
    double log_probability;
} candidate;

typedef struct search {
    const lb_model *model;
    lb_tape *tape;
    lb_beam_config config;
    lb_tokens source;
    int64_t maps; /* of attention: layers times heads */
    int64_t vocabulary;
    live *live;            /* [batch, beam] */
    int64_t *live_count;   /* [batch] */
    lb_hypothesis *done;   /* [batch, beam]: the best first */
    int64_t *done_count;   /* [batch] */
    candidate *candidates; /* [2 beam] */
} search;

static void *grab(const search *s, int64_t count, size_t size)
{
    void *memory = lb_tape_alloc(s->tape, (size_t)count * size);
    if (memory) memset(memory, 0, (size_t)count * size);
    return memory;
}

static double normalised(const search *s, double log_probability, int64_t tokens)
{
    double penalty = s->config.length_penalty < 0 ? 0 : s->config.length_penalty;
    return log_probability / pow((double)tokens, penalty);
}

/* Keeps the best candidates in order; an earlier one wins a tie, as in greedy decoding. */
static int64_t offer(candidate *best, int64_t count, int64_t room, candidate offered)
{
    if (count == room && offered.log_probability <= best[count - 1].log_probability) return count;
    int64_t at = count < room ? count : room - 1;
    for (; at > 0 && offered.log_probability > best[at - 1].log_probability; at--) best[at] = best[at - 1];
    best[at] = offered;
    return count < room ? count + 1 : room;
}

static lb_hypothesis trace(const search *s, const node *last, double log_probability, bool finished)
{
    lb_hypothesis h = {.finished = finished};
    for (const node *n = last; n; n = n->before) h.steps++;
    h.length = h.steps - (finished ? 1 : 0);
    h.score = normalised(s, log_probability, h.steps);
    h.id = grab(s, h.length, sizeof *h.id);
    int64_t width = s->source.length;
    if (s->maps) h.weights = grab(s, s->maps * h.steps * width, sizeof *h.weights);
    if (lb_tape_status(s->tape)) return h;
    int64_t t = h.steps - 1;
    for (const node *n = last; n; n = n->before, t--) {
        if (t < h.length) h.id[t] = n->token;
        for (int64_t map = 0; n->weights && map < s->maps; map++)
            memcpy(h.weights + (map * h.steps + t) * width, n->weights + map * width,
                   (size_t)width * sizeof *h.weights);
    }
    return h;
}

/* One that was cut off can be very sure of itself, above all where it turns in circles; it is no answer for that. */
static bool is_better(const lb_hypothesis *a, const lb_hypothesis *b)
{
    return a->finished != b->finished ? a->finished : a->score > b->score;
}

static void finish(search *s, int64_t row, lb_hypothesis h)
{
    lb_hypothesis *done = s->done + row * s->config.beam;
    int64_t at = s->done_count[row]++;
    for (; at > 0 && is_better(&h, &done[at - 1]); at--) done[at] = done[at - 1];
    done[at] = h;
}

/* The 2 beam likeliest ways on from a row's live hypotheses: even if half of them end, a whole beam goes on. */
static int64_t find_candidates(search *s, int64_t row, const lb_real *log_probabilities)
{
    int64_t count = 0;
    for (int64_t from = 0; from < s->live_count[row]; from++)
        for (int64_t token = 0; token < s->vocabulary; token++) {
            double added = (double)log_probabilities[from * s->vocabulary + token];
            candidate c = {from, (int32_t)token,
                           s->live[row * s->config.beam + from].log_probability + added};
            count = offer(s->candidates, count, 2 * s->config.beam, c);
        }
    return count;
}

/* Moves a row one token on. `first` is the row's first hypothesis in the step's batch; `origin` receives, for each that
 * goes on, the place in the batch that it came from. Returns how many go on. */
static int64_t advance(search *s, int64_t row, int64_t first, const lb_model_step *step,
                       const lb_tensor *log_probabilities, int64_t *origin)
{
    int64_t beam = s->config.beam, map = s->maps * s->source.length, kept = 0;
    int64_t found = find_candidates(s, row, log_probabilities->data + first * s->vocabulary);
    live *going = grab(s, beam, sizeof *going);
    if (!going) return 0;
    for (int64_t i = 0; i < found && kept < beam && s->done_count[row] < beam; i++) {
        candidate c = s->candidates[i];
        node *n = grab(s, 1, sizeof *n);
        if (!n) return 0;
        *n = (node){.before = s->live[row * beam + c.from].last, .token = c.token};
        if (map) n->weights = step->weights->data + (first + c.from) * map;
        if (c.token != LB_EOS) {
            origin[kept] = first + c.from;
            going[kept++] = (live){n, c.log_probability};
        } else if (i < beam) {
            finish(s, row, trace(s, n, c.log_probability, true));
        }
    }
    if (s->done_count[row] == beam) kept = 0;
    memcpy(s->live + row * beam, going, (size_t)kept * sizeof *going);
    s->live_count[row] = kept;
    return kept;
}

/* What the decoder needs of the hypotheses that go on. */
typedef struct frontier {
    lb_decoder_state state;
    lb_tokens next;
    int64_t count;
} frontier;

static frontier select_frontier(const search *s, lb_decoder_state state, const int64_t *origin, int64_t count)
{
    frontier f = {.state = s->model->kind->select(s->model, s->tape, state, origin, count), .count = count};
    int32_t *id, *lengths;
    f.next = lb_tokens_new(s->tape, count, 1, &id, &lengths);
    for (int64_t i = 0, at = 0; i < s->source.batch && id; i++)
        for (int64_t h = 0; h < s->live_count[i]; h++, at++) {
            const node *last = s->live[i * s->config.beam + h].last;
            id[at] = last ? last->token : LB_BOS;
            lengths[at] = 1;
        }
    return f;
}

static void search_all(search *s)
{
    lb_decoder_state encoded = s->model->kind->encode(s->model, s->source);
    int64_t *origin = grab(s, s->source.batch * s->config.beam, sizeof *origin), count = s->source.batch;
    if (lb_tape_status(s->tape)) return;
    for (int64_t row = 0; row < count; row++) {
        origin[row] = row;
        s->live_count[row] = 1;
    }
    frontier f = select_frontier(s, encoded, origin, count);
    for (int64_t t = 0; t < s->config.limit && f.count > 0 && lb_tape_status(s->tape) == LB_OK; t++) {
        lb_model_step step = lb_model_decode(s->model, f.state, f.next, s->source.length);
        lb_tensor *log_probabilities = lb_log_softmax(step.logits);
        if (lb_tape_status(s->tape)) return;
        int64_t first = 0, kept = 0;
        for (int64_t row = 0; row < s->source.batch; row++) {
            int64_t before = s->live_count[row];
            if (before) kept += advance(s, row, first, &step, log_probabilities, origin + kept);
            first += before;
        }
        f = select_frontier(s, step.state, origin, kept);
    }
    for (int64_t row = 0; row < s->source.batch; row++)
        for (int64_t h = 0; h < s->live_count[row] && s->done_count[row] < s->config.beam; h++) {
            live l = s->live[row * s->config.beam + h];
            finish(s, row, trace(s, l.last, l.log_probability, false));
        }
}

static bool is_possible(const search *s)
{
    const lb_beam_config *c = &s->config;
    if (c->beam >= 1 && c->limit >= 1 && c->beam <= s->vocabulary) return true;
    lb_tape_fail(s->tape, LB_ERROR_ARGUMENT,
                 "lb_beam_search: a beam of %lld and %lld tokens at most out of %lld symbols",
                 (long long)c->beam, (long long)c->limit, (long long)s->vocabulary);
    return false;
}

lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config)
{
    if (config.beam == 0) config.beam = 1;
    if (config.limit == 0) config.limit = 2 * source.length + 8;
    if (config.length_penalty == 0) config.length_penalty = 1;
    search s = {.model = model, .tape = source.tape, .config = config, .source = source};
    s.maps = model->layers * model->heads;
    s.vocabulary = model->target_vocab;
    if (!is_possible(&s)) return (lb_beam){0};
    int64_t all = source.batch * config.beam;
    s.live = grab(&s, all, sizeof *s.live);
    s.done = grab(&s, all, sizeof *s.done);
    s.live_count = grab(&s, source.batch, sizeof *s.live_count);
    s.done_count = grab(&s, source.batch, sizeof *s.done_count);
    s.candidates = grab(&s, 2 * config.beam, sizeof *s.candidates);
    lb_mode mode = lb_tape_mode(source.tape);
    lb_tape_set_mode(source.tape, LB_MODE_EVALUATE);
    if (lb_tape_status(source.tape) == LB_OK) search_all(&s);
    lb_tape_set_mode(source.tape, mode);
    if (lb_tape_status(source.tape)) return (lb_beam){0};
    return (lb_beam){source.batch, config.beam, s.done};
}
