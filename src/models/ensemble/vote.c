/* Members that vote: their hypotheses are pooled, each scores all of them, and their weights are learned from outputs
 * that are known to be right. For lb_beam_search, lb_forced_decode and lb_ensemble_fit. */
#include "models/ensemble/ensemble.h"

#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/op.h"
#include "models/decode/model.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 2 };

/* A member whose attention excludes a symbol finds it impossible. It is then outvoted, not the only one that counts. */
static const double LEAST = -1e3;

/* The pool while it is being made. */
typedef struct gathering {
    const lb_ensemble *ensemble;
    lb_beam_config config;
    lb_tokens source;
    lb_tape *tape;
    lb_tape *scratch; /* of one search, or of one member */
    lb_vote_pool pool;
    int64_t *row;      /* [total] the source of each hypothesis */
    lb_hypothesis **h; /* [total] */
    int64_t total, longest;
} gathering;

/* The members of one direction as an ensemble of its own; without members, if there are none. */
static lb_ensemble group_of(const gathering *g, bool backward)
{
    const lb_ensemble *e = g->ensemble;
    lb_ensemble group = {.count = 0};
    const lb_model **member = lb_tape_alloc_zero(g->tape, e->count, sizeof *member);
    double *weight = lb_tape_alloc_zero(g->tape, e->count, sizeof *weight), sum = 0;
    if (!member || !weight) return group;
    int count = 0;
    for (int i = 0; i < e->count; i++) {
        if (e->member[i]->from_end != backward) continue;
        member[count] = e->member[i];
        sum += weight[count++] = lb_ensemble_weight(e, i);
    }
    if (count == 0 || lb_ensemble_init(&group, member, count, NULL)) return group;
    /* Members whose weight is 0 still look for hypotheses. */
    for (int i = 0; i < count; i++) weight[i] = sum > 0 ? weight[i] / sum : 1 / (double)count;
    if (e->weight) group.weight = weight;
    return group;
}

/* The same arrays, for ops that need not last. */
static lb_tokens on_scratch(const gathering *g, lb_tokens tokens)
{
    tokens.tape = g->scratch;
    return tokens;
}

/* Frees what a search or a member needed. */
static bool end_scratch(const gathering *g)
{
    lb_status status = lb_tape_status(g->scratch);
    if (status) lb_tape_fail(g->tape, status, "%s", lb_tape_error(g->scratch));
    return status == LB_OK && lb_tape_scratch(g->tape);
}

/* Adds it unless it is there: one that was cut off has as many tokens as the limit, one that has ended has fewer. */
static void add_to_row(gathering *g, int64_t row, const lb_hypothesis *found)
{
    lb_hypothesis *all = g->pool.hypothesis + row * g->pool.most;
    size_t bytes = (size_t)found->length * sizeof *found->id;
    for (int64_t i = 0; i < g->pool.count[row]; i++)
        if (all[i].length == found->length && memcmp(all[i].id, found->id, bytes) == 0) return;
    int32_t *id = lb_tape_alloc_zero(g->tape, found->steps, sizeof *id);
    if (!id) return;
    memcpy(id, found->id, bytes);
    all[g->pool.count[row]] = *found;
    all[g->pool.count[row]++].id = id;
}

/* The hypotheses that the members of one direction find together. */
static bool propose(gathering *g, bool backward)
{
    lb_ensemble group = group_of(g, backward);
    if (group.count == 0) return lb_tape_status(g->tape) == LB_OK;
    lb_beam_config config = g->config;
    int64_t possible = group.base.target_vocab - LB_FIRST_WRITTEN;
    if (config.n_best < config.beam) config.n_best = config.beam < possible ? config.beam : possible;
    lb_beam found = lb_beam_search(&group.base, on_scratch(g, g->source), config);
    for (int64_t i = 0; i < found.batch * found.n_best; i++) /* without steps: there were fewer */
        if (found.hypothesis[i].steps > 0) add_to_row(g, i / found.n_best, &found.hypothesis[i]);
    return end_scratch(g) && found.batch > 0;
}

/* Numbers the hypotheses of all rows, and makes room for what members think of them. */
static bool list(gathering *g, int64_t maps)
{
    lb_vote_pool *pool = &g->pool;
    for (int64_t row = 0; row < pool->batch; row++) g->total += pool->count[row];
    g->row = lb_tape_alloc_zero(g->tape, g->total, sizeof *g->row);
    g->h = lb_tape_alloc_zero(g->tape, g->total, sizeof(lb_hypothesis *));
    for (int64_t row = 0, at = 0; row < pool->batch && g->row && g->h; row++)
        for (int64_t i = 0; i < pool->count[row]; i++, at++) {
            lb_hypothesis *h = &pool->hypothesis[row * pool->most + i];
            g->row[at] = row;
            g->h[at] = h;
            g->longest = h->steps > g->longest ? h->steps : g->longest;
            h->score = 0;
            h->log_probability = lb_tape_alloc_zero(g->tape, h->steps, sizeof *h->log_probability);
            h->weights =
                maps ? lb_tape_alloc_zero(g->tape, maps * h->steps * g->source.length, sizeof *h->weights)
                     : NULL;
        }
    return lb_tape_status(g->tape) == LB_OK;
}

static lb_tokens targets(const gathering *g)
{
    int32_t *id, *lengths;
    lb_tokens out = lb_tokens_new(g->tape, g->total, g->longest, &id, &lengths);
    for (int64_t i = 0; i < out.batch; i++) {
        const lb_hypothesis *h = g->h[i];
        memcpy(id + i * g->longest, h->id, (size_t)h->length * sizeof *id);
        if (h->finished) id[i * g->longest + h->length] = LB_EOS;
        lengths[i] = (int32_t)h->steps;
    }
    return out;
}

/* The attention of the ensemble has as many maps as that of its members, or one: the mean over the heads of the last
 * layer. Adds `share` of the map of a member. */
static void add_weights(const gathering *g, const lb_model *member, const lb_real *from, lb_hypothesis *h,
                        double share)
{
    int64_t length = g->source.length, maps = g->ensemble->base.layers * g->ensemble->base.heads;
    int64_t own = member->layers * member->heads, from_map = g->longest * length, cells = h->steps * length;
    int64_t merged = own == maps ? 1 : member->heads, first = own == maps ? 0 : own - merged;
    for (int64_t map = 0; map < maps; map++)
        for (int64_t k = 0; k < merged; k++)
            for (int64_t i = 0; i < cells; i++)
                h->weights[map * cells + i] +=
                    (lb_real)(share / (double)merged) * from[(first + map + k) * from_map + i];
}

/* Adds what one member thinks of all hypotheses. */
static bool score_by(const gathering *g, int m, lb_tokens out)
{
    const lb_ensemble *e = g->ensemble;
    const lb_model *member = e->member[m];
    double share = lb_ensemble_weight(e, m);
    lb_forced forced = lb_forced_decode_rows(member, on_scratch(g, g->source), g->row, on_scratch(g, out));
    int64_t classes = member->target_vocab, maps = member->layers * member->heads;
    for (int64_t i = 0; i < g->total && forced.log_probabilities; i++) {
        lb_hypothesis *h = g->h[i];
        double sum = 0;
        for (int64_t t = 0; t < h->steps; t++) {
            int32_t token = out.id[i * g->longest + t];
            int64_t at = (i * g->longest + t) * classes + token;
            double found = fmax((double)forced.log_probabilities->data[at], LEAST);
            h->log_probability[t] += share * found;
            sum += found;
        }
        double score = lb_score_of(sum, h->steps, g->config.length_penalty);
        g->pool.score[(h - g->pool.hypothesis) * e->count + m] = score;
        h->score += share * score;
        if (h->weights)
            add_weights(g, member, forced.weights->data + i * maps * g->longest * g->source.length, h, share);
    }
    bool found = forced.log_probabilities != NULL;
    return end_scratch(g) && found;
}

lb_vote_pool lb_vote_gather(const lb_ensemble *ensemble, lb_tokens source, lb_beam_config config)
{
    lb_tape *tape = source.tape;
    int64_t most = DIRECTIONS * config.beam, cells = source.batch * most;
    int64_t maps = config.without_weights ? 0 : ensemble->base.layers * ensemble->base.heads;
    lb_vote_pool pool = {.batch = source.batch,
                         .most = most,
                         .count = lb_tape_alloc_zero(tape, source.batch, sizeof *pool.count),
                         .hypothesis = lb_tape_alloc_zero(tape, cells, sizeof *pool.hypothesis),
                         .score = lb_tape_alloc_zero(tape, cells * ensemble->count, sizeof *pool.score)};
    gathering g = {ensemble, config, source, tape, lb_tape_scratch(tape), .pool = pool};
    bool found = lb_tape_status(tape) == LB_OK && propose(&g, false) && propose(&g, true) && list(&g, maps);
    lb_tokens out = found ? targets(&g) : (lb_tokens){0};
    for (int m = 0; m < ensemble->count && found; m++) found = score_by(&g, m, out);
    return found ? pool : (lb_vote_pool){0};
}

/* The best `room` hypotheses of a row; of equal ones, the earlier. If there are fewer, the rest is as in lb_beam, and
 * the result is false. */
static bool choose_best(const lb_vote_pool *pool, int64_t row, int64_t room, lb_hypothesis *best)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < pool->count[row]; i++) {
        const lb_hypothesis *h = &pool->hypothesis[row * pool->most + i];
        if (kept == room && !lb_hypothesis_is_better(h, &best[room - 1])) continue;
        int64_t at = kept < room ? kept++ : room - 1;
        for (; at > 0 && lb_hypothesis_is_better(h, &best[at - 1]); at--) best[at] = best[at - 1];
        best[at] = *h;
    }
    for (int64_t i = kept; i < room; i++) best[i] = (lb_hypothesis){.score = (double)-INFINITY};
    return kept == room;
}

static lb_beam search_by_votes(const lb_model *model, lb_tokens source, lb_beam_config config)
{
    const lb_ensemble *ensemble = (const lb_ensemble *)model;
    lb_tape *tape = source.tape;
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_vote_pool pool = lb_vote_gather(ensemble, source, config);
    lb_tape_set_mode(tape, mode);
    lb_hypothesis *best = lb_tape_alloc_zero(tape, pool.batch * config.n_best, sizeof *best);
    for (int64_t row = 0; row < pool.batch && best; row++)
        if (!choose_best(&pool, row, config.n_best, best + row * config.n_best) &&
            (pool.count[row] == 0 || ensemble->base.output == LB_SOFTMAX))
            lb_tape_fail(
                tape, LB_ERROR_ARGUMENT,
                "lb_beam_search: expected n_best %lld, found only %lld different outputs of all members",
                (long long)config.n_best, (long long)pool.count[row]);
    if (pool.batch == 0 || lb_tape_status(tape)) return (lb_beam){0};
    return (lb_beam){pool.batch, config.n_best, best};
}

/* The weighted means of the members. */
static lb_tensor *mean_of_forced(const lb_model *model, lb_tokens source, lb_tokens target_out)
{
    const lb_ensemble *ensemble = (const lb_ensemble *)model;
    lb_tensor *sum = NULL;
    for (int m = 0; m < ensemble->count; m++) {
        const lb_tensor *found = lb_forced_decode(ensemble->member[m], source, target_out).log_probabilities;
        if (found && m == 0) sum = lb_tensor_new(target_out.tape, found->shape, NULL);
        if (!found || !lb_is_sound(sum)) return NULL;
        lb_real share = (lb_real)lb_ensemble_weight(ensemble, m);
        for (int64_t i = 0; i < lb_count(sum); i++)
            sum->data[i] += share * (lb_real)fmax((double)found->data[i], LEAST);
    }
    return sum;
}

const lb_model_kind lb_vote_kind = {.name = "vote", .search = search_by_votes, .force = mean_of_forced};

/* ---- Their weights, from cases that are gathered where outputs are known. ---- */

typedef struct cases {
    lb_vote_case *all;
    int64_t count;
    size_t room;
    lb_arena *memory; /* of their scores */
} cases;

static bool is_right(lb_tokens out, int64_t row, const lb_hypothesis *h)
{
    return h->finished && h->length == out.lengths[row] - 1 &&
           memcmp(h->id, out.id + row * out.length, (size_t)h->length * sizeof *h->id) == 0;
}

/* Copies the scores of a row, which live on the tape. */
static bool keep_case(cases *c, const lb_vote_pool *pool, lb_tokens target_out, int64_t row, int64_t members)
{
    size_t bytes = (size_t)(pool->count[row] * members) * sizeof(double);
    double *score = lb_arena_alloc(c->memory, bytes);
    if (!score || !lb_alloc_more(&c->all, (size_t)c->count, &c->room, sizeof *c->all)) return false;
    memcpy(score, pool->score + row * pool->most * members, bytes);
    lb_vote_case *kept = &c->all[c->count++];
    *kept = (lb_vote_case){.score = score, .count = pool->count[row], .right = -1};
    for (int64_t i = 0; i < pool->count[row]; i++)
        if (is_right(target_out, row, &pool->hypothesis[row * pool->most + i])) kept->right = i;
    return true;
}

static lb_status gather_cases(cases *c, const lb_ensemble *ensemble, lb_tape *tape, lb_right_outputs_fn next,
                              void *context, lb_error *error)
{
    lb_tokens source, target_out;
    lb_beam_config search;
    while (next(context, tape, &source, &target_out, &search)) {
        lb_vote_pool pool = lb_vote_gather(ensemble, source, search);
        for (int64_t row = 0; row < pool.batch && target_out.lengths; row++)
            if (!keep_case(c, &pool, target_out, row, ensemble->count))
                return lb_no_memory(error, "an ensemble");
    }
    lb_status status = lb_tape_status(tape);
    return status ? lb_error_set(error, status, "%s", lb_tape_error(tape)) : LB_OK;
}

lb_status lb_ensemble_fit(lb_ensemble *ensemble, lb_params *params, lb_right_outputs_fn next, void *context,
                          lb_error *error)
{
    double weight[LB_VOTE_MOST];
    const int64_t members = ensemble->count;
    cases c = {.memory = lb_arena_new()};
    lb_tape *tape = lb_tape_new();
    lb_status status = tape && c.memory ? LB_OK : lb_no_memory(error, "an ensemble");
    if (!status && (members < 1 || members > LB_VOTE_MOST))
        status = lb_error_set(error, LB_ERROR_ARGUMENT, "found %lld members to weigh, expected 1 to %d",
                              (long long)members, LB_VOTE_MOST);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    if (!status) status = gather_cases(&c, ensemble, tape, next, context, error);
    if (!status) {
        lb_vote_fit(c.all, c.count, (int)members, weight);
        status = lb_ensemble_weigh(ensemble, params, weight, error);
    }
    lb_release(c.all);
    lb_arena_free(c.memory);
    lb_tape_free(tape);
    return status;
}
