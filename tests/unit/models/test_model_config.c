/* Configurations as JSON and back, and invalid ones. */
#include "base/alloc.h"
#include "models/built_in.h"
#include "models/file/model_formats.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum color { RED, GREEN, BLUE } color;

typedef struct sample {
    int64_t size;
    int64_t count;
    lb_real share;
    double scale;
    bool flag;
    color color;
} sample;

static const char *const color_names[] = {"red", "green", "blue", NULL};

static const lb_config_field fields[] = {
    {"size", offsetof(sample, size), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {"count", offsetof(sample, count), LB_CONFIG_SIZE, 3, NULL},
    {"share", offsetof(sample, share), LB_CONFIG_FRACTION, 0, NULL},
    {"scale", offsetof(sample, scale), LB_CONFIG_POSITIVE, 1, NULL},
    {"flag", offsetof(sample, flag), LB_CONFIG_FLAG, false, NULL},
    {"color", offsetof(sample, color), LB_CONFIG_CHOICE, BLUE, color_names},
    {0},
};

static bool reads(const char *text, sample *found)
{
    return lb_config_read(fields, text, found, NULL) == LB_OK;
}

START_TEST(test_config_read_finds_what_config_write_wrote)
{
    const sample written = {1000000, 7, (lb_real)0.375, 0.25, true, GREEN};
    char *text = lb_config_write(fields, &written);
    ck_assert_str_eq(
        text,
        "{\"size\":1000000,\"count\":7,\"share\":0.375,\"scale\":0.25,\"flag\":true,\"color\":\"green\"}");
    sample found = {0};
    ck_assert(reads(text, &found));
    ck_assert_int_eq(found.size, written.size);
    ck_assert_int_eq(found.count, written.count);
    ck_assert_double_eq((double)found.share, (double)written.share);
    ck_assert_double_eq(found.scale, written.scale);
    ck_assert_int_eq(found.flag, written.flag);
    ck_assert_int_eq(found.color, written.color);
    lb_release(text);
}
END_TEST

START_TEST(test_config_write_a_number_has_the_digits_that_it_needs)
{
    static const struct {
        double share, scale;
        const char *text;
    } cases[] = {
        {0.1, 0.1, "\"share\":0.1,\"scale\":0.1,"},
        {0, 1234.5678, "\"share\":0,\"scale\":1234.5678,"},
        {1e-9, 1e-9, NULL},
        {1. / 3, 1. / 3, NULL},
        {0.9999999, 999999.9999999, NULL},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        const sample written = {1, 1, (lb_real)cases[i].share, cases[i].scale, false, RED};
        sample found = {0};
        char *text = lb_config_write(fields, &written);
        ck_assert_msg(!cases[i].text || strstr(text, cases[i].text), "%s", text);
        ck_assert(reads(text, &found));
        ck_assert_double_eq((double)found.share, (double)written.share);
        ck_assert_double_eq(found.scale, written.scale);
        lb_release(text);
    }
}
END_TEST

START_TEST(test_config_write_a_choice_without_a_name_is_refused_by_config_read)
{
    for (int choice = -1; choice <= 4; choice += 5) {
        sample written = {1, 1, 0, 1, false, (color)choice}, found = {0};
        lb_error error = {0};
        char *text = lb_config_write(fields, &written);
        ck_assert_ptr_nonnull(strstr(text, "\"color\":\"unknown\""));
        ck_assert_int_eq(lb_config_read(fields, text, &found, &error), LB_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "color"));
        lb_release(text);
    }
}
END_TEST

START_TEST(test_config_read_takes_the_default_of_a_field_that_is_missing)
{
    sample found = {.count = 9, .share = (lb_real)0.5, .flag = true};
    ck_assert(reads("{\"size\":2,\"from a later version\":1}", &found));
    ck_assert_int_eq(found.size, 2);
    ck_assert_int_eq(found.count, 3);
    ck_assert_double_eq((double)found.share, 0);
    ck_assert(!found.flag);
    ck_assert_int_eq(found.color, BLUE);
}
END_TEST

START_TEST(test_config_read_refuses_a_field_that_is_needed_or_not_of_its_kind)
{
    static const char size[] = "\"size\": found ", integer[] = ", expected an integer from 1 to 1000000",
                      fraction[] = ", expected a number from 0 to below 1",
                      positive[] = ", expected a number above 0, at most 1000000";
    static const struct {
        const char *json, *before, *found, *after;
    } bad[] = {
        {"{", "found no JSON", "", ""},
        {"{}", "found no \"size\"", "", ""},
        {"[]", "found no \"size\"", "", ""},
        {"7", "found no \"size\"", "", ""},
        {"{\"Size\":2}", "found no \"size\"", "", ""},
        {"{\"size\":0}", size, "0", integer},
        {"{\"size\":1.5}", size, "1.5", integer},
        {"{\"size\":1000001}", size, "1000001", integer},
        {"{\"size\":\"2\"}", size, "\"2\"", integer},
        {"{\"size\":null}", size, "null", integer},
        {"{\"size\":2,\"count\":-1}", "\"count\": found ", "-1", integer},
        {"{\"size\":2,\"count\":1e300}", "\"count\": found ", "1e+300", integer},
        {"{\"size\":2,\"share\":1}", "\"share\": found ", "1", fraction},
        {"{\"size\":2,\"share\":-0.5}", "\"share\": found ", "-0.5", fraction},
        {"{\"size\":2,\"share\":true}", "\"share\": found ", "true", fraction},
        {"{\"size\":2,\"scale\":0}", "\"scale\": found ", "0", positive},
        {"{\"size\":2,\"scale\":10000000}", "\"scale\": found ", "10000000", positive},
        {"{\"size\":2,\"flag\":1}", "\"flag\": found ", "1", ", expected true or false"},
        {"{\"size\":2,\"flag\":\"true\"}", "\"flag\": found ", "\"true\"", ", expected true or false"},
        {"{\"size\":2,\"color\":\"Green\"}", "\"color\": found ", "\"Green\"",
         ", expected one of \"red\", \"green\", \"blue\""},
        {"{\"size\":2,\"color\":1}", "\"color\": found ", "1",
         ", expected one of \"red\", \"green\", \"blue\""},
    };
    sample found;
    ck_assert(reads("{\"size\":2}", &found));
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_error error = {0};
        char expected[LB_MESSAGE_LENGTH];
        snprintf(expected, sizeof expected, "%s%s%s", bad[i].before, bad[i].found, bad[i].after);
        ck_assert_int_eq(lb_config_read(fields, bad[i].json, &found, &error), LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, expected);
    }
}
END_TEST

START_TEST(test_config_write_without_memory_is_null_and_leaks_nothing)
{
    const sample written = {.size = 1};
    support_watch_allocations();
    support_fail_from_allocation(1);
    ck_assert_ptr_null(lb_config_write(fields, &written));
    support_fail_from_allocation(0);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

#define LONGEST "a word of thirty-one letters .."

static void *no_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

/* A field that memory was missing for looks like one that is not there. */
START_TEST(test_config_fail_tells_memory_from_a_bad_configuration)
{
    lb_error error = {0};
    lb_params *params = lb_params_new(1);
    ck_assert_ptr_null(lb_config_fail(params, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    cJSON_InitHooks(&(cJSON_Hooks){no_memory, free});
    error = (lb_error){0};
    ck_assert_ptr_null(lb_config_fail(params, &error));
    ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
    ck_assert_int_eq(lb_config_read(fields, "{}", &(sample){0}, NULL), LB_ERROR_MEMORY);
    cJSON_InitHooks(NULL);
    lb_params_free(params);
}
END_TEST

START_TEST(test_config_word_is_a_text_that_fits_and_is_there)
{
    typedef char word[LB_CONFIG_WORD_BYTES];
    static const lb_config_field just_one[] = {{"word", 0, LB_CONFIG_WORD, LB_CONFIG_NEEDED, NULL}, {0}};
    static const char *const bad[] = {"{}", "{\"word\":1}", "{\"word\":null}", "{\"word\":\"." LONGEST "\"}"};
    const word written = LONGEST;
    word found = "";
    ck_assert_uint_eq(strlen(LONGEST), LB_CONFIG_WORD_BYTES - 1);
    char *text = lb_config_write(just_one, written);
    ck_assert_str_eq(text, "{\"word\":\"" LONGEST "\"}");
    ck_assert_int_eq(lb_config_read(just_one, text, found, NULL), LB_OK);
    ck_assert_str_eq(found, LONGEST);
    lb_release(text);
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++)
        ck_assert_msg(lb_config_read(just_one, bad[i], found, NULL) == LB_ERROR_FORMAT, "%s", bad[i]);
}
END_TEST

/* The configuration that `kind` writes for the model built from the JSON, or the error. */
static void check_restored(const lb_model_kind *kind, const char *text, const char *expected,
                           const char *message)
{
    lb_params *params = lb_params_new(1);
    lb_error error = {0};
    const lb_model *model = lb_model_restore(kind, params, "", text, NULL, &error);
    if (expected) {
        ck_assert_msg(model, "%s", error.message);
        char *written = lb_model_config_json(model);
        ck_assert_str_eq(written, expected);
        lb_release(written);
    } else {
        ck_assert_ptr_null(model);
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, message);
    }
    lb_params_free(params);
}

START_TEST(test_restored_seq2seq_has_the_configuration_of_the_file)
{
    static const char whole[] =
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":2,\"bidirectional\":true,"
        "\"attention\":\"multi-head\",\"heads\":2,\"attention_weights\":\"entmax\",\"dropout\":0.125,"
        "\"tied\":true,\"loss\":\"entmax\"}";
    static const char lstm[] =
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":2,\"bidirectional\":true,"
        "\"attention\":\"multi-head\",\"heads\":2,\"attention_weights\":\"entmax\",\"dropout\":0.125,"
        "\"tied\":true,\"loss\":\"cross-entropy\",\"cell\":\"lstm\"}";
    static const char local[] =
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":2,\"bidirectional\":true,"
        "\"attention\":\"local-p\",\"heads\":1,\"attention_weights\":\"softmax\",\"dropout\":0.125,"
        "\"tied\":true,\"loss\":\"cross-entropy\",\"window\":4}";
    check_restored(&lb_seq2seq_kind, local, local, NULL);
    check_restored(&lb_seq2seq_kind, lstm, lstm, NULL);
    check_restored(&lb_seq2seq_kind, whole, whole, NULL);
    check_restored(
        &lb_seq2seq_kind,
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
        "\"attention\":\"dot\",\"dropout\":0}",
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
        "\"bidirectional\":false,\"attention\":\"dot\",\"heads\":1,"
        "\"attention_weights\":\"softmax\",\"dropout\":0,\"tied\":false,\"loss\":\"cross-entropy\"}",
        NULL);
    check_restored(&lb_seq2seq_kind,
                   "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
                   "\"attention\":\"dotted\",\"dropout\":0}",
                   NULL,
                   "unknown attention 'dotted' in the model: a custom attention must be in the "
                   "attentions of lb_extensions");
    check_restored(&lb_seq2seq_kind, "{\"source_vocab\":7,\"target_vocab\":8}", NULL, "found no \"embed\"");
    check_restored(
        &lb_seq2seq_kind,
        "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
        "\"attention\":\"dot\",\"attention_weights\":\"hardmax\",\"dropout\":0}",
        NULL,
        "\"attention_weights\": found \"hardmax\", expected one of \"softmax\", \"sparsemax\", \"entmax\"");
    check_restored(&lb_seq2seq_kind,
                   "{\"source_vocab\":7,\"target_vocab\":8,\"embed\":3,\"hidden\":4,\"layers\":1,"
                   "\"attention\":\"location\",\"dropout\":0,\"window\":0}",
                   NULL, "\"window\": found 0, expected an integer from 1 to 1000000");
}
END_TEST

START_TEST(test_restored_transformer_has_the_configuration_of_the_file)
{
    static const char whole[] = "{\"source_vocab\":7,\"target_vocab\":8,\"width\":6,\"heads\":3,"
                                "\"attention_weights\":\"sparsemax\",\"feed_forward\":5,\"layers\":1,"
                                "\"post_norm\":true,\"positions\":\"learned\",\"max_length\":9,\"dropout\":0."
                                "125,\"tied\":true,\"loss\":\"entmax\"}";
    check_restored(&lb_transformer_kind, whole, whole, NULL);
    check_restored(
        &lb_transformer_kind,
        "{\"source_vocab\":7,\"target_vocab\":8,\"width\":6,\"heads\":3,\"feed_forward\":5,\"layers\":1,"
        "\"positions\":\"sinusoidal\",\"max_length\":9,\"dropout\":0}",
        "{\"source_vocab\":7,\"target_vocab\":8,\"width\":6,\"heads\":3,"
        "\"attention_weights\":\"softmax\",\"feed_forward\":5,\"layers\":1,"
        "\"post_norm\":false,\"positions\":\"sinusoidal\",\"max_length\":9,\"dropout\":0,\"tied\":false,"
        "\"loss\":\"cross-entropy\"}",
        NULL);
    static const char settings[] =
        "{\"source_vocab\":7,\"target_vocab\":8,\"width\":8,\"heads\":4,\"attention_weights\":\"entmax\","
        "\"feed_forward\":5,\"layers\":1,"
        "\"post_norm\":false,\"positions\":\"rotary\",\"max_length\":9,\"dropout\":0,\"tied\":false,"
        "\"loss\":\"cross-entropy\",\"kv_heads\":2,\"softcap\":0.5,\"window\":3,\"embedding_scale\":0.125}";
    check_restored(&lb_transformer_kind, settings, settings, NULL);
    static const char lacking[] =
        "{\"source_vocab\":7,\"target_vocab\":8,\"width\":8,\"heads\":4,\"attention_weights\":\"softmax\","
        "\"feed_forward\":5,\"layers\":1,"
        "\"post_norm\":false,\"positions\":\"none\",\"max_length\":9,\"dropout\":0,\"tied\":false,"
        "\"loss\":\"cross-entropy\",\"no_self_attention\":true,\"no_feed_forward\":true}";
    check_restored(&lb_transformer_kind, lacking, lacking, NULL);
    check_restored(&lb_transformer_kind, "{\"source_vocab\":7,\"target_vocab\":8}", NULL,
                   "found no \"width\"");
}
END_TEST
