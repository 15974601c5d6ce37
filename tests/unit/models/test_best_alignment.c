/* The likeliest alignment of hard attention against all alignments, one by one. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/attention/decoder_attention.h"
#include "models/built_in.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, KEYS = 4, STEPS = 4, VOCABULARY = 7, PATHS = KEYS * KEYS * KEYS * KEYS };

static const int32_t source_id[] = {4, 6, 5, 4, 5, 6, 0, 0}, source_lengths[] = {4, 2};
static const int32_t in_id[] = {LB_BOS, 4, 5, 6, LB_BOS, 5, 6, 0},
                     out_id[] = {4, 5, 6, LB_EOS, 5, 6, LB_EOS, 0};
static const int32_t target_lengths[] = {4, 3};

typedef struct subject {
    lb_params *params;
    lb_tape *tape;
    lb_seq2seq model;
    lb_tokens source, in, out;
} subject;

static subject make(lb_attention_kind kind)
{
    subject s = {.params = lb_params_new(11), .tape = lb_tape_new()};
    lb_seq2seq_config config = {
        .source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4, .hidden = 5};
    config.attention = kind;
    config.layers = 2;
    config.dropout = (lb_real)0.3; /* it must not matter */
    config.embedding_deviation = 1;
    ck_assert_int_eq(lb_seq2seq_init(&s.model, s.params, "", config), LB_OK);
    for (int64_t i = 0; i < lb_params_size(s.params); i++) lb_params_values(s.params)[i] *= 3;
    s.source = (lb_tokens){s.tape, BATCH, KEYS, source_id, source_lengths};
    s.in = (lb_tokens){s.tape, BATCH, STEPS, in_id, target_lengths};
    s.out = (lb_tokens){s.tape, BATCH, STEPS, out_id, target_lengths};
    return s;
}

static void discard(subject s)
{
    lb_tape_free(s.tape);
    lb_params_free(s.params);
}

/* Replaces the source and the targets by one row each. */
static void take_row(subject *s, const int32_t *source, const int32_t *source_length, const int32_t *in,
                     const int32_t *out, const int32_t *length)
{
    s->source = (lb_tokens){s->tape, 1, *source_length, source, source_length};
    s->in = (lb_tokens){s->tape, 1, *length, in, length};
    s->out = (lb_tokens){s->tape, 1, *length, out, length};
}

/* What the model says of each pair of a step and a position. */
static lb_hard_view look(const subject *s)
{
    lb_tape_set_mode(s->tape, LB_MODE_EVALUATE);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&s->model, s->source);
    lb_seq2seq_decoded decoded = lb_seq2seq_decode(&s->model, &encoded, encoded.initial, s->in);
    return lb_hard_attention_look(&s->model.attention, decoded.top, &encoded.memory);
}

static double move(const lb_hard_view *v, int row, int t, int i, int j)
{
    double sum = 0, mine = 0;
    int at = row * STEPS + t;
    for (int k = 0; k < source_lengths[row]; k++) {
        double score = (double)v->scores->data[at * KEYS + k];
        if (v->jumps && k >= i) score += (double)v->jumps->data[at * LB_HARD_JUMPS + k - i];
        sum += exp(score);
        if (k == j) mine = exp(score);
    }
    return mine / sum;
}

/* The same for a monotonic attention. */
static double move_right(const lb_hard_view *v, int row, int t, int i, int j)
{
    double sum = 0;
    for (int k = i; k < source_lengths[row]; k++) sum += move(v, row, t, i, k);
    return j < i ? 0 : move(v, row, t, i, j) / sum;
}

static double probability(const subject *s, const lb_hard_view *v, int row, const int32_t *path)
{
    double product = 1;
    bool monotonic = s->model.config.attention != LB_ATTENTION_HARD;
    for (int t = 0, before = 0; t < target_lengths[row]; before = path[t++]) {
        const lb_real *x = v->logits->data + ((row * STEPS + t) * KEYS + path[t]) * VOCABULARY;
        double sum = 0;
        for (int c = 0; c < VOCABULARY; c++) sum += exp((double)x[c]);
        if (path[t] >= source_lengths[row]) return 0;
        product *= exp((double)x[out_id[row * STEPS + t]]) / sum;
        product *= (monotonic ? move_right : move)(v, row, t, before, path[t]);
    }
    return product;
}

/* ln p(symbol | position j at step t) of the first row. */
static double emission(const lb_hard_view *v, int t, int64_t j, int32_t symbol)
{
    const lb_real *x = v->logits->data + (t * lb_dim(v->scores, -1) + j) * VOCABULARY;
    double sum = 0;
    for (int c = 0; c < VOCABULARY; c++) sum += exp((double)x[c]);
    return (double)x[symbol] - log(sum);
}

/* ln p(a_t = j | a_(t-1) = i) of the first row, where jumps that are longer than all others count as the longest. */
static double jump_to(const lb_hard_view *v, int t, int64_t i, int64_t j)
{
    double sum = 0, mine = 0;
    int64_t keys = lb_dim(v->scores, -1), reach = LB_HARD_JUMPS - 1;
    for (int64_t k = i; k < keys; k++) {
        double score = (double)v->scores->data[t * keys + k];
        score += (double)v->jumps->data[t * LB_HARD_JUMPS + (k - i < reach ? k - i : reach)];
        sum += exp(score);
        if (k == j) mine = score;
    }
    return mine - log(sum);
}

static const lb_attention_kind kinds[] = {LB_ATTENTION_HARD, LB_ATTENTION_MONOTONIC,
                                          LB_ATTENTION_MONOTONIC_1};

START_LOOP_TEST(test_best_alignment_is_the_likeliest_of_all, LB_LENGTH(kinds))
{
    subject s = make(kinds[_i]);
    lb_hard_view view = look(&s);
    lb_tape_set_mode(s.tape, LB_MODE_TRAIN);
    lb_best_alignment found = lb_model_best_alignment(&s.model.base, s.source, s.out);
    ck_assert_msg(found.batch == BATCH && found.length == STEPS, "%s", lb_tape_error(s.tape));
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    for (int row = 0; SUPPORT_ROW(row, target_lengths); row++) {
        double best = 0;
        for (int number = 0; number < PATHS; number++) {
            int32_t path[STEPS];
            for (int t = 0, rest = number; t < STEPS; t++, rest /= KEYS) path[t] = rest % KEYS;
            best = fmax(best, probability(&s, &view, row, path));
        }
        ck_assert_double_gt(best, 0);
        ck_assert_double_eq_tol(found.log_probability[row], log(best), 1e-5);
        ck_assert_double_eq_tol(log(probability(&s, &view, row, found.position + row * STEPS)), log(best),
                                1e-5);
        for (int t = target_lengths[row]; t < STEPS; t++)
            ck_assert_int_eq(found.position[row * STEPS + t], -1);
    }
    discard(s);
}
END_TEST

START_TEST(test_best_alignment_of_a_monotonic_attention_never_goes_left)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        subject s = make(seed % 2 ? LB_ATTENTION_MONOTONIC : LB_ATTENTION_MONOTONIC_1);
        for (int64_t i = 0; i < lb_params_size(s.params); i++)
            lb_params_values(s.params)[i] =
                (lb_real)(4 * lb_rng_uniform((lb_rng){.seed = seed}, (uint64_t)i) - 2);
        lb_best_alignment found = lb_model_best_alignment(&s.model.base, s.source, s.out);
        for (int row = 0; SUPPORT_ROW(row, target_lengths); row++)
            for (int t = 1; t < target_lengths[row]; t++)
                ck_assert_int_ge(found.position[row * STEPS + t], found.position[row * STEPS + t - 1]);
        discard(s);
    }
}
END_TEST

/* Jumps by LB_HARD_JUMPS - 1 or more positions share a score, which here is far above the others. */
START_TEST(test_best_alignment_jumps_beyond_the_reach)
{
    enum { LONG = LB_HARD_JUMPS + 4, SHORT = 2 };
    static const int32_t source[LONG] = {4, 6, 5, 4, 5, 6, 6, 4, 5}, length = LONG, steps = SHORT;
    static const int32_t in[] = {LB_BOS, 4}, out[] = {4, LB_EOS};
    subject s = make(LB_ATTENTION_MONOTONIC_1);
    take_row(&s, source, &length, in, out, &steps);
    lb_tensor *bias = lb_params_find(s.params, "attention.jump.bias");
    for (int i = 0; i < LB_HARD_JUMPS; i++) bias->data[i] = (lb_real)(i == LB_HARD_JUMPS - 1 ? 30 : 2 * i);
    lb_hard_view v = look(&s);
    double best = -INFINITY;
    for (int first = 0; first < LONG; first++)
        for (int last = first; last < LONG; last++) {
            double sum = emission(&v, 0, first, out[0]) + emission(&v, 1, last, out[1]);
            best = fmax(best, sum + jump_to(&v, 0, 0, first) + jump_to(&v, 1, first, last));
        }
    lb_best_alignment found = lb_model_best_alignment(&s.model.base, s.source, s.out);
    ck_assert_int_ge(found.position[0], LB_HARD_JUMPS - 1);
    ck_assert_double_eq_tol(found.log_probability[0], best, 1e-5);
    discard(s);
}
END_TEST

/* A model that prefers nothing. */
START_LOOP_TEST(test_best_alignment_of_equal_ones_is_the_leftmost_of_what_the_model_reads, LB_LENGTH(kinds))
{
    static const int32_t source[] = {4, 6, 5}, length = 3, in[] = {LB_BOS, 4, 5}, out[] = {4, 5, LB_EOS};
    for (int32_t steps = 1; steps <= (kinds[_i] == LB_ATTENTION_HARD ? 3 : 1); steps += 2)
        for (int backward = 0; backward < 2; backward++) {
            subject s = make(kinds[_i]);
            take_row(&s, source, &length, in, out, &steps);
            s.model.base.from_end = backward;
            memset(lb_params_values(s.params), 0, (size_t)lb_params_size(s.params) * sizeof(lb_real));
            lb_best_alignment found = lb_model_best_alignment(&s.model.base, s.source, s.out);
            for (int t = 0; t < steps; t++)
                ck_assert_int_eq(found.position[t],
                                 backward && kinds[_i] != LB_ATTENTION_HARD ? length - 1 : 0);
            discard(s);
        }
}
END_TEST

START_TEST(test_best_alignment_of_soft_attention_is_none)
{
    subject s = make(LB_ATTENTION_GENERAL);
    lb_best_alignment found = lb_model_best_alignment(&s.model.base, s.source, s.out);
    ck_assert_int_eq(found.batch, 0);
    ck_assert_int_eq(lb_tape_status(s.tape), LB_OK);
    discard(s);
}
END_TEST

START_TEST(test_best_alignment_of_targets_outside_the_vocabulary_is_an_error)
{
    subject s = make(LB_ATTENTION_MONOTONIC);
    s.out.id = (const int32_t[]){4, 5, 9, LB_EOS, 5, 6, LB_EOS, 0};
    ck_assert_int_eq(lb_model_best_alignment(&s.model.base, s.source, s.out).batch, 0);
    ck_assert_str_eq(lb_tape_error(s.tape), "lb_model_best_alignment: found target 9, expected 0 to 6");
    discard(s);
}
END_TEST

/* A model that writes from the end is one that reads and writes everything in reverse order. */
START_LOOP_TEST(test_best_alignment_from_the_end_is_that_of_reversed_texts, LB_LENGTH(kinds))
{
    static const int32_t turned_source[] = {4, 5, 6, 4, 6, 5, 0, 0};
    static const int32_t turned_out[] = {6, 5, 4, LB_EOS, 6, 5, LB_EOS, 0};
    subject s = make(kinds[_i]);
    lb_best_alignment found[2];
    lb_tensor *weights[2];
    bool free_order = kinds[_i] == LB_ATTENTION_HARD;
    for (int turn = 0; turn < 2; turn++) {
        s.model.base.from_end = turn == 0;
        if (turn && !free_order) s.source.id = turned_source;
        if (turn) s.out.id = turned_out;
        found[turn] = lb_model_best_alignment(&s.model.base, s.source, s.out);
        lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
        lb_seq2seq_encoded encoded = lb_seq2seq_encode(&s.model, s.source);
        weights[turn] = lb_seq2seq_decode(&s.model, &encoded, encoded.initial, s.in).weights;
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
    }
    for (int row = 0; SUPPORT_ROW(row, source_lengths); row++) {
        int length = target_lengths[row], keys = source_lengths[row];
        ck_assert_double_eq_tol(found[0].log_probability[row], found[1].log_probability[row], 1e-5);
        for (int t = 0; t < length; t++) {
            int32_t there = found[1].position[row * STEPS + (t < length - 1 ? length - 2 - t : t)];
            ck_assert_int_eq(found[0].position[row * STEPS + t], free_order ? there : keys - 1 - there);
            for (int j = 0; j < keys; j++)
                ck_assert_double_eq_tol(
                    (double)weights[0]->data[(row * STEPS + t) * KEYS + j],
                    (double)weights[1]->data[(row * STEPS + t) * KEYS + (free_order ? j : keys - 1 - j)],
                    1e-5);
        }
    }
    discard(s);
}
END_TEST
