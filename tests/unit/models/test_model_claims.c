/* A small file that describes a large model is refused without memory or time for such a model, and so is one whose
 * weights are no numbers. */
#include "base/alloc.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "models/ensemble/ensemble.h"
#include "support/alloc.h"
#include "support/own_kinds.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOO_LONG = 1000001 };

static const char *path;
static lb_error error;

/* A file of a tiny model whose description is another one. */
static void write_file(const char *kind, const char *config, lb_params *params)
{
    const lb_safetensors_metadata metadata[] = {{"lookback.model", kind}, {"lookback.config", config}};
    lb_checkpoint_extra extra = {.metadata = metadata, .metadata_count = 2};
    ck_assert_int_eq(lb_checkpoint_save(params, path = support_path("model.safetensors"), extra, &error),
                     LB_OK);
}

static lb_params *tiny_seq2seq(lb_seq2seq *model)
{
    lb_params *params = lb_params_new(7);
    lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 8, .embed = 4, .hidden = 4};
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return params;
}

static char *long_config(const lb_model *model)
{
    char *config = lb_alloc(TOO_LONG + 1);
    (void)model;
    memset(config, ' ', TOO_LONG);
    config[TOO_LONG] = '\0';
    return config;
}

static lb_params *tiny_transformer(lb_transformer *model)
{
    lb_params *params = lb_params_new(7);
    lb_transformer_config config = {
        .source_vocab = 8, .target_vocab = 8, .width = 4, .heads = 2, .layers = 1};
    ck_assert_int_eq(lb_transformer_init(model, params, "", config), LB_OK);
    return params;
}

/* Loads the file: refused, with few bytes. */
static void expect_refusal(const char *reason)
{
    enum { MOST_BYTES = 4 << 20 };
    error = (lb_error){0};
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_msg(file != NULL, "%s", error.message);
    support_watch_allocations();
    lb_params *params = lb_params_new(1);
    ck_assert_ptr_null(lb_model_load(file, params, NULL, &error));
    ck_assert_uint_le(support_allocated_bytes(), MOST_BYTES);
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, reason) != NULL, "%s", error.message);
    lb_params_free(params);
    lb_set_allocator(NULL);
    lb_safetensors_close(file);
}

#define SEQ2SEQ(layers, hidden, vocab)                                                                       \
    "{\"source_vocab\":" vocab ",\"target_vocab\":8,\"embed\":4,\"hidden\":" hidden ",\"layers\":" layers    \
    ",\"bidirectional\":false,\"attention\":\"additive\",\"dropout\":0}"
#define TRANSFORMER(layers, width, length)                                                                   \
    "{\"source_vocab\":8,\"target_vocab\":8,\"width\":" width                                                \
    ",\"heads\":2,\"feed_forward\":16,\"layers\":" layers                                                    \
    ",\"positions\":\"learned\",\"max_length\":" length ",\"dropout\":0}"

static const struct {
    const char *kind, *config, *reason;
} claims[] = {
    {"seq2seq", SEQ2SEQ("1000000", "4", "8"), "more layers or members than the file"},
    {"seq2seq", SEQ2SEQ("1000", "4", "8"), "_l1' not found"},
    {"seq2seq", SEQ2SEQ("1", "30000", "8"), "has shape [12,4], expected [90000,4]"},
    {"seq2seq", SEQ2SEQ("1", "4", "1000000"), "has shape [8,4], expected [1000000,4]"},
    {"transformer", TRANSFORMER("1000000", "4", "8"), "not found"},
    {"transformer", TRANSFORMER("1", "1000000", "8"), "has shape"},
    {"transformer", TRANSFORMER("1", "4", "1000000"), "not found"},
};

START_TEST(test_model_load_compares_the_description_with_the_file_first)
{
    for (size_t i = 0; SUPPORT_ROW(i, claims); i++) {
        lb_seq2seq seq2seq;
        lb_transformer transformer;
        bool is_seq2seq = strcmp(claims[i].kind, "seq2seq") == 0;
        lb_params *params = is_seq2seq ? tiny_seq2seq(&seq2seq) : tiny_transformer(&transformer);
        write_file(claims[i].kind, claims[i].config, params);
        lb_params_free(params);
        expect_refusal(claims[i].reason);
    }
}
END_TEST

START_TEST(test_model_load_refuses_an_ensemble_of_thousands_that_the_file_does_not_have)
{
    enum { MEMBERS = 3000 };
    static const char member[] = "{\"kind\":\"seq2seq\",\"config\":" SEQ2SEQ("1", "30000", "8") "}";
    size_t bytes = MEMBERS * sizeof member + 64;
    char *config = malloc(bytes);
    char *at = config + snprintf(config, bytes, "{\"members\":[");
    for (int i = 0; i < MEMBERS; i++)
        at += snprintf(at, bytes - (size_t)(at - config), "%s%s", i ? "," : "", member);
    snprintf(at, bytes - (size_t)(at - config), "]}");
    lb_seq2seq model;
    lb_params *params = tiny_seq2seq(&model);
    write_file("ensemble", config, params);
    lb_params_free(params);
    free(config);
    expect_refusal("'member.0.source_embedding.weight' not found");
}
END_TEST

/* A list of millions is a tree of hundreds of megabytes. */
START_TEST(test_model_load_refuses_a_description_that_is_too_long)
{
    char *config = malloc(TOO_LONG + 1);
    memset(config, '[', TOO_LONG);
    memcpy(config, "{\"layers\":", strlen("{\"layers\":"));
    config[TOO_LONG] = '\0';
    lb_seq2seq model;
    lb_params *params = tiny_seq2seq(&model);
    write_file("seq2seq", config, params);
    lb_params_free(params);
    free(config);
    expect_refusal("lookback.config: found 1000001 bytes, expected at most 1000000");
}
END_TEST

START_TEST(test_model_save_refuses_a_description_that_is_too_long_to_load)
{
    lb_model_kind kind = support_relay;
    kind.config_json = long_config;
    lb_params *params = lb_params_new(1);
    lb_model *model = support_add_relay(params, 4);
    model->kind = &kind;
    support_write_file(path = support_path("model.safetensors"), "earlier", 7);
    ck_assert_int_eq(lb_model_save(model, params, path, (lb_checkpoint_extra){0}, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "lookback.config: found 1000001 bytes, expected at most 1000000");
    size_t count;
    char *kept = support_read_file(path, &count);
    ck_assert_str_eq(kept, "earlier");
    free(kept);
    lb_params_free(params);
}
END_TEST

START_TEST(test_model_load_refuses_weights_that_are_not_finite)
{
    const lb_real bad[] = {(lb_real)NAN, (lb_real)INFINITY, -(lb_real)INFINITY};
    lb_seq2seq model;
    lb_params *params = tiny_seq2seq(&model);
    for (int i = 0; i < lb_params_count(params); i++) {
        lb_tensor *tensor = lb_params_tensor(params, i);
        int64_t at = (int64_t)i % lb_count(tensor);
        lb_real good = tensor->data[at];
        char reason[128];
        tensor->data[at] = bad[i % 3];
        write_file("seq2seq", SEQ2SEQ("1", "4", "8"), params);
        tensor->data[at] = good;
        snprintf(reason, sizeof reason, "array '%s': found %g at index %lld, expected a number",
                 lb_params_name(params, i), (double)bad[i % 3], (long long)at);
        expect_refusal(reason);
    }
    lb_params_free(params);
}
END_TEST
