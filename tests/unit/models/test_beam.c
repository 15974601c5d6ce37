/* Beam search against greedy decoding, and against exhaustive search. It takes seconds. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "support/suite.h"
#include "support/written.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 6, LIMIT = 4, LONGEST = 7 };

/* The kinds of attention of a seq2seq; TRANSFORMER is another model. */
enum { TRANSFORMER = LB_ATTENTION_LOCATION + 1 };
static const int kinds[] = {LB_ATTENTION_ADDITIVE,   LB_ATTENTION_NONE,    LB_ATTENTION_GENERAL,
                            LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_HARD,    LB_ATTENTION_MONOTONIC_1,
                            LB_ATTENTION_LOCAL_M,    LB_ATTENTION_LOCAL_P, LB_ATTENTION_COVERAGE,
                            LB_ATTENTION_LOCATION,   TRANSFORMER};

static const int32_t source_id[] = {4, 5, 4, 5, 5, 0, 4, 0, 0}, source_lengths[] = {3, 2, 1};

typedef struct subject {
    lb_params *params;
    lb_tape *tape, *scratch;
    lb_model *model;
    lb_tokens source;
} subject;

static lb_model *make_seq2seq(lb_params *params, lb_attention_kind kind)
{
    lb_seq2seq_config config = {
        .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4, .hidden = 5};
    config.attention = kind;
    config.layers = 2;
    config.heads = 5;
    config.embedding_deviation = 1;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return &model->base;
}

static lb_model *make_transformer(lb_params *params)
{
    lb_transformer_config config = {.source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .width = 6};
    config.heads = 3;
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_transformer_init(model, params, "", config), LB_OK);
    return &model->base;
}

/* A model whose random weights are large enough for clear preferences. */
static subject make(int kind, uint64_t seed)
{
    subject s = {.params = lb_params_new(seed), .tape = lb_tape_new(), .scratch = lb_tape_new()};
    s.model =
        kind == TRANSFORMER ? make_transformer(s.params) : make_seq2seq(s.params, (lb_attention_kind)kind);
    for (int64_t i = 0; i < lb_params_size(s.params); i++) lb_params_values(s.params)[i] *= 3;
    s.source = (lb_tokens){s.tape, 3, 3, source_id, source_lengths};
    return s;
}

static void discard(subject *s)
{
    lb_tape_free(s->tape);
    lb_tape_free(s->scratch);
    lb_params_free(s->params);
}

START_LOOP_TEST(test_beam_search_of_one_gives_what_greedy_gives, LB_LENGTH(kinds))
{
    int ended = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        subject s = make(kinds[_i], seed);
        lb_decoded greedy = lb_greedy(s.model, s.source, 7);
        lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = 1, .limit = 7});
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        for (int64_t row = 0; row < 3; row++) {
            const lb_hypothesis *h = &found.hypothesis[row];
            ck_assert_int_eq(h->length, greedy.lengths[row]);
            ck_assert_int_eq(h->finished, greedy.finished[row]);
            ck_assert_mem_eq(h->id, greedy.id + row * greedy.length, (size_t)h->length * sizeof *h->id);
            int64_t maps = greedy.layers * greedy.heads;
            for (int64_t i = 0; i < maps * h->steps * 3; i++) {
                int64_t map = i / (h->steps * 3), rest = i % (h->steps * 3);
                ck_assert_double_eq_tol((double)h->weights[i],
                                        (double)greedy.weights[(row * maps + map) * greedy.length * 3 + rest],
                                        1e-6);
            }
            ended += h->finished;
        }
        discard(&s);
    }
    ck_assert_int_gt(ended, 5);
    ck_assert_int_lt(ended, 60);
}
END_TEST

/* The outputs of the model for one row, step by step, by teacher forcing with `token`. */
static lb_model_step force(const subject *s, int64_t row, const int32_t *token, int64_t count)
{
    lb_tape_reset(s->scratch);
    int32_t *in, *length;
    lb_tokens source = {s->scratch, 1, 3, source_id + row * 3, source_lengths + row},
              target = lb_tokens_new(s->scratch, 1, count, &in, &length);
    *length = (int32_t)count;
    in[0] = LB_BOS;
    if (count > 1) memcpy(in + 1, token, (size_t)(count - 1) * sizeof *in);
    return s->model->kind->decode(s->model, s->model->kind->encode(s->model, source), target);
}

/* Log-probability of an output for one row. */
static double probability_of(const subject *s, int64_t row, const int32_t *token, int64_t count)
{
    const lb_tensor *log_probabilities = support_log_probabilities(force(s, row, token, count).logits);
    double sum = 0;
    for (int64_t t = 0; t < count; t++) sum += (double)log_probabilities->data[t * VOCABULARY + token[t]];
    return sum;
}

/* The best finished output of up to LIMIT tokens, LB_EOS included, by exhaustive search. */
static double best_score(const subject *s, int64_t row, int32_t *token, int64_t count, double penalty)
{
    double best = -INFINITY;
    for (int32_t next = 0; next < VOCABULARY; next++) {
        token[count] = next;
        double score = -INFINITY;
        if (next == LB_EOS)
            score = probability_of(s, row, token, count + 1) / pow((double)(count + 1), penalty);
        else if (count + 1 < LIMIT)
            score = best_score(s, row, token, count + 1, penalty);
        best = score > best ? score : best;
    }
    return best;
}

START_LOOP_TEST(test_beam_search_as_wide_as_the_vocabulary_scores_as_trying_everything_or_below,
                LB_LENGTH(kinds))
{
    int exact = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        subject s = make(kinds[_i], seed);
        lb_beam found =
            lb_beam_search(s.model, s.source, (lb_beam_config){.beam = VOCABULARY, .limit = LIMIT});
        ck_assert_int_eq(found.batch, 3);
        for (int64_t row = 0; row < 3; row++) {
            const lb_hypothesis *first = &found.hypothesis[row * VOCABULARY];
            const lb_hypothesis *h = first;
            while (!h->finished && h < first + VOCABULARY - 1) h++;
            if (!h->finished) continue;
            int32_t token[LIMIT + 1];
            double best = best_score(&s, row, token, 0, 1);
            memcpy(token, h->id, (size_t)h->length * sizeof *token);
            token[h->length] = LB_EOS;
            double own = probability_of(&s, row, token, h->length + 1) / (double)(h->length + 1);
            ck_assert_double_eq_tol(h->score, own, 1e-4);
            ck_assert_double_le(h->score, best + 1e-4);
            exact += fabs(h->score - best) < 1e-4;
        }
        discard(&s);
    }
    ck_assert_int_ge(exact, 9); /* of 36: a beam prunes, so it may miss the best one */
}
END_TEST

static void check_hypothesis(const subject *s, int64_t row, const lb_hypothesis *h, double penalty)
{
    int32_t token[LONGEST + 1];
    memcpy(token, h->id, (size_t)h->length * sizeof *token);
    token[h->length] = LB_EOS;
    ck_assert_int_eq(h->steps, h->length + h->finished);
    if (!h->finished) ck_assert_int_eq(h->length, LONGEST);
    for (int64_t t = 0; t < h->length; t++) ck_assert_int_ne(h->id[t], LB_EOS);
    double expected = probability_of(s, row, token, h->steps) / pow((double)h->steps, penalty);
    ck_assert_double_eq_tol(h->score, expected, 1e-4);
    lb_model_step forced = force(s, row, token, h->steps);
    const lb_tensor *weights = forced.weights, *each = support_log_probabilities(forced.logits);
    for (int64_t t = 0; t < h->steps; t++)
        ck_assert_double_eq_tol(h->log_probability[t], (double)each->data[t * VOCABULARY + token[t]], 1e-4);
    ck_assert_int_eq(weights != NULL, h->weights != NULL);
    for (int64_t i = 0; weights && i < lb_count(weights); i++)
        ck_assert_double_eq_tol((double)h->weights[i], (double)weights->data[i], 1e-4);
}

START_LOOP_TEST(test_beam_search_every_hypothesis_has_its_score_and_its_attention, LB_LENGTH(kinds))
{
    static const lb_beam_config configs[] = {
        {.length_penalty = 0}, {.length_penalty = 0.6}, {.length_penalty = -1}};
    static const double penalties[] = {1, 0.6, 0};
    int finished = 0, all = 0;
    for (int c = 0; SUPPORT_ROW(c, configs); c++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            subject s = make(kinds[_i], seed);
            if (seed % 2) lb_params_find(s.params, "output.bias")->data[LB_EOS] -= 6;
            lb_beam_config config = configs[c];
            config.beam = 4;
            config.limit = LONGEST;
            lb_beam found = lb_beam_search(s.model, s.source, config);
            ck_assert_int_eq(found.batch, 3);
            for (int64_t i = 0; i < 3 * found.n_best; i++, all++) {
                check_hypothesis(&s, i / found.n_best, &found.hypothesis[i], penalties[c]);
                finished += found.hypothesis[i].finished;
            }
            discard(&s);
        }
    ck_assert_int_gt(finished, all / 8); /* some of both kinds */
    ck_assert_int_lt(finished, all);
}
END_TEST

START_LOOP_TEST(test_beam_search_orders_hypotheses_and_never_repeats_one, LB_LENGTH(kinds))
{
    int mixed = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        subject s = make(kinds[_i], seed);
        lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = 4, .limit = 5});
        for (int64_t i = 0; i < 3 * 4; i++) {
            const lb_hypothesis *one = &found.hypothesis[i];
            for (const lb_hypothesis *before = &found.hypothesis[i / 4 * 4]; before < one; before++) {
                ck_assert_int_ge(before->finished, one->finished);
                if (before->finished == one->finished) ck_assert_double_ge(before->score, one->score);
                mixed += before->finished && !one->finished && before->score < one->score;
                bool same = one->length == before->length && one->finished == before->finished &&
                            memcmp(one->id, before->id, (size_t)one->length * sizeof *one->id) == 0;
                ck_assert(!same);
            }
        }
        discard(&s);
    }
    ck_assert_int_gt(mixed, 0); /* rows where being finished outweighed the score */
}
END_TEST

/* The score of greedy decoding for one row; -INFINITY if it does not end. */
static double greedy_score(const subject *s, const lb_decoded *greedy, int64_t row)
{
    int32_t token[LONGEST + 1];
    int64_t length = greedy->lengths[row];
    if (!greedy->finished[row]) return -INFINITY;
    memcpy(token, greedy->id + row * greedy->length, (size_t)length * sizeof *token);
    token[length] = LB_EOS;
    return probability_of(s, row, token, length + 1) / (double)(length + 1);
}

START_LOOP_TEST(test_beam_search_never_scores_below_greedy_and_grows_with_the_beam, LB_LENGTH(kinds))
{
    double sum[VOCABULARY + 1] = {0};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        subject s = make(kinds[_i], seed);
        lb_decoded greedy = lb_greedy(s.model, s.source, LONGEST);
        for (int64_t row = 0; row < 3; row++) {
            double least = greedy_score(&s, &greedy, row);
            if (least == -INFINITY) continue;
            compared++;
            for (int64_t beam = 1; beam <= VOCABULARY; beam++) {
                lb_beam_config config = {.beam = beam, .n_best = 1, .limit = LONGEST};
                lb_beam found = lb_beam_search(s.model, s.source, config);
                const lb_hypothesis *h = &found.hypothesis[row];
                ck_assert(h->finished);
                ck_assert_double_ge(h->score, least - 1e-4);
                sum[beam] += h->score;
            }
        }
        discard(&s);
    }
    ck_assert_int_gt(compared, 15);
    for (int64_t beam = 2; beam <= VOCABULARY; beam++)
        ck_assert_double_ge(sum[beam], sum[beam - 1] - 0.01 * compared);
    ck_assert_double_gt(sum[VOCABULARY], sum[1]);
}
END_TEST

/* Makes LB_PAD and LB_BOS the likeliest tokens by far: they take nothing from the others. */
START_TEST(test_beam_search_writes_neither_padding_nor_beginnings)
{
    subject s = make(LB_ATTENTION_ADDITIVE, 2), same = make(LB_ATTENTION_ADDITIVE, 2);
    lb_tensor *bias = lb_params_find(s.params, "output.bias");
    bias->data[LB_PAD] = bias->data[LB_BOS] = 50;
    for (int64_t beam = 1; beam <= VOCABULARY; beam++) {
        lb_beam_config config = {.beam = beam, .limit = LONGEST};
        lb_beam found = lb_beam_search(s.model, s.source, config),
                expected = lb_beam_search(same.model, same.source, config);
        ck_assert_int_eq(found.batch, 3);
        for (int64_t i = 0; i < 3 * beam; i++) {
            const lb_hypothesis *a = &found.hypothesis[i], *b = &expected.hypothesis[i];
            ck_assert_int_eq(a->length, b->length);
            ck_assert_mem_eq(a->id, b->id, (size_t)a->length * sizeof *a->id);
            ck_assert_double_eq_tol(a->score, b->score, 1e-5);
            for (int64_t t = 0; t < a->length; t++) ck_assert_int_gt(a->id[t], LB_EOS);
        }
    }
    discard(&same);
    discard(&s);
}
END_TEST

/* A search that keeps the ends among the `beam` likeliest continuations only finds none. */
START_TEST(test_beam_search_at_its_limit_keeps_a_hypothesis_that_can_end)
{
    enum { BEAM = 2 };
    int rescued = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        subject s = make(LB_ATTENTION_ADDITIVE, seed);
        lb_params_find(s.params, "output.bias")->data[LB_EOS] -= 3;
        lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = BEAM, .limit = 1});
        for (int64_t row = 0; row < 3; row++) {
            const lb_hypothesis *h = &found.hypothesis[row * BEAM];
            const lb_tensor *each = support_log_probabilities(force(&s, row, NULL, 1).logits);
            int likelier = 0;
            for (int i = LB_EOS + 1; i < VOCABULARY; i++) likelier += each->data[i] > each->data[LB_EOS];
            ck_assert_int_eq(h->finished, likelier < 2 * BEAM);
            ck_assert_int_eq(h->length, h->finished ? 0 : 1);
            rescued += likelier >= BEAM && likelier < 2 * BEAM;
        }
        discard(&s);
    }
    ck_assert_int_gt(rescued, 10);
}
END_TEST

/* LB_EOS is the likeliest token at every step, and the others tie. The longer an output, the better its score. At each
 * step every live hypothesis ends, and the earliest of their other continuations take its place. */
START_TEST(test_beam_search_continues_a_whole_beam_and_the_earlier_of_tied_candidates)
{
    enum { BEAM = 3, STEPS = 3, FIRST = LB_EOS + 1 };
    subject s = make(LB_ATTENTION_ADDITIVE, 2);
    memset(lb_params_values(s.params), 0, (size_t)lb_params_size(s.params) * sizeof(lb_real));
    lb_params_find(s.params, "output.bias")->data[LB_EOS] = 2;
    lb_beam_config config = {.beam = BEAM, .limit = STEPS, .length_penalty = 3};
    lb_beam found = lb_beam_search(s.model, s.source, config);
    ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
    for (int64_t i = 0; i < 3 * BEAM; i++) {
        const lb_hypothesis *h = &found.hypothesis[i];
        ck_assert(h->finished);
        ck_assert_int_eq(h->length, STEPS - 1);
        ck_assert_int_eq(h->id[0], FIRST);
        ck_assert_int_eq(h->id[1], FIRST + i % BEAM);
    }
    discard(&s);
}
END_TEST

START_TEST(test_beam_search_more_outputs_than_there_are_is_an_error)
{
    subject s = make(LB_ATTENTION_ADDITIVE, 1);
    lb_beam_config config = {.beam = VOCABULARY, .n_best = VOCABULARY - LB_EOS, .limit = 1};
    ck_assert_int_eq(lb_beam_search(s.model, s.source, config).batch, 3);
    config.n_best++;
    ck_assert_int_eq(lb_beam_search(s.model, s.source, config).batch, 0);
    ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(s.tape), "found only 4 outputs of at most 1 tokens"));
    discard(&s);
}
END_TEST

START_TEST(test_beam_search_impossible_sizes_are_errors)
{
    static const lb_beam_config impossible[] = {
        {.length_penalty = INFINITY}, {.length_penalty = NAN}, {.beam = -1}, {.limit = -3},
        {.beam = 2, .n_best = 3},     {.n_best = -1}};
    for (int i = 0; SUPPORT_ROW(i, impossible); i++) {
        subject s = make(LB_ATTENTION_ADDITIVE, 1);
        lb_beam found = lb_beam_search(s.model, s.source, impossible[i]);
        ck_assert_int_eq(found.batch, 0);
        ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_ARGUMENT);
        discard(&s);
    }
}
END_TEST
