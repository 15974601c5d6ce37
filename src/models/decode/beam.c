/* Beam search over the hypotheses of each source, for lb_beam_search. */
#include "lookback/models.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "models/decode/model.h"

#include <math.h>
#include <string.h>

/* A search that has its outputs waits for better ones of up to 264 tokens, or 33 for each symbol of the source if that
 * is more: at least any default limit, see lb_text_model_limit. A near horizon is that of lb_decoding_limit. */
enum { HORIZON = 264, HORIZON_RATIO = 33 };

/* An unfinished hypothesis. */
typedef struct live {
    const lb_back_pointer *last;
    double log_probability;
    bool greedy; /* the likeliest token was taken at every step */
} live;

typedef struct candidate {
    int64_t from; /* which of the row's live hypotheses */
    int32_t token;
    double log_probability;
    bool greedy;
} candidate;

/* A hypothesis that has ended, or was cut off. */
typedef struct ended {
    const lb_back_pointer *last;
    lb_hypothesis hypothesis; /* without what the links have */
} ended;

typedef struct search {
    lb_writing writing; /* all live hypotheses, in order */
    lb_beam_config config;
    int64_t batch, vocabulary;
    live *live;            /* [batch, beam] */
    int64_t *live_count;   /* [batch] */
    ended *done;           /* [batch, n_best]: the best first */
    int64_t *done_count;   /* [batch] */
    candidate *candidates; /* [2 beam] */
    bool *impossible;      /* [batch] whether some continuation of the row had the probability 0 */
} search;

/* Keeps the best candidates in order; an earlier one wins a tie, as in greedy decoding. */
static int64_t offer(candidate *best, int64_t count, int64_t room, candidate offered)
{
    if (count == room && offered.log_probability <= best[count - 1].log_probability) return count;
    int64_t at = count < room ? count : room - 1;
    for (; at > 0 && offered.log_probability > best[at - 1].log_probability; at--) best[at] = best[at - 1];
    best[at] = offered;
    return count < room ? count + 1 : room;
}

/* Keeps a hypothesis of `steps` tokens if it is one of the best. */
static void finish(search *s, int64_t row, live last, int64_t steps, bool finished)
{
    ended *done = s->done + row * s->config.n_best;
    int64_t room = s->config.n_best, at = s->done_count[row];
    double score = lb_score_of(last.log_probability, steps, s->config.length_penalty);
    lb_hypothesis h = {.finished = finished, .steps = steps, .score = score};
    if (at == room && !lb_hypothesis_is_better(&h, &done[--at].hypothesis)) return;
    for (; at > 0 && lb_hypothesis_is_better(&h, &done[at - 1].hypothesis); at--) done[at] = done[at - 1];
    done[at] = (ended){last.last, h};
    if (s->done_count[row] < room) s->done_count[row]++;
}

/* Whether no continuation can score better than the finished hypotheses of the row, up to the horizon. A
 * log-probability only falls, and at best it is divided by the greatest length. Without a horizon, a large limit would
 * raise every such score towards 0, and the search would take as many steps as that limit says. */
static bool is_hopeless(const search *s, int64_t row, int64_t steps, double log_probability)
{
    if (s->done_count[row] < s->config.n_best) return false;
    int64_t source = s->writing.source.lengths[row], horizon = HORIZON_RATIO * source;
    if (horizon < HORIZON) horizon = HORIZON;
    if (s->config.near_horizon) horizon = lb_decoding_limit(source);
    int64_t length = horizon < s->config.limit ? horizon : s->config.limit;
    double worst = s->done[(row + 1) * s->config.n_best - 1].hypothesis.score;
    return steps >= horizon || lb_score_of(log_probability, length, s->config.length_penalty) <= worst;
}

/* Keeps the greedy candidate within the beam, so that the search never scores below greedy decoding. */
static int64_t promote_greedy(search *s, int64_t count, candidate greedy)
{
    int64_t last = s->config.beam - 1, at = 0;
    while (at < count && !s->candidates[at].greedy) at++;
    if (at <= last && at < count) return count;
    if (at == count) at = count < 2 * s->config.beam ? count++ : count - 1;
    for (; at > last; at--) s->candidates[at] = s->candidates[at - 1];
    s->candidates[at] = greedy;
    return count;
}

/* The 2 beam likeliest continuations of a row's live hypotheses: even if half of them end, a whole beam continues. */
static int64_t find_candidates(search *s, int64_t row, int64_t steps, const lb_real *log_probabilities)
{
    int64_t count = 0, first = LB_FIRST_WRITTEN, end = s->vocabulary;
    if (s->config.prefix && steps <= s->config.prefix_length[row]) {
        first = s->config.prefix[row][steps - 1];
        end = first + 1;
    }
    candidate greedy = {0};
    for (int64_t from = 0; from < s->live_count[row]; from++) {
        const live *l = &s->live[row * s->config.beam + from];
        const lb_real *added = log_probabilities + from * s->vocabulary;
        int64_t likeliest = !l->greedy         ? -1
                            : end == first + 1 ? first
                                               : lb_model_likeliest(added, s->vocabulary);
        for (int64_t token = first; token < end; token++) {
            if (added[token] == -(lb_real)INFINITY) {
                s->impossible[row] = true;
                continue;
            }
            candidate c = {from, (int32_t)token, l->log_probability + (double)added[token],
                           token == likeliest};
            count = offer(s->candidates, count, 2 * s->config.beam, c);
            if (c.greedy) greedy = c;
        }
    }
    return greedy.greedy ? promote_greedy(s, count, greedy) : count;
}

/* Extends a row by its `steps`th token. At the limit, all ends among the candidates count, since nothing else is an
 * answer, unless the beam is 1, as in greedy decoding. `first` is the first hypothesis of the row in the batch of the
 * step, `others` how many hypotheses of the rows before continue. Returns how many continue. */
static int64_t advance(search *s, int64_t row, int64_t first, int64_t others, int64_t steps)
{
    lb_writing *w = &s->writing;
    int64_t beam = s->config.beam, kept = 0;
    int64_t found = find_candidates(s, row, steps, w->log_probabilities->data + first * s->vocabulary);
    bool last = steps == s->config.limit && beam > 1;
    live *going = lb_tape_alloc_zero(w->tape, beam, sizeof *going);
    if (!going) return 0;
    for (int64_t i = 0; i < found && (kept < beam || last); i++) {
        candidate c = s->candidates[i];
        bool ends = c.token == LB_EOS;
        if (ends ? i >= beam && !last : kept == beam || is_hopeless(s, row, steps, c.log_probability))
            continue;
        live next = {lb_writing_add(w, s->live[row * beam + c.from].last, first + c.from, c.token),
                     c.log_probability, c.greedy};
        if (!next.last) return 0;
        if (ends) {
            finish(s, row, next, steps, true);
        } else {
            w->origin[others + kept] = first + c.from;
            w->token[others + kept] = c.token;
            going[kept++] = next;
        }
    }
    if (beam == 1 && s->done_count[row]) kept = 0; /* as in greedy decoding */
    memcpy(s->live + row * beam, going, (size_t)kept * sizeof *going);
    s->live_count[row] = kept;
    return kept;
}

static void search_all(search *s)
{
    int64_t count = s->batch;
    for (int64_t row = 0; row < count; row++) {
        s->live_count[row] = 1;
        s->live[row * s->config.beam].greedy = true;
    }
    for (int64_t t = 0; t < s->config.limit && count > 0; t++) {
        if (!lb_writing_step(&s->writing, count, s->config.stop, s->config.context)) return;
        int64_t first = 0;
        count = 0;
        for (int64_t row = 0; row < s->batch; row++) {
            int64_t before = s->live_count[row];
            if (before) count += advance(s, row, first, count, t + 1);
            first += before;
        }
    }
    for (int64_t row = 0; row < s->batch; row++)
        for (int64_t h = 0; h < s->live_count[row]; h++)
            finish(s, row, s->live[row * s->config.beam + h], s->config.limit, false);
}

/* If there are fewer outputs than are asked for, that is an error, unless the others are impossible. */
static lb_hypothesis *trace_all(const search *s)
{
    int64_t n_best = s->config.n_best;
    lb_tape *tape = s->writing.tape;
    lb_hypothesis *all = lb_tape_alloc_zero(tape, s->batch * n_best, sizeof *all);
    for (int64_t row = 0; row < s->batch && all; row++) {
        int64_t found = s->done_count[row];
        for (int64_t i = row * n_best; i < (row + 1) * n_best; i++) {
            if (i < row * n_best + found)
                all[i] = lb_writing_trace(&s->writing, s->done[i].last, s->done[i].hypothesis);
            else
                all[i].score = (double)-INFINITY;
        }
        if (found < n_best && (found == 0 || !s->impossible[row]))
            lb_tape_fail(
                tape, LB_ERROR_ARGUMENT,
                "lb_beam_search: expected n_best %lld, found only %lld outputs of at most %lld tokens",
                (long long)n_best, (long long)found, (long long)s->config.limit);
    }
    return all;
}

static bool is_possible(const lb_beam_config *c, int64_t vocabulary, lb_tape *tape)
{
    if (c->beam >= 1 && c->limit >= 1 && c->n_best >= 1 && c->n_best <= c->beam && vocabulary > LB_EOS &&
        isfinite(c->length_penalty))
        return true;
    lb_tape_fail(
        tape, LB_ERROR_ARGUMENT,
        "lb_beam_search: expected 1 <= n_best <= beam, limit >= 1, vocabulary > %d and a finite "
        "length_penalty, found n_best %lld, beam %lld, vocabulary %lld, limit %lld, length_penalty %g",
        (int)LB_EOS, (long long)c->n_best, (long long)c->beam, (long long)vocabulary, (long long)c->limit,
        c->length_penalty);
    return false;
}

lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config)
{
    if (config.beam == 0) config.beam = 1;
    if (config.n_best == 0) config.n_best = config.beam;
    if (config.limit == 0) config.limit = lb_decoding_limit(source.length);
    config.limit = lb_model_limit(model, config.limit);
    if (config.length_penalty == 0) config.length_penalty = 1;
    lb_tape *tape = source.tape;
    int64_t batch = source.batch, all = batch * config.beam;
    if (!is_possible(&config, model->target_vocab, tape)) return (lb_beam){0};
    if (config.prefix && (model->kind->search || model->from_end)) {
        lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_beam_search: expected no prefix, since the model %s",
                     model->kind->search ? "votes" : "writes backwards");
        return (lb_beam){0};
    }
    if (model->kind->search) return model->kind->search(model, source, config);
    search s = {.writing = lb_writing_begin(model, source, config.without_weights, all, 1),
                .config = config,
                .batch = batch,
                .vocabulary = model->target_vocab,
                .live = lb_tape_alloc_zero(tape, all, sizeof *s.live),
                .done = lb_tape_alloc_zero(tape, batch * config.n_best, sizeof *s.done),
                .live_count = lb_tape_alloc_zero(tape, batch, sizeof *s.live_count),
                .done_count = lb_tape_alloc_zero(tape, batch, sizeof *s.done_count),
                .candidates = lb_tape_alloc_zero(tape, 2 * config.beam, sizeof *s.candidates),
                .impossible = lb_tape_alloc_zero(tape, batch, sizeof *s.impossible)};
    if (lb_tape_status(tape) == LB_OK) search_all(&s);
    lb_writing_end(&s.writing);
    lb_beam result = {batch, config.n_best, lb_tape_status(tape) ? NULL : trace_all(&s)};
    if (lb_tape_status(tape)) result = (lb_beam){0};
    return result;
}
