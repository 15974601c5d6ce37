/* Models whose probabilities are sparse: what is impossible is never written. It takes seconds. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "models/ensemble/ensemble.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 6, LIMIT = 3, OUTPUTS = 216, SEEDS = 10 };

static const int32_t source_id[] = {4, 5, 4, 5, 5, 0}, source_lengths[] = {3, 2};

typedef struct subject {
    lb_params *params;
    lb_tape *tape, *scratch;
    lb_model *model;
    lb_tokens source;
} subject;

static lb_model *make_model(lb_params *params, const char *name, lb_normalizer output, bool transformer)
{
    if (transformer) {
        lb_transformer_config config = {
            .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .width = 6, .heads = 3, .output = output};
        lb_transformer *made = lb_params_alloc(params, sizeof *made);
        ck_assert_int_eq(lb_transformer_init(made, params, name, config), LB_OK);
        return &made->base;
    }
    lb_seq2seq_config config = {
        .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4, .hidden = 5, .output = output};
    config.embedding_deviation = 1;
    lb_seq2seq *made = lb_params_alloc(params, sizeof *made);
    ck_assert_int_eq(lb_seq2seq_init(made, params, name, config), LB_OK);
    return &made->base;
}

/* Random weights, large enough for clear preferences. */
static subject make(uint64_t seed, lb_normalizer output, bool transformer)
{
    subject s = {.params = lb_params_new(seed), .tape = lb_tape_new(), .scratch = lb_tape_new()};
    s.model = make_model(s.params, "", output, transformer);
    for (int64_t i = 0; i < lb_params_size(s.params); i++) lb_params_values(s.params)[i] *= 3;
    s.source = (lb_tokens){s.tape, 2, 3, source_id, source_lengths};
    return s;
}

static void discard(subject *s)
{
    lb_tape_free(s->tape);
    lb_tape_free(s->scratch);
    lb_params_free(s->params);
}

/* The log-probability of an output for one row, by teacher forcing. */
static double log_probability_of(const subject *s, int64_t row, const int32_t *token, int64_t count)
{
    lb_tape_reset(s->scratch);
    lb_tape_set_mode(s->scratch, LB_MODE_EVALUATE);
    int32_t *in, *length;
    lb_tokens source = {s->scratch, 1, 3, source_id + row * 3, source_lengths + row},
              target = lb_tokens_new(s->scratch, 1, count, &in, &length);
    *length = (int32_t)count;
    in[0] = LB_BOS;
    memcpy(in + 1, token, (size_t)(count - 1) * sizeof *in);
    const lb_tensor *x = lb_model_log_probabilities(s->model, lb_model_forward(s->model, source, target));
    ck_assert_msg(lb_tape_status(s->scratch) == LB_OK, "%s", lb_tape_error(s->scratch));
    double sum = 0;
    for (int64_t t = 0; t < count; t++) sum += (double)x->data[t * VOCABULARY + token[t]];
    return sum;
}

/* Every output of up to LIMIT tokens, once: returns the number of possible ones. Their probabilities sum to 1. */
static int count_possible(const subject *s, int64_t row)
{
    int possible = 0;
    double sum = 0;
    for (int number = 0; number < OUTPUTS; number++) {
        int32_t token[LIMIT] = {(int32_t)(number % 6), (int32_t)(number / 6 % 6), (int32_t)(number / 36)};
        int64_t count = 1;
        while (count < LIMIT && token[count - 1] != LB_EOS) count++;
        bool first = true;
        for (int64_t t = count; t < LIMIT; t++) first = first && token[t] == 0;
        if (!first) continue;
        double p = exp(log_probability_of(s, row, token, count));
        possible += p > 0;
        sum += p;
    }
    ck_assert_double_eq_tol(sum, 1, 1e-4);
    return possible;
}

static void check_hypothesis(const subject *s, int64_t row, const lb_hypothesis *h)
{
    int32_t token[LIMIT];
    memcpy(token, h->id, (size_t)h->length * sizeof *token);
    if (h->finished) token[h->length] = LB_EOS;
    double sum = 0;
    for (int64_t t = 0; t < h->steps; t++) sum += h->log_probability[t];
    ck_assert(isfinite(sum));
    ck_assert_double_eq_tol(sum, log_probability_of(s, row, token, h->steps), 1e-3);
}

/* The hypotheses of a row; the rest of the array is empty. Returns their number. */
static int check_row(const subject *s, int64_t row, const lb_beam *found)
{
    int count = 0;
    for (int64_t i = 0; i < found->n_best; i++) {
        const lb_hypothesis *h = &found->hypothesis[row * found->n_best + i];
        if (h->steps > 0) {
            ck_assert_int_eq(count, i);
            check_hypothesis(s, row, h);
            count++;
        } else {
            ck_assert(h->score == (double)-INFINITY && h->length == 0);
        }
    }
    ck_assert_int_gt(count, 0);
    return count;
}

/* Counts the rows with fewer outputs than are asked for, and the others. */
static void check_beam(lb_normalizer output, bool transformer, int *missing, int *whole)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        subject s = make(seed, output, transformer);
        lb_beam found =
            lb_beam_search(s.model, s.source, (lb_beam_config){.beam = VOCABULARY, .limit = LIMIT});
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        for (int64_t row = 0; row < 2; row++) {
            int count = check_row(&s, row, &found), possible = count_possible(&s, row);
            ck_assert_int_le(count, possible);
            if (possible < VOCABULARY) ck_assert_int_eq(count, possible);
            *missing += count < VOCABULARY;
            *whole += count == VOCABULARY;
        }
        discard(&s);
    }
}

START_TEST(test_beam_search_finds_what_is_possible_and_nothing_else)
{
    int missing = 0, whole = 0;
    check_beam(LB_SPARSEMAX, false, &missing, &whole);
    check_beam(LB_ENTMAX, false, &missing, &whole);
    check_beam(LB_SPARSEMAX, true, &missing, &whole);
    check_beam(LB_ENTMAX, true, &missing, &whole);
    ck_assert_int_gt(missing, 0);
    ck_assert_int_gt(whole, 0);
}
END_TEST

START_TEST(test_beam_of_one_is_greedy_with_sparse_probabilities)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        subject s = make(seed, LB_ENTMAX, seed % 2);
        lb_decoded greedy = lb_greedy(s.model, s.source, LIMIT);
        lb_beam found = lb_beam_search(s.model, s.source, (lb_beam_config){.beam = 1, .limit = LIMIT});
        for (int64_t row = 0; row < 2; row++) {
            const lb_hypothesis *h = &found.hypothesis[row];
            ck_assert_int_eq(h->length, greedy.lengths[row]);
            ck_assert_mem_eq(h->id, greedy.id + row * greedy.length, (size_t)h->length * sizeof *h->id);
        }
        discard(&s);
    }
}
END_TEST

START_TEST(test_sample_draws_nothing_that_is_impossible)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        subject s = make(seed, seed % 2 ? LB_SPARSEMAX : LB_ENTMAX, false);
        lb_beam drawn = lb_sample(s.model, s.source, (lb_sample_config){.count = 40, .limit = LIMIT});
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        for (int64_t i = 0; i < 2 * 40; i++) check_hypothesis(&s, i / 40, &drawn.hypothesis[i]);
        discard(&s);
    }
}
END_TEST

static void check_average(lb_normalizer output)
{
    static const int32_t in[] = {LB_BOS, 4, 5, LB_BOS, 5, 5}, out[] = {4, 5, LB_EOS, 5, 5, LB_EOS},
                         lengths[] = {3, 3};
    subject s = make(3, output, false);
    const lb_model *members[] = {s.model, make_model(s.params, "other", LB_SOFTMAX, true)};
    lb_ensemble both;
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    lb_tokens target = {s.tape, 2, 3, in, lengths}, wanted = {s.tape, 2, 3, out, lengths};
    lb_tensor *logits = lb_model_forward(&both.base, s.source, target);
    const lb_tensor *found = lb_model_probabilities(&both.base, logits), *p[2];
    for (int m = 0; m < 2; m++)
        p[m] = lb_model_probabilities(members[m], lb_model_forward(members[m], s.source, target));
    for (int64_t i = 0; i < lb_count(found); i++)
        ck_assert_double_eq_tol((double)found->data[i], (double)(p[0]->data[i] + p[1]->data[i]) / 2, 1e-6);
    ck_assert(isfinite(lb_item(lb_model_loss(&both.base, logits, wanted, NULL, LB_PAD, 0))));
    lb_decoded greedy = lb_greedy(&both.base, s.source, LIMIT);
    ck_assert_int_eq(greedy.batch, 2);
    discard(&s);
}

/* Two members, one of them sparse: the ensemble has the mean of their probabilities, and a loss. */
START_TEST(test_ensemble_with_a_sparse_member_averages_probabilities)
{
    check_average(LB_SPARSEMAX);
    check_average(LB_ENTMAX);
}
END_TEST

/* What a vote says of a hypothesis: a member that finds a token impossible says -1000 of it. Returns how often one
 * does. */
static int check_floor(const lb_ensemble *both, const lb_hypothesis *h, lb_tokens source)
{
    static const double LEAST = -1000;
    int32_t *id, *lengths;
    int floored = 0;
    lb_tokens out = lb_tokens_new(source.tape, 1, h->steps, &id, &lengths);
    memcpy(id, h->id, (size_t)h->length * sizeof *id);
    if (h->finished) id[h->length] = LB_EOS;
    lengths[0] = (int32_t)h->steps;
    const lb_tensor *all = lb_forced_decode(&both->base, source, out).log_probabilities, *each[2];
    for (int m = 0; m < 2; m++) each[m] = lb_forced_decode(both->member[m], source, out).log_probabilities;
    for (int64_t t = 0; t < h->steps; t++) {
        double expected = 0;
        for (int m = 0; m < 2; m++) {
            double own = (double)each[m]->data[t * VOCABULARY + id[t]];
            floored += own == (double)-INFINITY;
            expected += fmax(own, LEAST) / 2;
        }
        ck_assert_double_eq_tol((double)all->data[t * VOCABULARY + id[t]], expected, 1e-3);
        ck_assert_double_eq_tol(h->log_probability[t], expected, 1e-3);
    }
    return floored;
}

/* Members of both directions pool what is possible for each of them. */
START_TEST(test_vote_of_sparse_members_ends_with_fewer_outputs_than_are_asked_for)
{
    int missing = 0, floored = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        subject s = make(seed, LB_SPARSEMAX, false);
        const lb_seq2seq_config config = ((const lb_seq2seq *)s.model)->config;
        lb_seq2seq *back = lb_params_alloc(s.params, sizeof *back);
        ck_assert_int_eq(lb_seq2seq_init(back, s.params, "back", config), LB_OK);
        back->base.from_end = true;
        for (int64_t i = 0; i < lb_params_size(s.params); i++) lb_params_values(s.params)[i] *= 2;
        const lb_model *members[] = {s.model, &back->base};
        lb_ensemble both;
        ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
        lb_beam found =
            lb_beam_search(&both.base, s.source, (lb_beam_config){.beam = VOCABULARY, .limit = LIMIT});
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        ck_assert(found.hypothesis[0].steps > 0 && found.hypothesis[VOCABULARY].steps > 0);
        for (int64_t i = 0; i < 2 * VOCABULARY; i++) {
            const lb_hypothesis *h = &found.hypothesis[i];
            ck_assert(h->steps > 0 ? isfinite(h->score) : h->score == (double)-INFINITY);
            missing += h->steps == 0;
            lb_tokens one = {s.tape, 1, 3, source_id + i / VOCABULARY * 3, source_lengths + i / VOCABULARY};
            if (h->steps > 0) floored += check_floor(&both, h, one);
        }
        discard(&s);
    }
    ck_assert_int_gt(missing, 0);
    ck_assert_int_gt(floored, 10);
}
END_TEST

START_TEST(test_hard_attention_with_sparse_probabilities_is_an_error)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .attention = LB_ATTENTION_MONOTONIC};
    config.output = LB_ENTMAX;
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "m", config), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params),
                     "m: found the loss entmax, expected cross-entropy for hard attention");
    lb_params_free(params);
}
END_TEST
