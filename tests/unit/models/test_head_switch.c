/* A head of attention switched off and on again. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "lookback/ops.h"
#include "models/ensemble/ensemble.h"
#include "support/alloc.h"
#include "support/own_kinds.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const int32_t source_id[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
static const int32_t in_id[] = {LB_BOS, 4, 5, 6, LB_BOS, 5, 7, 0}, in_lengths[] = {4, 3};

enum { LOGITS = 2 * 4 * 8 };

/* One model of each kind: the seq2seq models share the sizes, also tied ones. */
typedef struct subject {
    lb_params *params;
    lb_model *model;
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} subject;

static void make_seq2seq(subject *s, lb_attention_kind kind, bool tied)
{
    s->params = lb_params_new(5);
    s->model = &s->seq2seq.base;
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .embed = 3, .hidden = 4, .heads = 2};
    config.attention = kind;
    config.tied = tied;
    config.embedding_deviation = 1;
    ck_assert_int_eq(lb_seq2seq_init(&s->seq2seq, s->params, "", config), LB_OK);
}

static void make_transformer(subject *s)
{
    lb_transformer_config config = {
        .source_vocab = 8, .target_vocab = 8, .width = 6, .heads = 3, .layers = 2};
    s->params = lb_params_new(5);
    s->model = &s->transformer.base;
    ck_assert_int_eq(lb_transformer_init(&s->transformer, s->params, "", config), LB_OK);
}

/* The logits of the model for two pairs. */
static void run(const lb_model *model, lb_real logits[LOGITS])
{
    lb_tape *tape = lb_tape_new();
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_tokens source = {tape, 2, 3, source_id, source_lengths}, in = {tape, 2, 4, in_id, in_lengths};
    lb_tensor *found = lb_model_forward(model, source, in);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    memcpy(logits, found->data, LOGITS * sizeof *logits);
    lb_tape_free(tape);
}

static double difference(const lb_real *a, const lb_real *b)
{
    double most = 0;
    for (int i = 0; i < LOGITS; i++) {
        double d = (double)a[i] - (double)b[i];
        most = d > most ? d : -d > most ? -d : most;
    }
    return most;
}

/* With each head off the outputs differ, and with all on again they are the same bits. */
static void check_each_head(const subject *s)
{
    lb_real whole[LOGITS], without[LOGITS], again[LOGITS];
    size_t bytes = (size_t)lb_params_size(s->params) * sizeof(lb_real);
    lb_real *before = malloc(bytes);
    memcpy(before, lb_params_values(s->params), bytes);
    run(s->model, whole);
    for (int64_t layer = 0; layer < s->model->layers; layer++)
        for (int64_t head = 0; head < s->model->heads; head++) {
            lb_head_off *off = lb_head_switch_off(s->model, layer, head, NULL);
            ck_assert_ptr_nonnull(off);
            run(s->model, without);
            ck_assert_double_gt(difference(whole, without), 1e-4);
            lb_head_switch_on(off);
            run(s->model, again);
            ck_assert_mem_eq(whole, again, sizeof whole);
            ck_assert_mem_eq(before, lb_params_values(s->params), bytes);
        }
    free(before);
    lb_params_free(s->params);
}

START_TEST(test_head_switch_changes_outputs_and_restores_the_bits)
{
    static const lb_attention_kind kinds[] = {
        LB_ATTENTION_ADDITIVE,   LB_ATTENTION_DOT,      LB_ATTENTION_GENERAL,     LB_ATTENTION_SCALED_DOT,
        LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_HARD,     LB_ATTENTION_MONOTONIC_1, LB_ATTENTION_LOCAL_M,
        LB_ATTENTION_LOCAL_P,    LB_ATTENTION_COVERAGE, LB_ATTENTION_LOCATION};
    subject s = {0};
    for (int i = 0; i < LB_LENGTH(kinds); i++) {
        make_seq2seq(&s, kinds[i], false);
        check_each_head(&s);
        make_seq2seq(&s, kinds[i], true);
        check_each_head(&s);
    }
    make_transformer(&s);
    check_each_head(&s);
}
END_TEST

/* Without its only head, a model no longer sees what the encoder writes at any position but through the final state. */
START_TEST(test_head_switch_of_the_only_head_cuts_the_context)
{
    subject s = {0};
    lb_real once[LOGITS], twice[LOGITS];
    make_seq2seq(&s, LB_ATTENTION_ADDITIVE, false);
    lb_head_off *off = lb_head_switch_off(s.model, 0, 0, NULL);
    run(s.model, once);
    const lb_additive_attention *attention = s.seq2seq.attention.own;
    for (int64_t i = 0; i < lb_count(attention->v); i++) attention->v->data[i] += 10; /* attends elsewhere */
    run(s.model, twice);
    ck_assert_mem_eq(once, twice, sizeof once);
    lb_head_switch_on(off);
    run(s.model, once);
    ck_assert_double_gt(difference(once, twice), 1e-4);
    lb_params_free(s.params);
}
END_TEST

START_TEST(test_head_switch_clears_the_columns_of_that_head_only)
{
    subject s = {0};
    make_transformer(&s);
    const lb_tensor *weight = s.transformer.decoder.layer[1].cross.output.weight;
    lb_real before[36];
    ck_assert_int_eq(lb_count(weight), 36);
    memcpy(before, weight->data, sizeof before);
    lb_head_off *off = lb_head_switch_off(s.model, 1, 2, NULL);
    for (int i = 0; i < 36; i++)
        ck_assert_double_eq((double)weight->data[i], i % 6 >= 4 ? 0 : (double)before[i]);
    lb_head_off *more = lb_head_switch_off(s.model, 1, 0, NULL);
    for (int i = 0; i < 36; i++)
        ck_assert_double_eq((double)weight->data[i], i % 6 < 2 || i % 6 >= 4 ? 0 : (double)before[i]);
    lb_head_switch_on(more);
    lb_head_switch_on(off);
    ck_assert_mem_eq(before, weight->data, sizeof before);
    lb_params_free(s.params);
}
END_TEST

START_TEST(test_head_switch_of_an_ensemble_is_that_of_its_members)
{
    subject s[2] = {0};
    lb_ensemble both;
    lb_real whole[LOGITS], without[LOGITS], again[LOGITS];
    make_seq2seq(&s[0], LB_ATTENTION_MULTI_HEAD, false);
    make_seq2seq(&s[1], LB_ATTENTION_MULTI_HEAD, true);
    const lb_model *const members[] = {s[0].model, s[1].model};
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    run(&both.base, whole);
    lb_head_off *off = lb_head_switch_off(&both.base, 0, 1, NULL);
    ck_assert_ptr_nonnull(off);
    run(&both.base, without);
    ck_assert_double_gt(difference(whole, without), 1e-4);
    for (int i = 0; i < 2; i++) {
        const lb_multi_head *attention = s[i].seq2seq.attention.own;
        for (int64_t row = 0; row < 4; row++)
            ck_assert_double_eq((double)attention->output.weight->data[row * 4 + 3], 0);
    }
    lb_head_switch_on(off);
    run(&both.base, again);
    ck_assert_mem_eq(whole, again, sizeof whole);
    for (int i = 0; i < 2; i++) lb_params_free(s[i].params);
}
END_TEST

START_TEST(test_head_switch_of_no_head_is_an_argument_error)
{
    subject s = {0};
    lb_error error = {0};
    make_transformer(&s);
    ck_assert_ptr_null(lb_head_switch_off(s.model, 2, 0, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found layer 2 and head 0, expected fewer than 2 and 3");
    ck_assert_ptr_null(lb_head_switch_off(s.model, 0, 3, NULL));
    ck_assert_ptr_null(lb_head_switch_off(s.model, -1, 0, NULL));
    lb_params_free(s.params);
    make_seq2seq(&s, LB_ATTENTION_NONE, false);
    ck_assert_ptr_null(lb_head_switch_off(s.model, 0, 0, NULL));
    lb_params_free(s.params);
    lb_head_switch_on(NULL);
}
END_TEST

START_TEST(test_head_switch_of_custom_attention_with_several_heads_is_an_argument_error)
{
    subject s = {.params = lb_params_new(5)};
    lb_error error = {0};
    lb_seq2seq_config config = {
        .source_vocab = 8, .target_vocab = 8, .embed = 3, .hidden = 6, .own_attention = &support_paired};
    ck_assert_int_eq(lb_seq2seq_init(&s.seq2seq, s.params, "", config), LB_OK);
    ck_assert_ptr_null(lb_head_switch_off(&s.seq2seq.base, 0, 0, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, "cannot be switched off") != NULL, "%s", error.message);
    lb_params_free(s.params);
}
END_TEST

START_TEST(test_head_switch_out_of_memory_changes_nothing)
{
    subject s = {0};
    lb_error error = {0};
    support_watch_allocations();
    make_seq2seq(&s, LB_ATTENTION_ADDITIVE, false);
    size_t bytes = (size_t)lb_params_size(s.params) * sizeof(lb_real);
    lb_real *before = malloc(bytes);
    memcpy(before, lb_params_values(s.params), bytes);
    for (long n = 1; n <= 4; n++) { /* the switch, its list, and the columns of two weights */
        long live = support_live_allocations();
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_head_switch_off(s.model, 0, 0, &error));
        support_fail_allocation(0);
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), live);
        ck_assert_mem_eq(before, lb_params_values(s.params), bytes);
    }
    lb_head_off *off = lb_head_switch_off(s.model, 0, 0, NULL);
    ck_assert_ptr_nonnull(off);
    lb_head_switch_on(off);
    free(before);
    lb_params_free(s.params);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

int main(void)
{
    return support_run_tests(
        "head switch",
        SUPPORT_TESTS(test_head_switch_changes_outputs_and_restores_the_bits,
                      test_head_switch_of_the_only_head_cuts_the_context,
                      test_head_switch_clears_the_columns_of_that_head_only,
                      test_head_switch_of_an_ensemble_is_that_of_its_members,
                      test_head_switch_of_no_head_is_an_argument_error,
                      test_head_switch_of_custom_attention_with_several_heads_is_an_argument_error,
                      test_head_switch_out_of_memory_changes_nothing));
}
