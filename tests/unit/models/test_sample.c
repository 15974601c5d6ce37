/* Sampled outputs: their frequencies match the probabilities of the model, and a seed reproduces them. */
#include "lookback/models.h"
#include "support/suite.h"
#include "support/written.h"
#include <lookback/op.h>
#include <lookback/ops.h>

#include <math.h>
#include <string.h>

enum { VOCABULARY = 6, LIMIT = 5, DRAWS = 4000, ROWS = 3 };

static const int32_t source_id[] = {4, 5, 4, 5, 5, 0, 4, 0, 0}, source_lengths[] = {3, 2, 1};

typedef struct subject {
    lb_params *params;
    lb_tape *tape;
    lb_seq2seq model;
    lb_tokens source;
} subject;

/* A model whose random weights are large enough for clear preferences. */
static void make(subject *s, uint64_t seed)
{
    lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .embed = 4, .hidden = 5, .embedding_deviation = 1};
    *s = (subject){.params = lb_params_new(seed), .tape = lb_tape_new()};
    ck_assert_int_eq(lb_seq2seq_init(&s->model, s->params, "", config), LB_OK);
    for (int64_t i = 0; i < lb_params_size(s->params); i++) lb_params_values(s->params)[i] *= 3;
    s->source = (lb_tokens){s->tape, ROWS, 3, source_id, source_lengths};
}

static void discard(subject *s)
{
    lb_tape_free(s->tape);
    lb_params_free(s->params);
}

/* The model's log-probabilities of the next token after `count` tokens, for one row. */
static const lb_real *next_of(const subject *s, int64_t row, const int32_t *token, int32_t count)
{
    int32_t *in, *length;
    lb_tokens source = {s->tape, 1, 3, source_id + row * 3, source_lengths + row},
              target = lb_tokens_new(s->tape, 1, count + 1, &in, &length);
    *length = count + 1;
    in[0] = LB_BOS;
    for (int32_t i = 0; i < count; i++) in[i + 1] = token[i];
    const lb_tensor *found = support_log_probabilities(lb_model_forward(&s->model.base, source, target));
    ck_assert(lb_is_sound(found));
    return found->data + (int64_t)count * VOCABULARY;
}

/* The token at a step of an output; LB_EOS after its end. */
static int32_t token_of(const lb_hypothesis *h, int64_t step)
{
    return step < h->length ? h->id[step] : LB_EOS;
}

/* Pearson's chi-squared statistic of the tokens after `prefix` in the draws for a row, and its degrees of freedom. */
static double chi_square(const subject *s, const lb_beam *drawn, int64_t row, double temperature,
                         const int32_t *prefix, int32_t length, int *freedom)
{
    double expected[VOCABULARY], sum = 0, statistic = 0;
    int64_t seen[VOCABULARY] = {0}, all = 0;
    const lb_real *x = next_of(s, row, prefix, length);
    for (int i = LB_EOS; i < VOCABULARY; i++) sum += expected[i] = exp((double)x[i] / temperature);
    for (int64_t n = 0; n < DRAWS; n++) {
        const lb_hypothesis *h = &drawn->hypothesis[row * DRAWS + n];
        bool same = h->length >= length;
        for (int32_t t = 0; t < length && same; t++) same = h->id[t] == prefix[t];
        if (!same) continue;
        seen[token_of(h, length)]++;
        all++;
    }
    ck_assert_int_gt(all, 100);
    ck_assert_int_eq(seen[LB_PAD] + seen[LB_BOS], 0);
    *freedom = -1;
    for (int i = LB_EOS; i < VOCABULARY; i++) {
        double wanted = expected[i] / sum * (double)all;
        if (wanted < 1) continue; /* too rare for the distribution of the statistic */
        statistic += ((double)seen[i] - wanted) * ((double)seen[i] - wanted) / wanted;
        ++*freedom;
    }
    return statistic;
}

START_TEST(test_sample_frequencies_are_those_of_the_softmax)
{
    static const double critical[] = {0, 10.83, 13.82, 16.27}; /* quantiles at 0.999, by degrees of freedom */
    static const double temperatures[] = {1, 0.5, 2};
    subject s;
    make(&s, 3);
    for (int t = 0; SUPPORT_ROW(t, temperatures); t++) {
        lb_sample_config config = {.count = DRAWS, .limit = LIMIT, .temperature = temperatures[t], .seed = 5};
        lb_tape_reset(s.tape);
        lb_beam drawn = lb_sample(&s.model.base, s.source, config);
        ck_assert_msg(drawn.batch == ROWS, "%s", lb_tape_error(s.tape));
        for (int64_t row = 0; row < ROWS; row++) {
            int freedom;
            int32_t first = lb_argmax(next_of(&s, row, NULL, 0) + LB_UNK, VOCABULARY - LB_UNK) + LB_UNK;
            double statistic = chi_square(&s, &drawn, row, temperatures[t], NULL, 0, &freedom);
            ck_assert_int_ge(freedom, 1);
            ck_assert_double_lt(statistic, critical[freedom]);
            statistic = chi_square(&s, &drawn, row, temperatures[t], &first, 1, &freedom);
            ck_assert_int_ge(freedom, 1);
            ck_assert_double_lt(statistic, critical[freedom]);
        }
    }
    discard(&s);
}
END_TEST

START_TEST(test_sample_at_a_temperature_near_zero_is_greedy)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        subject s;
        make(&s, seed);
        lb_beam drawn = lb_sample(&s.model.base, s.source,
                                  (lb_sample_config){.count = 2, .limit = LIMIT, .temperature = 1e-300});
        lb_decoded greedy = lb_greedy(&s.model.base, s.source, LIMIT);
        ck_assert_int_eq(drawn.batch, ROWS);
        for (int64_t i = 0; i < 2 * ROWS; i++) {
            const lb_hypothesis *h = &drawn.hypothesis[i];
            ck_assert_int_eq(h->length, greedy.lengths[i / 2]);
            ck_assert_int_eq(h->finished, greedy.finished[i / 2]);
            ck_assert_mem_eq(h->id, greedy.id + i / 2 * greedy.length, (size_t)h->length * sizeof *h->id);
        }
        discard(&s);
    }
}
END_TEST

static void check_scores(double length_penalty)
{
    subject s;
    make(&s, 2);
    lb_sample_config config = {.count = 20, .limit = LIMIT, .temperature = 3};
    config.length_penalty = length_penalty;
    lb_beam drawn = lb_sample(&s.model.base, s.source, config);
    for (int64_t i = 0; i < ROWS * 20; i++) {
        const lb_hypothesis *h = &drawn.hypothesis[i];
        double sum = 0;
        ck_assert_int_eq(h->steps, h->length + h->finished);
        for (int32_t t = 0; t < h->steps; t++) {
            ck_assert_double_eq_tol(h->log_probability[t],
                                    (double)next_of(&s, i / 20, h->id, t)[token_of(h, t)], 1e-4);
            sum += h->log_probability[t];
            const lb_real *w = h->weights + (int64_t)t * 3;
            ck_assert_double_eq_tol((double)(w[0] + w[1] + w[2]), 1, 1e-5);
        }
        ck_assert_double_eq_tol(h->score, length_penalty < 0 ? sum : sum / sqrt((double)h->steps), 1e-9);
    }
    discard(&s);
}

START_TEST(test_sample_has_scores_and_attention_of_the_model_itself)
{
    check_scores(0.5);
    check_scores(-2); /* not divided */
}
END_TEST

START_TEST(test_sample_on_a_training_tape_has_no_dropout)
{
    lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .embed = 4, .hidden = 5, .dropout = (lb_real)0.6};
    lb_sample_config sample = {.count = 20, .limit = LIMIT, .seed = 3};
    lb_params *params = lb_params_new(5);
    lb_seq2seq model;
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    lb_tape *tape = lb_tape_new();
    lb_tokens source = {tape, ROWS, 3, source_id, source_lengths};
    lb_beam found = lb_sample(&model.base, source, sample);
    ck_assert_int_eq(lb_tape_mode(tape), LB_MODE_TRAIN);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_beam expected = lb_sample(&model.base, source, sample);
    ck_assert_int_eq(lb_tape_mode(tape), LB_MODE_EVALUATE);
    for (int64_t i = 0; i < ROWS * 20; i++)
        ck_assert_double_eq(found.hypothesis[i].score, expected.hypothesis[i].score);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

static void expect_same(const lb_hypothesis *a, const lb_hypothesis *b)
{
    ck_assert_int_eq(a->length, b->length);
    ck_assert_mem_eq(a->id, b->id, (size_t)a->length * sizeof *a->id);
}

START_TEST(test_sample_depends_on_the_numbers_of_the_texts_alone)
{
    enum { COUNT = 12 };
    subject s;
    make(&s, 4);
    const uint64_t number[] = {7, 1, 4}, others[] = {8, 2, 5};
    lb_sample_config config = {.count = COUNT, .limit = LIMIT, .seed = 9, .text = number};
    lb_beam all = lb_sample(&s.model.base, s.source, config);
    for (int64_t row = 0; row < ROWS; row++) {
        lb_tokens one = {s.tape, 1, 3, source_id + row * 3, source_lengths + row};
        config.text = number + row;
        config.count = COUNT / 2; /* fewer draws are the first ones */
        lb_beam alone = lb_sample(&s.model.base, one, config);
        for (int i = 0; i < COUNT / 2; i++)
            expect_same(&alone.hypothesis[i], &all.hypothesis[row * COUNT + i]);
    }
    config = (lb_sample_config){.count = COUNT, .limit = LIMIT, .seed = 9, .text = others};
    lb_beam other = lb_sample(&s.model.base, s.source, config);
    config.seed++;
    lb_beam reseeded = lb_sample(&s.model.base, s.source, config);
    int different = 0, changed = 0;
    for (int64_t i = 0; i < ROWS * COUNT; i++) {
        different += other.hypothesis[i].length != all.hypothesis[i].length;
        changed += other.hypothesis[i].length != reseeded.hypothesis[i].length;
    }
    ck_assert_int_gt(different, 5);
    ck_assert_int_gt(changed, 5);
    discard(&s);
}
END_TEST

START_TEST(test_sample_impossible_numbers_are_errors)
{
    static const lb_sample_config impossible[] = {{.count = -1},
                                                  {.count = 65537},
                                                  {.limit = -1},
                                                  {.temperature = -1},
                                                  {.temperature = NAN},
                                                  {.temperature = INFINITY},
                                                  {.length_penalty = INFINITY}};
    for (int i = 0; SUPPORT_ROW(i, impossible); i++) {
        subject s;
        make(&s, 1);
        ck_assert_int_eq(lb_sample(&s.model.base, s.source, impossible[i]).batch, 0);
        ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_ARGUMENT);
        discard(&s);
    }
}
END_TEST

START_TEST(test_draw_frequencies_are_those_of_the_softmax_over_the_temperature)
{
    const lb_real logits[] = {0, 1, -(lb_real)INFINITY, 2, -1};
    static const double temperatures[] = {0.5, 1, 3};
    enum { CLASSES = 5 };
    for (int t = 0; SUPPORT_ROW(t, temperatures); t++) {
        double power[CLASSES], sum = 0, chi = 0;
        int drawn[CLASSES] = {0};
        for (int i = 0; i < CLASSES; i++) sum += power[i] = exp((double)logits[i] / temperatures[t]);
        for (int n = 0; n < DRAWS; n++)
            drawn[lb_draw(logits, CLASSES, temperatures[t],
                          lb_rng_uniform((lb_rng){.seed = 3}, (uint64_t)n))]++;
        ck_assert_int_eq(drawn[2], 0);
        for (int i = 0; i < CLASSES; i++)
            if (power[i] > 0) chi += pow(drawn[i] - DRAWS * power[i] / sum, 2) / (DRAWS * power[i] / sum);
        ck_assert_msg(chi < 20, "%g at temperature %g", chi, temperatures[t]); /* 3 degrees of freedom */
    }
}
END_TEST

START_TEST(test_draw_goes_through_the_classes_in_order_as_the_uniform_number_grows)
{
    const lb_real equal[] = {5, 5, 5, 5}, odd[] = {0, (lb_real)NAN, 1}, hidden[] = {0, -(lb_real)INFINITY};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(lb_draw(equal, 4, 1, i / 4.0), i);
        ck_assert_int_eq(lb_draw(equal, 4, 1, i / 4.0 + 0.2499), i);
    }
    ck_assert_int_eq(lb_draw(hidden, 2, 1, 0.999999999), 0);
    ck_assert_int_eq(lb_draw(hidden, 2, 1e-300, 0.5), 0);
    /* The largest one, if there is nothing to draw by. */
    const lb_real rising[] = {0, 1, 2};
    ck_assert_int_eq(lb_draw(rising, 3, 0, 0), 2);
    ck_assert_int_eq(lb_draw(rising, 3, -1, 0), 2);
    ck_assert_int_eq(lb_draw(rising, 3, (double)NAN, 0), 2);
    ck_assert_int_eq(lb_draw(rising, 3, 1e-6, 0), 2);
    ck_assert_int_eq(lb_draw(odd, 3, 1, 0.9), lb_argmax(odd, 3));
}
END_TEST
