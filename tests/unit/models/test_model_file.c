/* Saving a model and loading it again. This test runs in both precisions, and
 * needs a process for each test. */
#include "lookback/models.h"
#include "models/built_in.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

static lb_tensor *logits_of(const lb_model *model, lb_tape *tape)
{
    static const int32_t source[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
    static const int32_t target[] = {1, 4, 5, 6, 1, 5, 7, 0}, target_lengths[] = {4, 3};
    return lb_model_forward(model, (lb_tokens){tape, 2, 3, source, source_lengths},
                            (lb_tokens){tape, 2, 4, target, target_lengths});
}

/* Asserts that the model and the one loaded from its file give the same results. */
static void check_round_trip(const lb_model *model, lb_params *params)
{
    lb_error error = {0};
    ck_assert_msg(lb_params_status(params) == LB_OK, "%s", lb_params_error(params));
    ck_assert_msg(lb_model_save(model, params, support_path("model.safetensors"), (lb_checkpoint_extra){0},
                                &error) == LB_OK,
                  "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(support_path("model.safetensors"), &error);
    ck_assert_msg(file, "%s", error.message);
    lb_params *others = lb_params_new(99);
    const lb_model *loaded = lb_model_load(file, others, NULL, &error);
    ck_assert_msg(loaded, "%s", error.message);
    ck_assert_int_eq(lb_params_count(others), lb_params_count(params));
    lb_tape *tape = lb_tape_new();
    const lb_tensor *before = logits_of(model, tape), *after = logits_of(loaded, tape);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    ck_assert_mem_eq(before->data, after->data, (size_t)lb_count(before) * sizeof *before->data);
    lb_tape_free(tape);
    lb_params_free(others);
    lb_safetensors_close(file);
    lb_params_free(params);
}

START_TEST(test_model_load_gives_the_seq2seq_that_was_saved)
{
    for (int i = 0; lb_attention_names[i / 2]; i++) {
        lb_params *params = lb_params_new(7);
        lb_seq2seq model;
        lb_seq2seq_config config = {
            .source_vocab = 8, .target_vocab = 9, .embed = 5, .hidden = 6, .heads = 2};
        config.attention = (lb_attention_kind)(i / 2);
        config.tied = i % 2;
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
        check_round_trip(&model.base, params);
    }
}
END_TEST

START_TEST(test_model_load_gives_the_transformer_that_was_saved)
{
    for (int tied = 0; tied < 2; tied++) {
        lb_params *params = lb_params_new(7);
        lb_transformer model;
        lb_transformer_config config = {
            .source_vocab = 8, .target_vocab = 9, .width = 8, .heads = 2, .tied = tied};
        ck_assert_int_eq(lb_transformer_init(&model, params, "", config), LB_OK);
        check_round_trip(&model.base, params);
    }
}
END_TEST

/* The gradients for some logits, in the store of the model. */
static void run_backward(const lb_model *model)
{
    static const lb_real some[2 * 4 * 9] = {1, 1, 1, 1, 1, 1, 1, 1, 1, [40] = 1};
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    lb_tensor *logits = logits_of(model, tape);
    ck_assert_int_eq(lb_count(logits), (int64_t)(sizeof some / sizeof *some));
    ck_assert_msg(lb_backward_from(logits, some, &error) == LB_OK, "%s", error.message);
    lb_tape_free(tape);
}

/* Without a reservation, the slabs would be made again and again while parameters are added. */
START_TEST(test_model_load_makes_room_once_for_all_that_is_in_the_file)
{
    enum { SPARE = 1 << 18 };
    lb_error error = {0};
    lb_params *params = lb_params_new(7), *others = lb_params_new(9);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 9, .embed = 100, .hidden = 200};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    ck_assert_msg(lb_model_save(&model.base, params, support_path("model.safetensors"),
                                (lb_checkpoint_extra){0}, &error) == LB_OK,
                  "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(support_path("model.safetensors"), &error);
    ck_assert_msg(file, "%s", error.message);
    size_t slabs = 2 * (size_t)lb_params_size(params) * sizeof(lb_real);
    support_watch_allocations();
    const lb_model *loaded = lb_model_load(file, others, NULL, &error);
    size_t allocated = support_allocated_bytes();
    lb_set_allocator(NULL);
    ck_assert_msg(loaded, "%s", error.message);
    ck_assert_uint_ge(allocated, slabs);
    ck_assert_uint_lt(allocated, slabs + SPARE);
    run_backward(&model.base);
    run_backward(loaded);
    ck_assert_mem_eq(lb_params_grads(others), lb_params_grads(params), slabs / 2);
    ck_assert(lb_params_find(others, "encoder.weight_ih_l0")->grad[0] != 0);
    lb_safetensors_close(file);
    lb_params_free(others);
    lb_params_free(params);
}
END_TEST

/* Expects a file with these arrays and metadata to be no model, for this reason. */
static void expect_format_error(const lb_safetensors_metadata *metadata, int64_t entries,
                                const lb_safetensors_tensor *arrays, int64_t count, const char *text)
{
    lb_error error = {0};
    ck_assert_int_eq(
        lb_safetensors_write(arrays, count, metadata, entries, support_path("bad.safetensors"), &error),
        LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("bad.safetensors"), &error);
    ck_assert_msg(file, "%s", error.message);
    lb_params *params = lb_params_new(1);
    ck_assert_ptr_null(lb_model_load(file, params, NULL, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, text) && !strstr(error.message, "(null)"), "%s", error.message);
    lb_params_free(params);
    lb_safetensors_close(file);
}

static const lb_real zeros[40];

/* As an argument of lb_transformer_init, this would be LB_ERROR_ARGUMENT. */
START_TEST(test_model_load_of_a_configuration_that_no_model_can_have_is_an_error_of_format)
{
    static const lb_safetensors_metadata metadata[] = {
        {"lookback.model", "transformer"},
        {"lookback.config",
         "{\"source_vocab\":8,\"target_vocab\":8,\"width\":4,\"heads\":3,\"feed_forward\":4,\"layers\":1,"
         "\"positions\":\"sinusoidal\",\"max_length\":9,\"dropout\":0}"}};
    static const lb_safetensors_tensor arrays[] = {
        {.name = "source_embedding.weight", .dtype = LB_DTYPE_REAL, .shape = LB_DIMS(8, 4), .data = zeros},
        {.name = "target_embedding.weight", .dtype = LB_DTYPE_REAL, .shape = LB_DIMS(8, 4), .data = zeros}};
    expect_format_error(metadata, 2, arrays, 2, "cannot divide a width of 4 into 3 heads");
}
END_TEST

/* As an argument of lb_safetensors_expect, this would be LB_ERROR_SHAPE. */
START_TEST(test_model_load_of_an_array_of_another_shape_is_an_error_of_format)
{
    static const lb_safetensors_metadata metadata[] = {
        {"lookback.model", "seq2seq"},
        {"lookback.config", "{\"source_vocab\":8,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
                            "\"bidirectional\":false,"
                            "\"attention\":\"additive\",\"heads\":1,\"dropout\":0,\"tied\":false}"}};
    static const lb_safetensors_tensor array = {
        .name = "source_embedding.weight", .dtype = LB_DTYPE_REAL, .shape = LB_DIMS(8, 5), .data = zeros};
    expect_format_error(metadata, 2, &array, 1, "[8,5]");
}
END_TEST

/* A file whose metadata have only one of the two entries of a model. */
START_TEST(test_model_load_without_name_or_configuration_is_an_error)
{
    static const lb_safetensors_metadata half[] = {
        {"lookback.model", "seq2seq"}, {"lookback.config", "{\"source_vocab\":8,\"target_vocab\":8}"}};
    static const char *const missing[] = {"lookback.config is missing", "lookback.model is missing"};
    for (int i = 0; i < 2; i++) expect_format_error(&half[i], 1, NULL, 0, missing[i]);
}
END_TEST

typedef struct field {
    const char *key, *value;
} field;

/* Expects that a model without any one of its fields is refused with the name of that field. */
static void expect_each_needed(const char *kind, const field *fields, int count)
{
    for (int missing = 0; missing < count; missing++) {
        char config[512] = "{\"a later version\":1", message[64];
        for (int i = 0; i < count; i++) {
            size_t length = strlen(config);
            if (i != missing)
                snprintf(config + length, sizeof config - length, ",\"%s\":%s", fields[i].key,
                         fields[i].value);
        }
        strcat(config, "}");
        const lb_safetensors_metadata metadata[] = {{"lookback.model", kind}, {"lookback.config", config}};
        snprintf(message, sizeof message, "lookback.config: found no \"%s\": {", fields[missing].key);
        expect_format_error(metadata, 2, NULL, 0, message);
    }
}

START_TEST(test_model_load_without_a_needed_field_names_it)
{
    static const field seq2seq[] = {{"source_vocab", "8"}, {"target_vocab", "8"}, {"embed", "3"},
                                    {"hidden", "4"},       {"layers", "1"},       {"attention", "\"dot\""},
                                    {"dropout", "0"}},
                       transformer[] = {{"source_vocab", "8"}, {"target_vocab", "8"},     {"width", "4"},
                                        {"heads", "2"},        {"feed_forward", "4"},     {"layers", "1"},
                                        {"max_length", "9"},   {"positions", "\"none\""}, {"dropout", "0"}},
                       ensemble[] = {{"members", "[]"}};
    expect_each_needed("seq2seq", seq2seq, 7);
    expect_each_needed("transformer", transformer, 9);
    expect_each_needed("ensemble", ensemble, 1);
}
END_TEST

START_TEST(test_model_load_of_a_member_without_a_needed_field_names_both)
{
    static const char *const cases[][2] = {
        {"{}", "lookback.config: member 0: found no \"kind\": {"},
        {"{\"kind\":\"seq2seq\"}", "lookback.config: member 0: found no \"config\": {"},
        {"{\"kind\":\"seq2seq\",\"config\":{}}", "lookback.config: member 0: found no \"source_vocab\": {"}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char config[128];
        snprintf(config, sizeof config, "{\"members\":[%s]}", cases[i][0]);
        const lb_safetensors_metadata metadata[] = {{"lookback.model", "ensemble"},
                                                    {"lookback.config", config}};
        expect_format_error(metadata, 2, NULL, 0, cases[i][1]);
    }
}
END_TEST

START_TEST(test_model_save_with_any_failing_allocation_saves_all_or_nothing)
{
    lb_params *params = lb_params_new(7);
    lb_seq2seq model;
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", (lb_seq2seq_config){8, 9, .embed = 3, .hidden = 4}),
                     LB_OK);
    const char *path = support_path("model.safetensors");
    support_watch_allocations();
    ck_assert_int_eq(lb_model_save(&model.base, params, path, (lb_checkpoint_extra){0}, NULL), LB_OK);
    long all = support_allocation_count();
    for (long n = 1; n <= all; n++) {
        lb_error error = {0};
        ck_assert_int_eq(remove(path), 0);
        support_fail_allocation(n);
        lb_status status = lb_model_save(&model.base, params, path, (lb_checkpoint_extra){0}, &error);
        support_fail_allocation(0);
        ck_assert(status == LB_OK || error.status == LB_ERROR_MEMORY || error.status == LB_ERROR_WRITE);
        ck_assert_int_eq(support_live_allocations(), 0);
        ck_assert_uint_eq(support_file_count(), status == LB_OK);
        if (status)
            ck_assert_int_eq(lb_model_save(&model.base, params, path, (lb_checkpoint_extra){0}, &error),
                             LB_OK);
    }
    lb_params_free(params);
}
END_TEST

/* Arrays of a file as tensors. */

static lb_safetensors *file;

static lb_tape *open_file(void)
{
    const float grid[] = {1, 2.5f, -3, 4, 5, 0.125f};
    const int64_t ids[] = {7, -2};
    const lb_safetensors_tensor arrays[] = {
        {.name = "grid", .dtype = LB_DTYPE_F32, .shape = LB_SHAPE(2, 3), .data = grid},
        {.name = "ids", .dtype = LB_DTYPE_I64, .shape = LB_SHAPE(2), .data = ids}};
    ck_assert_int_eq(lb_safetensors_write(arrays, 2, NULL, 0, support_path("data.safetensors"), NULL), LB_OK);
    file = lb_safetensors_open(support_path("data.safetensors"), NULL);
    ck_assert_ptr_nonnull(file);
    return lb_tape_new();
}

START_TEST(test_checkpoint_tensor_has_the_shape_and_the_numbers_of_the_array)
{
    lb_tape *tape = open_file();
    const lb_tensor *grid = lb_checkpoint_tensor(tape, file, "grid"),
                    *ids = lb_checkpoint_tensor(tape, file, "ids");
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    ck_assert(lb_shape_equal(grid->shape, LB_SHAPE(2, 3)));
    ck_assert(grid->data[1] == (lb_real)2.5 && grid->data[5] == (lb_real)0.125);
    ck_assert(!grid->requires_grad);
    ck_assert(lb_shape_equal(ids->shape, LB_SHAPE(2)));
    ck_assert(ids->data[0] == 7 && ids->data[1] == -2);
    lb_tape_free(tape);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_checkpoint_tensor_that_is_not_there_is_an_error_of_the_tape)
{
    lb_tape *tape = open_file();
    ck_assert(!lb_is_sound(lb_checkpoint_tensor(tape, file, "gird")));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "data.safetensors"));
    ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "gird"));
    lb_tape_free(tape);
    lb_safetensors_close(file);
}
END_TEST
