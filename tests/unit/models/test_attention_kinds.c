/* Every kind of attention in lb_seq2seq. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "support/fixture.h"
#include "support/model.h"
#include "support/suite.h"
#include "train/optimizer.h"

#include <math.h>

static const lb_attention_kind kinds[] = {
    LB_ATTENTION_ADDITIVE,   LB_ATTENTION_DOT,        LB_ATTENTION_GENERAL, LB_ATTENTION_NONE,
    LB_ATTENTION_SCALED_DOT, LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_LOCAL_M, LB_ATTENTION_LOCAL_P,
    LB_ATTENTION_COVERAGE,   LB_ATTENTION_LOCATION,   LB_ATTENTION_HARD,    LB_ATTENTION_MONOTONIC,
    LB_ATTENTION_MONOTONIC_1};

/* Each kind twice, with a separate output and tied; and those with soft attention also with the other normalisers. */
enum {
    HARD_KINDS = 3, /* the last ones */
    PLAIN = 2 * LB_LENGTH(kinds),
    SPARSE = PLAIN - 2 * HARD_KINDS,
    VARIANTS = PLAIN + LB_ENTMAX * SPARSE
};

static lb_attention_kind kind_of(int variant)
{
    return kinds[(variant < PLAIN ? variant : (variant - PLAIN) % SPARSE) / 2];
}

static lb_normalizer normalizer_of(int variant)
{
    return variant < PLAIN ? LB_SOFTMAX : (lb_normalizer)(1 + (variant - PLAIN) / SPARSE);
}

/* Compares with PyTorch the kinds that attend after each step, and those that tie their output to the target embedding.
 * For the untied additive kind see test_seq2seq. */
static const char *const fixtures[] = {
    "seq2seq_dot",           "seq2seq_scaled_dot",   "seq2seq_general",          "seq2seq_multi_head",
    "seq2seq_additive_tied", "seq2seq_general_tied", "seq2seq_multi_head_tied",  "seq2seq_hard",
    "seq2seq_monotonic",     "seq2seq_monotonic_1",  "seq2seq_monotonic_1_tied", "seq2seq_local_m",
    "seq2seq_local_p",       "seq2seq_local_p_tied", "seq2seq_coverage",         "seq2seq_coverage_tied",
    "seq2seq_location"};

static const int32_t source_id[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
static const int32_t in_id[] = {LB_BOS, 4, 5, 6, LB_BOS, 5, 7, 0},
                     out_id[] = {4, 5, 6, LB_EOS, 5, 7, LB_EOS, 0};
static const int32_t target_lengths[] = {4, 3}, full_lengths[] = {4, 4};

typedef struct subject {
    lb_params *params;
    lb_seq2seq model;
} subject;

static subject make(int variant, bool bidirectional)
{
    subject s = {.params = lb_params_new(5)};
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .embed = 3, .hidden = 4, .heads = 2};
    config.attention = kind_of(variant);
    config.window = lb_built_in_attentions[config.attention]->window > 0;
    config.attention_weights = normalizer_of(variant);
    config.bidirectional = bidirectional;
    config.tied = variant % 2;
    config.embedding_deviation = 1;
    ck_assert_int_eq(lb_seq2seq_init(&s.model, s.params, "m", config), LB_OK);
    return s;
}

static lb_tensor *loss_of(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, target_lengths};
    lb_tokens out = {tape, 2, 4, out_id, target_lengths};
    return lb_cross_entropy(lb_seq2seq_forward(&s->model, source, in), out, LB_PAD);
}

START_LOOP_TEST(test_forward_of_each_kind_has_weights_that_sum_to_one_and_ignore_padding, VARIANTS)
{
    subject s = make(_i, false);
    lb_tape *tape = lb_tape_new();
    lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, full_lengths};
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&s.model, source);
    lb_seq2seq_decoded decoded = lb_seq2seq_decode(&s.model, &encoded, encoded.initial, in);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    ck_assert(lb_shape_equal(decoded.logits->shape, LB_SHAPE(2, 4, 8)));
    if (kind_of(_i) == LB_ATTENTION_NONE) {
        ck_assert_ptr_null(decoded.weights);
    } else {
        int64_t heads = kind_of(_i) == LB_ATTENTION_MULTI_HEAD ? 2 : 1;
        ck_assert(lb_shape_equal(decoded.weights->shape, LB_SHAPE(2, heads, 4, 3)));
        for (int64_t row = 0; row < 2 * heads * 4; row++) {
            const lb_real *w = decoded.weights->data + row * 3;
            double sum = (double)(w[0] + w[1] + w[2]);
            if (kind_of(_i) == LB_ATTENTION_LOCAL_P) /* times a Gaussian */
                ck_assert(sum > 0 && sum < 1);
            else
                ck_assert_double_eq_tol(sum, 1, 1e-5);
            if (s.model.config.attention_weights == LB_SOFTMAX && s.model.config.window == 0)
                ck_assert_double_gt((double)w[0], 0);
            if (row >= heads * 4) ck_assert_double_eq((double)w[2], 0);
        }
    }
    lb_tape_free(tape);
    lb_params_free(s.params);
}
END_TEST

START_LOOP_TEST(test_forward_outputs_and_gradients_of_kinds_equal_pytorch, LB_LENGTH(fixtures))
{
    support_model m = support_model_open(fixtures[_i]);
    lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
    lb_tokens target_in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
    lb_tokens target_out = support_fixture_tokens(m.fixture, m.tape, "input.target_out", NULL, 0);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(m.seq2seq, source);
    lb_seq2seq_decoded decoded = lb_seq2seq_decode(m.seq2seq, &encoded, encoded.initial, target_in);
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    support_fixture_compare(m.fixture, "output.logits", decoded.logits->data);
    support_fixture_compare(m.fixture, "output.weights", decoded.weights->data);
    lb_tensor *loss = lb_cross_entropy(decoded.logits, target_out, LB_PAD);
    support_fixture_backward(m.fixture, support_fixture_output(m.fixture, "loss", loss, NULL), m.params);
    support_model_close(m);
}
END_TEST

START_LOOP_TEST(test_decode_of_each_kind_step_by_step_equals_all_at_once, VARIANTS)
{
    subject s = make(_i, false);
    lb_tape *tape = lb_tape_new();
    lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, full_lengths};
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&s.model, source);
    lb_seq2seq_decoded whole = lb_seq2seq_decode(&s.model, &encoded, encoded.initial, in);
    lb_tensor **state = encoded.initial;
    for (int64_t t = 0; t < 4; t++) {
        const int32_t id[] = {in_id[t], in_id[4 + t]}, one[] = {1, 1};
        lb_seq2seq_decoded step =
            lb_seq2seq_decode(&s.model, &encoded, state, (lb_tokens){tape, 2, 1, id, one});
        state = step.final;
        encoded.memory.past = step.past;
        for (int64_t row = 0; row < 2; row++)
            for (int64_t i = 0; i < 8; i++)
                ck_assert_double_eq_tol((double)step.logits->data[row * 8 + i],
                                        (double)whole.logits->data[(row * 4 + t) * 8 + i], 1e-5);
    }
    lb_tape_free(tape);
    lb_params_free(s.params);
}
END_TEST

START_LOOP_TEST(test_each_kind_learns_one_batch_by_heart, VARIANTS)
{
    subject s = make(_i, false);
    lb_tape *tape = lb_tape_new();
    lb_optimizer *adam = lb_optimizer_new(s.params, (lb_optimizer_config){.lr = (lb_real)0.02});
    double first = 0, last = 0;
    for (int step = 0; step < 150; step++) {
        lb_tape_reset(tape);
        lb_tensor *loss = loss_of(tape, &s);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        last = (double)lb_item(loss);
        if (step == 0) first = last;
        ck_assert_int_eq(lb_optimizer_step(adam, NULL), LB_OK);
    }
    ck_assert_double_gt(first, 1);
    ck_assert_double_lt(last, 0.1);
    lb_tokens source = {tape, 2, 3, source_id, source_lengths};
    lb_decoded decoded = lb_greedy(&s.model.base, source, 6);
    ck_assert_int_eq(decoded.heads, kind_of(_i) == LB_ATTENTION_NONE ? 0 : s.model.attention.heads);
    ck_assert_int_eq(decoded.lengths[0], 3);
    ck_assert_int_eq(decoded.id[2], 6);
    lb_optimizer_free(adam);
    lb_tape_free(tape);
    lb_params_free(s.params);
}
END_TEST

START_LOOP_TEST(test_tied_models_of_each_kind_have_no_output_weight_of_their_own, LB_LENGTH(kinds))
{
    subject s = make(2 * _i + 1, false);
    const lb_linear *combine = &s.model.combine;
    ck_assert_ptr_null(lb_params_find(s.params, "m.output.weight"));
    ck_assert_ptr_nonnull(lb_params_find(s.params, "m.output.bias"));
    ck_assert_ptr_eq(s.model.output.weight, lb_params_find(s.params, "m.target_embedding.weight"));
    ck_assert_ptr_eq(combine->weight, lb_params_find(s.params, "m.combine.weight"));
    ck_assert(lb_shape_equal(combine->weight->shape, LB_SHAPE(3, 4 + s.model.attention.depth)));
    lb_params_free(s.params);
}
END_TEST

START_TEST(test_dot_of_unequal_widths_is_an_error_that_names_both)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .hidden = 4, .bidirectional = true};
    config.attention = LB_ATTENTION_DOT;
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "m", config), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params),
                     "m.attention: query width 4 and key width 8 differ: a dot product needs equal widths");
    lb_params_free(params);
}
END_TEST

/* Two rows of sources with 3 and 2 positions, of which local attention sees those next to its own. */
START_TEST(test_local_m_looks_at_the_position_of_its_step_and_stays_at_the_last)
{
    static const bool seen[2][2][4][3] = {
        {{{1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}}, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}}},
        {{{0, 1, 1}, {1, 1, 1}, {1, 1, 0}, {1, 1, 0}}, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}}}};
    for (int backward = 0; SUPPORT_ROW(backward, seen); backward++) {
        lb_params *params = lb_params_new(5);
        lb_tape *tape = lb_tape_new();
        lb_seq2seq model;
        lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .embed = 3, .hidden = 4};
        config.attention = LB_ATTENTION_LOCAL_M;
        config.window = 1;
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "m", config), LB_OK);
        model.base.from_end = backward;
        lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, full_lengths};
        lb_seq2seq_encoded encoded = lb_seq2seq_encode(&model, source);
        lb_seq2seq_decoded decoded = lb_seq2seq_decode(&model, &encoded, encoded.initial, in);
        ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
        for (int i = 0; i < 2 * 4 * 3; i++)
            ck_assert_int_eq(decoded.weights->data[i] > 0, seen[backward][i / 12][i / 3 % 4][i % 3]);
        /* In parts: the next position is that after all tokens that were read. */
        for (int part = 0, first = 0; part < 2; first += part++ ? 1 : 3) {
            const int32_t counts[] = {part ? 1 : 3, part ? 1 : 3}, ids[] = {2, 4, 5, 2, 4, 5};
            in = (lb_tokens){tape, 2, counts[0], ids, counts};
            decoded = lb_seq2seq_decode(&model, &encoded, encoded.initial, in);
            encoded.memory.past = decoded.past;
            for (int i = 0; i < 2 * counts[0] * 3; i++)
                ck_assert_int_eq(decoded.weights->data[i] > 0,
                                 seen[backward][i / 3 / counts[0]][first + i / 3 % counts[0]][i % 3]);
        }
        lb_tape_free(tape);
        lb_params_free(params);
    }
}
END_TEST

/* What is known of the past after steps of which one row has fewer: the same as after that row alone. */
START_TEST(test_past_of_a_row_that_has_ended_is_that_at_its_end)
{
    for (int kind = LB_ATTENTION_LOCAL_M; kind <= LB_ATTENTION_LOCATION; kind++) {
        int variant = 0;
        while (kind_of(variant) != (lb_attention_kind)kind) variant++;
        subject s = make(variant, false);
        lb_tape *tape = lb_tape_new();
        lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, target_lengths};
        lb_tokens last = {tape, 1, 3, source_id + 3, source_lengths + 1},
                  alone = {tape, 1, 3, in_id + 4, target_lengths + 1};
        lb_seq2seq_encoded both = lb_seq2seq_encode(&s.model, source),
                           one = lb_seq2seq_encode(&s.model, last);
        const lb_tensor *past = lb_seq2seq_decode(&s.model, &both, both.initial, in).past,
                        *other = lb_seq2seq_decode(&s.model, &one, one.initial, alone).past;
        ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
        ck_assert_int_eq(past == NULL, kind == LB_ATTENTION_LOCAL_P);
        for (int64_t i = 0; past && i < lb_count(other); i++)
            ck_assert_double_eq_tol((double)past->data[lb_count(other) + i], (double)other->data[i], 1e-6);
        lb_tape_free(tape);
        lb_params_free(s.params);
    }
}
END_TEST

START_TEST(test_window_of_attention_without_one_is_an_error)
{
    static const struct {
        lb_attention_kind kind;
        int64_t window;
        const char *message;
    } cases[] = {
        {LB_ATTENTION_COVERAGE, 2, "m: found a window of 2, expected none for attention without one"},
        {LB_ATTENTION_LOCAL_P, -1, "m: found a window of -1, expected 0 or more"},
    };
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_params *params = lb_params_new(1);
        lb_seq2seq model;
        lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .attention = cases[i].kind};
        config.window = cases[i].window;
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "m", config), LB_ERROR_ARGUMENT);
        ck_assert_str_eq(lb_params_error(params), cases[i].message);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_sparse_weights_of_hard_attention_are_an_error)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .hidden = 4};
    config.attention = LB_ATTENTION_MONOTONIC;
    config.attention_weights = LB_SPARSEMAX;
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "m", config), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params),
                     "m.attention: found weights by sparsemax, expected softmax for hard attention");
    lb_params_free(params);
}
END_TEST

#ifdef LB_REAL_IS_DOUBLE
START_LOOP_TEST(test_gradient_of_each_kind_matches_differences, VARIANTS)
{
    lb_attention_kind kind = kind_of(_i);
    bool needs_equal_widths = kind == LB_ATTENTION_DOT || kind == LB_ATTENTION_SCALED_DOT;
    subject s = make(_i, !needs_equal_widths);
    lb_tensor *all[64];
    int64_t count = lb_params_count(s.params);
    ck_assert_int_lt(count, 64);
    for (int i = 0; i < count; i++) all[i] = lb_params_tensor(s.params, i);
    lb_error error = {0};
    ck_assert_msg(lb_gradcheck(loss_of, &s, all, count, (lb_gradcheck_options){0}, &error) == LB_OK,
                  "kind %d: %s", (int)kind, error.message);
    lb_params_free(s.params);
}
END_TEST
#endif
