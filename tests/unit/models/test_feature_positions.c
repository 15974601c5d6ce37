/* Features of a source have no position in a transformer, and letters are counted from 1. */
#include "lookback/models.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/built_in.h"
#include "nn/layers.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 10, LENGTH = 5, LONGEST = 8 };

/* Ids 4 to 6 are letters, 7 to 9 features. */
static const int32_t first_feature = 7, target_id[] = {LB_BOS, 4, 6};

static lb_transformer_config usual(lb_positional_kind positions, bool features)
{
    return (lb_transformer_config){.source_vocab = VOCABULARY,
                                   .target_vocab = VOCABULARY,
                                   .width = 8,
                                   .heads = 2,
                                   .positions = positions,
                                   .max_length = LONGEST,
                                   .feature_positions = features};
}

static lb_transformer *make(lb_params *params, lb_transformer_config config)
{
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    lb_set_threads(1);
    if (lb_transformer_init(model, params, "", config)) return NULL;
    for (int32_t id = first_feature; config.feature_positions && id < VOCABULARY; id++)
        model->source_features->data[id] = 1;
    /* Types start small; so large that nobody can overlook them. */
    if (config.feature_positions)
        for (int64_t i = 0; i < lb_count(model->source_types.weight); i++)
            model->source_types.weight->data[i] *= 50;
    return model;
}

static lb_tensor *run(const lb_model *model, lb_tape *tape, const int32_t *source)
{
    static const int32_t lengths[] = {LENGTH}, target_lengths[] = {3};
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_tensor *logits = lb_model_forward(model, (lb_tokens){tape, 1, LENGTH, source, lengths},
                                         (lb_tokens){tape, 1, 3, target_id, target_lengths});
    ck_assert_msg(lb_is_sound(logits), "%s", lb_tape_error(tape));
    return logits;
}

static double distance(const lb_tensor *a, const lb_tensor *b)
{
    double most = 0;
    for (int64_t i = 0; i < lb_count(a); i++)
        most = fmax(most, fabs((double)a->data[i] - (double)b->data[i]));
    return most;
}

START_TEST(test_order_of_features_means_nothing)
{
    static const int32_t usual_order[] = {4, 6, 5, 7, 9}, swapped[] = {4, 6, 5, 9, 7},
                         before[] = {7, 9, 4, 6, 5}, letters[] = {6, 4, 5, 7, 9}, other[] = {4, 6, 5, 7, 8};
    static const lb_positional_kind kinds[] = {LB_POSITIONAL_SINUSOIDAL, LB_POSITIONAL_LEARNED};
    for (int i = 0; i < 4; i++) {
        bool features = i / 2;
        lb_params *params = lb_params_new(3);
        lb_tape *tape = lb_tape_new();
        const lb_transformer *model = make(params, usual(kinds[i % 2], features));
        ck_assert_ptr_nonnull(model);
        const lb_tensor *logits = run(&model->base, tape, usual_order);
        double moved = fmax(distance(logits, run(&model->base, tape, swapped)),
                            distance(logits, run(&model->base, tape, before)));
        if (features)
            ck_assert_double_lt(moved, 1e-5);
        else
            ck_assert_double_gt(moved, 1e-4);
        ck_assert_double_gt(distance(logits, run(&model->base, tape, letters)), 1e-4);
        ck_assert_double_gt(distance(logits, run(&model->base, tape, other)), 1e-4);
        lb_tape_free(tape);
        lb_params_free(params);
    }
}
END_TEST

/* The same token as a letter and as a feature. */
START_TEST(test_features_have_a_type)
{
    static const int32_t source[] = {4, 6, 5, 7, 9};
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    const lb_transformer *model = make(params, usual(LB_POSITIONAL_SINUSOIDAL, true));
    const lb_tensor *typed = run(&model->base, tape, source);
    memset(model->source_types.weight->data + 8, 0, 8 * sizeof(lb_real)); /* the row of features */
    ck_assert_double_gt(distance(typed, run(&model->base, tape, source)), 1e-4);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_positions_by_token_equal_those_in_order)
{
    static const int32_t in_order[] = {2, 3, 4, 2, 3, 4}, lengths[] = {3, 3};
    static const lb_positional_kind kinds[] = {LB_POSITIONAL_SINUSOIDAL, LB_POSITIONAL_LEARNED};
    for (int i = 0; SUPPORT_ROW(i, kinds); i++) {
        lb_params *params = lb_params_new(3);
        lb_tape *tape = lb_tape_new();
        lb_positional positional;
        lb_positional_config config = {.kind = kinds[i], .width = 4, .max_length = 5};
        ck_assert_int_eq(lb_positional_init(&positional, params, "positions", config), LB_OK);
        lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 3, 4), NULL);
        const lb_tensor *a = lb_positional_forward(&positional, x, 2),
                        *b = lb_positional_forward_at(&positional, x,
                                                      (lb_tokens){tape, 2, 3, in_order, lengths});
        ck_assert_msg(lb_is_sound(b), "%s", lb_tape_error(tape));
        ck_assert_mem_eq(a->data, b->data, 24 * sizeof(lb_real));
        ck_assert(!lb_is_sound(
            lb_positional_forward_at(&positional, x, (lb_tokens){tape, 3, 2, in_order, lengths})));
        ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
        lb_tape_free(tape);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_features_are_in_the_file)
{
    static const int32_t source[] = {4, 6, 5, 7, 9};
    lb_error error = {0};
    lb_params *params = lb_params_new(3), *loaded_params = lb_params_new(0);
    lb_tape *tape = lb_tape_new();
    const lb_transformer *model = make(params, usual(LB_POSITIONAL_SINUSOIDAL, true));
    ck_assert_int_eq(
        lb_model_save(&model->base, params, support_path("m.safetensors"), (lb_checkpoint_extra){0}, &error),
        LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("m.safetensors"), &error);
    const lb_model *loaded = lb_model_load(file, loaded_params, NULL, &error);
    ck_assert_msg(loaded, "%s", error.message);
    lb_safetensors_close(file);
    const lb_tensor *a = run(&model->base, tape, source), *b = run(loaded, tape, source);
    ck_assert_mem_eq(a->data, b->data, (size_t)lb_count(a) * sizeof(lb_real));
    lb_tape_free(tape);
    lb_params_free(params);
    lb_params_free(loaded_params);
}
END_TEST

START_TEST(test_features_need_positions_that_are_added)
{
    lb_params *params = lb_params_new(3);
    ck_assert_ptr_null(make(params, usual(LB_POSITIONAL_ROTARY, true)));
    ck_assert_ptr_nonnull(strstr(lb_params_error(params), "need sinusoidal or learned positions"));
    lb_params_free(params);
}
END_TEST
