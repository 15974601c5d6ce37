/* Members that write in different directions vote: against what each of them says by itself, and in files. */
#include "base/alloc.h"
#include "lookback/op.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "models/ensemble/ensemble.h"
#include "support/alloc.h"
#include "support/gather.h"
#include "support/suite.h"
#include "support/tape_room.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 9, ROWS = 3, SOURCE = 4, LIMIT = 7, BEAM = 4, MEMBERS = 4 };

static const int32_t source_id[] = {4, 5, 6, 8, 5, 6, 4, 0, 7, 0, 0, 0}, source_lengths[] = {4, 3, 1};
static const double weights[MEMBERS] = {0.4, 0.1, 0.2, 0.3};

typedef struct voters {
    lb_params *store[MEMBERS];
    lb_tape *tape;
    lb_model *member[MEMBERS];
    lb_ensemble all;
    lb_tokens source;
} voters;

static lb_model *add_seq2seq(lb_params *params, lb_attention_kind attention)
{
    lb_seq2seq_config config = {
        .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4, .hidden = 6};
    config.attention = attention;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return &model->base;
}

static lb_model *add_transformer(lb_params *params)
{
    lb_transformer_config config = {
        .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .width = 8, .heads = 2};
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_transformer_init(model, params, "", config), LB_OK);
    return &model->base;
}

/* Transformers have attention of other sizes. */
typedef enum members { RECURRENT, MIXED, TRANSFORMERS } members;

/* Two directions. */
static voters v;

static void begin(members kinds)
{
    lb_set_threads(1);
    v = (voters){.tape = lb_tape_new()};
    for (int m = 0; m < MEMBERS; m++) {
        v.store[m] = lb_params_new((uint64_t)m + 3);
        v.member[m] = kinds == TRANSFORMERS || (kinds == MIXED && m % 2)
                          ? add_transformer(v.store[m])
                          : add_seq2seq(v.store[m], m % 2 ? LB_ATTENTION_GENERAL : LB_ATTENTION_ADDITIVE);
        v.member[m]->from_end = m >= MEMBERS / 2;
        for (int64_t i = 0; i < lb_params_size(v.store[m]); i++) lb_params_values(v.store[m])[i] *= 2;
    }
    ck_assert_int_eq(lb_ensemble_init(&v.all, (const lb_model *const *)v.member, MEMBERS, NULL), LB_OK);
    v.source = (lb_tokens){v.tape, ROWS, SOURCE, source_id, source_lengths};
}

static void end(void)
{
    lb_tape_free(v.tape);
    for (int m = 0; m < MEMBERS; m++) lb_params_free(v.store[m]);
}

/* What a member says of a hypothesis for one source: its log-probabilities, and its attention by the mean over `heads`
 * maps from `first` on. */
static void ask(const lb_model *member, int64_t row, const lb_hypothesis *h, int64_t first, int64_t heads,
                double *found, double *attention)
{
    int32_t *id, *lengths;
    lb_tokens out = lb_tokens_new(v.tape, 1, h->steps, &id, &lengths);
    lb_tokens source = {v.tape, 1, source_lengths[row], source_id + row * SOURCE, source_lengths + row};
    memcpy(id, h->id, (size_t)h->length * sizeof *id);
    if (h->finished) id[h->length] = LB_EOS;
    lengths[0] = (int32_t)h->steps;
    lb_forced forced = lb_forced_decode(member, source, out);
    ck_assert_msg(lb_is_sound(forced.log_probabilities), "%s", lb_tape_error(v.tape));
    for (int64_t t = 0; t < h->steps; t++) {
        found[t] = (double)forced.log_probabilities->data[t * VOCABULARY + id[t]];
        for (int64_t k = 0; k < SOURCE; k++) {
            attention[t * SOURCE + k] = 0;
            for (int64_t map = first; map < first + heads && k < source.length; map++)
                attention[t * SOURCE + k] +=
                    (double)forced.weights->data[(map * h->steps + t) * source.length + k] / (double)heads;
        }
    }
}

/* Map `map` of a hypothesis is the weighted mean of what the members looked at. */
static void expect_map(const lb_hypothesis *h, int64_t map, double attention[MEMBERS][LIMIT * SOURCE])
{
    for (int64_t i = 0; i < h->steps * SOURCE; i++) {
        double looked = 0;
        for (int m = 0; m < MEMBERS; m++) looked += weights[m] * attention[m][i];
        ck_assert_double_eq_tol((double)h->weights[map * h->steps * SOURCE + i], looked, 1e-4);
    }
}

static void expect_scores(int64_t row, const lb_hypothesis *h, double penalty)
{
    double each[MEMBERS][LIMIT], attention[MEMBERS][LIMIT * SOURCE], total = 0;
    for (int m = 0; m < MEMBERS; m++) {
        const lb_model *member = v.member[m];
        ask(member, row, h, (member->layers - 1) * member->heads, member->heads, each[m], attention[m]);
    }
    for (int64_t t = 0; t < h->steps; t++) {
        double sum = 0;
        for (int m = 0; m < MEMBERS; m++) sum += weights[m] * each[m][t];
        ck_assert_double_eq_tol(h->log_probability[t], sum, 1e-4);
        total += sum;
    }
    expect_map(h, 0, attention);
    ck_assert_double_eq_tol(h->score, total / pow((double)h->steps, penalty), 1e-4);
}

START_LOOP_TEST(test_vote_scores_are_the_weighted_means_of_what_members_say, 4)
{
    begin(_i % 2 ? MIXED : RECURRENT);
    double penalty = _i < 2 ? 1 : 0.5;
    v.all.weight = weights;
    ck_assert_ptr_eq(v.all.base.kind, &lb_vote_kind);
    ck_assert(v.all.base.layers == 1 && v.all.base.heads == 1 && !v.all.base.from_end);
    lb_beam found = lb_beam_search(&v.all.base, v.source,
                                   (lb_beam_config){.beam = BEAM, .limit = LIMIT, .length_penalty = penalty});
    ck_assert_msg(found.batch == ROWS && found.n_best == BEAM, "%s", lb_tape_error(v.tape));
    for (int64_t i = 0; i < (int64_t)ROWS * BEAM; i++) {
        const lb_hypothesis *h = &found.hypothesis[i];
        expect_scores(i / BEAM, h, penalty);
        if (i % BEAM == 0) continue;
        ck_assert(h[-1].finished >= h->finished);
        if (h[-1].finished == h->finished) ck_assert_double_ge(h[-1].score, h->score);
    }
    end();
}
END_TEST

START_TEST(test_vote_of_members_with_equal_heads_keeps_the_map_of_each_head)
{
    double each[LIMIT], attention[MEMBERS][LIMIT * SOURCE];
    begin(TRANSFORMERS);
    v.all.weight = weights;
    int64_t maps = v.all.base.layers * v.all.base.heads;
    ck_assert(v.all.base.layers > 1 && v.all.base.heads > 1);
    lb_beam found = lb_beam_search(&v.all.base, v.source, (lb_beam_config){.limit = LIMIT});
    ck_assert_msg(found.batch == ROWS, "%s", lb_tape_error(v.tape));
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t map = 0; map < maps; map++) {
            const lb_hypothesis *h = &found.hypothesis[row * found.n_best];
            for (int m = 0; m < MEMBERS; m++) ask(v.member[m], row, h, map, 1, each, attention[m]);
            expect_map(h, map, attention);
        }
    end();
}
END_TEST

static bool is_same(const lb_hypothesis *a, const lb_hypothesis *b)
{
    return a->length == b->length && a->finished == b->finished &&
           memcmp(a->id, b->id, (size_t)a->length * sizeof *a->id) == 0;
}

/* How many of the hypotheses are in the pool, each of them once. */
static int64_t expect_in_pool(const lb_vote_pool *pool, lb_beam found)
{
    for (int64_t i = 0; i < (int64_t)ROWS * BEAM; i++) {
        int64_t row = i / BEAM, times = 0;
        for (int64_t p = 0; p < pool->count[row]; p++)
            times += is_same(&pool->hypothesis[row * pool->most + p], &found.hypothesis[i]);
        ck_assert_int_eq(times, 1);
    }
    return found.batch * found.n_best;
}

/* Each direction brings what its members find together by their own weights, the whole beam of it whatever `n_best`,
 * and nothing twice. Members without a say look for hypotheses with equal weights. */
START_TEST(test_vote_pool_has_the_hypotheses_of_both_directions)
{
    static const double given[][MEMBERS] = {
        {0.4, 0.1, 0.2, 0.3}, {0.02, 0.03, 0.48, 0.47}, {0.5, 0.5, 0, 0}, {0, 0, 0.1, 0.9}};
    static const double own[][MEMBERS] = {{0.8, 0.2, 0.4, 0.6},
                                          {0.4, 0.6, 0.48 / 0.95, 0.47 / 0.95},
                                          {0.5, 0.5, 0.5, 0.5},
                                          {0.5, 0.5, 0.1, 0.9}};
    begin(RECURRENT);
    lb_tape_set_mode(v.tape, LB_MODE_EVALUATE);
    for (int w = 0; w <= LB_LENGTH(given); w++) {
        lb_beam_config config = {.beam = BEAM, .n_best = w % 2 ? 1 : BEAM, .limit = LIMIT};
        config.length_penalty = 1;
        v.all.weight = w ? given[w - 1] : NULL;
        lb_vote_pool pool = lb_vote_gather(&v.all, v.source, config);
        ck_assert_int_eq(pool.batch, ROWS);
        int64_t found = 0, pooled = 0;
        for (int d = 0; d < 2; d++) {
            lb_ensemble group;
            ck_assert_int_eq(lb_ensemble_init(&group, (const lb_model *const *)v.member + 2 * d, 2, NULL),
                             LB_OK);
            group.weight = w ? own[w - 1] + (ptrdiff_t)2 * d : NULL;
            config.n_best = BEAM;
            found += expect_in_pool(&pool, lb_beam_search(&group.base, v.source, config));
        }
        for (int64_t row = 0; row < ROWS; row++) pooled += pool.count[row];
        ck_assert(pooled > (int64_t)ROWS * BEAM && pooled <= found);
    }
    end();
}
END_TEST

/* Models that prefer only the end: hypotheses of the same length tie, and the earlier one of the pool comes first. The
 * longer they are, the better. */
START_TEST(test_vote_prefers_the_earlier_of_equal_hypotheses)
{
    begin(RECURRENT);
    for (int m = 0; m < MEMBERS; m++) {
        memset(lb_params_values(v.store[m]), 0, (size_t)lb_params_size(v.store[m]) * sizeof(lb_real));
        lb_params_find(v.store[m], "output.bias")->data[LB_EOS] = 2;
    }
    lb_beam_config config = {.beam = BEAM, .n_best = BEAM, .limit = LIMIT, .length_penalty = 3};
    lb_tape_set_mode(v.tape, LB_MODE_EVALUATE);
    lb_vote_pool pool = lb_vote_gather(&v.all, v.source, config);
    lb_beam found = lb_beam_search(&v.all.base, v.source, config);
    int ties = 0;
    for (int64_t row = 0; row < ROWS; row++) {
        int64_t last = -1;
        for (int64_t i = row * BEAM; i < (row + 1) * BEAM; i++) {
            int64_t at = 0;
            while (at < pool.count[row] &&
                   !is_same(&pool.hypothesis[row * pool.most + at], &found.hypothesis[i]))
                at++;
            ck_assert_int_lt(at, pool.count[row]);
            bool tie = i % BEAM && found.hypothesis[i].score == found.hypothesis[i - 1].score;
            if (tie) ck_assert_int_gt(at, last);
            ties += tie;
            last = at;
        }
    }
    ck_assert_int_gt(ties, ROWS);
    end();
}
END_TEST

/* A row of a batch gets what it gets by itself. */
START_TEST(test_vote_does_not_depend_on_the_batch)
{
    begin(MIXED);
    lb_beam_config config = {.beam = BEAM, .limit = LIMIT};
    lb_beam all = lb_beam_search(&v.all.base, v.source, config);
    for (int64_t row = 0; SUPPORT_ROW(row, source_lengths); row++) {
        lb_tokens one = {v.tape, 1, source_lengths[row], source_id + row * SOURCE, source_lengths + row};
        lb_beam alone = lb_beam_search(&v.all.base, one, config);
        for (int64_t i = 0; i < BEAM; i++) {
            const lb_hypothesis *a = &all.hypothesis[row * BEAM + i], *b = &alone.hypothesis[i];
            ck_assert_int_eq(a->length, b->length);
            ck_assert_mem_eq(a->id, b->id, (size_t)a->length * sizeof *a->id);
            ck_assert_double_eq_tol(a->score, b->score, 1e-4);
        }
    }
    end();
}
END_TEST

START_TEST(test_vote_has_no_common_step)
{
    static const char text[] =
        "a model of the kind vote has no steps, such as one whose members write in different directions";
    begin(RECURRENT);
    ck_assert_int_eq(lb_greedy(&v.all.base, v.source, LIMIT).batch, 0);
    ck_assert_int_eq(lb_tape_status(v.tape), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(v.tape), text));
    lb_tape_reset(v.tape);
    ck_assert_int_eq(lb_sample(&v.all.base, v.source, (lb_sample_config){.limit = LIMIT}).batch, 0);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(v.tape), text));
    end();
}
END_TEST

/* What it writes is in reading order, whichever member comes first. */
START_TEST(test_vote_whose_first_member_is_backward_is_not)
{
    begin(RECURRENT);
    const lb_model *const turned[] = {v.member[MEMBERS - 1], v.member[0]};
    ck_assert(turned[0]->from_end && !turned[1]->from_end);
    ck_assert_int_eq(lb_ensemble_init(&v.all, turned, 2, NULL), LB_OK);
    ck_assert(!v.all.base.from_end);
    end();
}
END_TEST

START_TEST(test_vote_survives_its_file)
{
    lb_error error = {0};
    begin(MIXED);
    lb_params *params = lb_params_new(0), *loaded_params = lb_params_new(0);
    lb_ensemble *made = support_gather(params, (const lb_model *const *)v.member,
                                       (const lb_params *const *)v.store, MEMBERS, NULL, &error);
    ck_assert_msg(made, "%s", error.message);
    ck_assert_int_eq(lb_ensemble_weigh(made, params, weights, &error), LB_OK);
    const char *path = support_path("vote.safetensors");
    ck_assert_int_eq(lb_model_save(&made->base, params, path, (lb_checkpoint_extra){0}, &error), LB_OK);
    lb_safetensors *file = lb_safetensors_open(path, &error);
    const lb_ensemble *loaded = (const lb_ensemble *)lb_model_load(file, loaded_params, NULL, &error);
    ck_assert_msg(loaded, "%s", error.message);
    lb_safetensors_close(file);
    ck_assert_ptr_eq(loaded->base.kind, &lb_vote_kind);
    for (int m = 0; SUPPORT_ROW(m, weights); m++) {
        ck_assert_double_eq(loaded->weight[m], weights[m]);
        ck_assert_int_eq(loaded->member[m]->from_end, m >= MEMBERS / 2);
    }
    lb_beam_config config = {.beam = BEAM, .limit = LIMIT};
    lb_beam a = lb_beam_search(&made->base, v.source, config),
            b = lb_beam_search(&loaded->base, v.source, config);
    for (int64_t i = 0; i < (int64_t)ROWS * BEAM; i++)
        ck_assert_double_eq(a.hypothesis[i].score, b.hypothesis[i].score);
    ck_assert_int_eq(lb_model_save(&loaded->base, loaded_params, support_path("again.safetensors"),
                                   (lb_checkpoint_extra){0}, &error),
                     LB_OK);
    size_t count, other;
    char *first = support_read_file(path, &count),
         *second = support_read_file(support_path("again.safetensors"), &other);
    ck_assert_uint_eq(count, other);
    ck_assert_mem_eq(first, second, count);
    free(first);
    free(second);
    lb_params_free(params);
    lb_params_free(loaded_params);
    end();
}
END_TEST

/* Members with the same direction decode together, by their weights. */
START_TEST(test_weights_of_members_with_a_common_step_change_its_logits)
{
    static const double all_of_one[MEMBERS] = {0, 1, 0, 0};
    begin(RECURRENT);
    for (int m = 0; m < MEMBERS; m++) v.member[m]->from_end = false;
    ck_assert_int_eq(lb_ensemble_init(&v.all, (const lb_model *const *)v.member, MEMBERS, NULL), LB_OK);
    ck_assert_ptr_eq(v.all.base.kind, &lb_ensemble_kind);
    v.all.weight = all_of_one;
    lb_decoded one = lb_greedy(v.member[1], v.source, LIMIT), all = lb_greedy(&v.all.base, v.source, LIMIT);
    ck_assert_int_eq(one.length, all.length);
    ck_assert_mem_eq(one.id, all.id, (size_t)(ROWS * one.length) * sizeof *one.id);
    for (int64_t i = 0; i < (int64_t)ROWS * one.length * SOURCE; i++)
        ck_assert_double_eq_tol((double)one.weights[i], (double)all.weights[i], 1e-6);
    end();
}
END_TEST

START_TEST(test_vote_out_of_memory_is_an_error)
{
    enum { STEP = 7 };
    support_watch_allocations();
    begin(MIXED);
    lb_beam_config config = {.beam = 2, .limit = 3};
    bool done = false;
    int failures = 0;
    for (long pieces = 0; !done; pieces += STEP) {
        lb_tape_free(v.tape);
        v.source.tape = v.tape = lb_tape_new();
        support_leave_room(pieces, failures % 2);
        lb_beam found = lb_beam_search(&v.all.base, v.source, config);
        support_find_memory();
        done = found.batch == ROWS;
        failures += !done;
        ck_assert_int_eq(lb_tape_status(v.tape), done ? LB_OK : LB_ERROR_MEMORY);
        ck_assert_int_eq(lb_tape_mode(v.tape), LB_MODE_TRAIN);
    }
    ck_assert_int_gt(failures, 5);
    end();
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
