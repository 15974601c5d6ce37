/* Options from a JSON file, and back into one. */
#include "cli/config.h"
#include "support/alloc.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static int count, way, unset = -1;
static bool fresh, on;
static uint64_t seed;
static double rate;
static const char *out, *nothing;
static app_config config;

static const char *const ways[] = {"additive", "dot", NULL};
static const app_option options[] = {
    APP_HEADING("All kinds"),
    APP_INT('n', "count", "N", &count, 1, 65536, "how many"),
    APP_INT(0, "unset", "N", &unset, 0, 9, "not asked for"),
    APP_CHOICE(0, "way", "WAY", &way, ways, "which way"),
    APP_FLAG('f', "fresh", &fresh, "begin anew"),
    APP_FLAG(0, "on", &on, "is on"),
    APP_SEED(0, "seed", "SEED", &seed, "where randomness begins"),
    APP_NUMBER(0, "rate", "X", &rate, 0, 1, "how fast"),
    APP_TEXT('o', "out", "DIR", &out, "where to write"),
    APP_TEXT(0, "nothing", "TEXT", &nothing, "not said"),
    APP_CONFIG_OPTIONS(&config),
};
static const app_program program = {
    .name = "prog",
    .purpose = "Reads options.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

static lb_error error;

static void set_defaults(void)
{
    count = 64;
    way = 1;
    fresh = false;
    on = true;
    seed = 7;
    rate = 0.5;
    out = NULL;
    nothing = NULL;
    unset = -1;
}

static lb_status read_bytes(const char *text, size_t length)
{
    set_defaults();
    error = (lb_error){0};
    support_write_file(support_path("c.json"), text, length);
    return app_config_read(&program, &config, support_path("c.json"), &error);
}

static lb_status read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

START_TEST(test_app_config_read_every_kind_is_set_and_others_stay)
{
    ck_assert_msg(
        read_text("{\"count\": 3, \"way\": \"additive\",\n \"fresh\": true, \"on\": false, \"seed\": 9, "
                  "\"rate\": 1e-3, \"out\": \"a \\\"b\\\" \\u00e9\"}") == LB_OK,
        "%s", error.message);
    ck_assert_int_eq(count, 3);
    ck_assert_int_eq(way, 0);
    ck_assert(fresh && !on);
    ck_assert_uint_eq(seed, 9);
    ck_assert_double_eq(rate, 1e-3);
    ck_assert_str_eq(out, "a \"b\" \xc3\xa9");
    ck_assert_int_eq(read_text("{}"), LB_OK);
    ck_assert_int_eq(count, 64);
    ck_assert_int_eq(read_text("{\"count\": null, \"out\": null}"), LB_OK);
    ck_assert_int_eq(count, 64);
    ck_assert_ptr_null(out);
    app_json_file_close(&config.read);
}
END_TEST

static const struct {
    const char *text, *message;
} refused[] = {
    {"{\"count\": 3,\n \"cuont\": 4}",
     ":2: found \"cuont\", expected the name of an option, such as \"count\""},
    {"{\"sed\": 3}", ":1: found \"sed\", expected the name of an option, such as \"seed\""},
    {"{\"config\": \"x\"}", ":1: found \"config\", expected the name of an option, such as \"count\""},
    {"{\"count\": 0}", ":1: \"count\": found 0, expected a whole number from 1 to 65536"},
    {"{\"count\": 1.5}", ":1: \"count\": found 1.5, expected a whole number from 1 to 65536"},
    {"{\"count\": \"3\"}", ":1: \"count\": found \"3\", expected a whole number from 1 to 65536"},
    {"{\n\"rate\"\n: 2}", ":2: \"rate\": found 2, expected a number from 0 to 1"},
    {"{\"way\": \"up\"}", ":1: \"way\": found \"up\", expected additive or dot"},
    {"{\"way\": \"dote\"}", ":1: \"way\": found \"dote\", expected additive or dot (did you mean dot?)"},
    {"{\"way\": 1}", ":1: \"way\": found 1, expected additive or dot"},
    {"{\"fresh\": 1}", ":1: \"fresh\": found 1, expected true or false"},
    {"{\"out\": \"\"}", ":1: \"out\": found \"\", expected DIR"},
    {"{\"out\": [1]}", ":1: \"out\": found [1], expected a string"},
    {"{\"seed\": -1}", ":1: \"seed\": found -1, expected a whole number from 0 to 18446744073709551615"},
    {"{\"seed\": 1e19}", ":1: \"seed\": found 1e+19, expected a whole number from 0 to 18446744073709551615"},
    {"{\"count\": 3, \"count\": 4}", ":1: found \"count\" twice, expected it once"},
    {"{\"count\": 3,\n \"out\": \"count\",\n \"count\": 4}", ":3: found \"count\" twice, expected it once"},
    {"{\"count\": 3", ":1: found no JSON, expected a JSON object with options"},
    {"{\"count\": 3,\n\n oops}", ":3: found no JSON, expected a JSON object with options"},
    {"{} {}", ":1: found no JSON, expected a JSON object with options"},
    {"", ":1: found no JSON, expected a JSON object with options"},
    {"[1]", ":1: found another value, expected a JSON object with options"},
    {"{\"out\": \"\xff\"}", ":1: expected text in UTF-8"},
    {"{\"out\":\n\"\xc3\"}", ":2: expected text in UTF-8"},
};

START_TEST(test_app_config_read_bad_file_is_refused_with_its_line)
{
    for (size_t i = 0; SUPPORT_ROW(i, refused); i++) {
        char expected[2 * SUPPORT_PATH];
        ck_assert_int_eq(read_text(refused[i].text), LB_ERROR_FORMAT);
        snprintf(expected, sizeof expected, "%s%s", support_path("c.json"), refused[i].message);
        ck_assert_str_eq(error.message, expected);
    }
    ck_assert_int_eq(read_bytes("{\n}\n\0{}", 7), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "c.json:3: expected text in UTF-8"));
    error = (lb_error){0};
    ck_assert_int_eq(app_config_read(&program, &config, "/no/such.json", &error), LB_ERROR_OPEN);
    app_json_file_close(&config.read);
}
END_TEST

START_TEST(test_app_config_json_gives_every_value_back)
{
    static const uint64_t seeds[] = {0, 7, UINT64_C(1) << 53, UINT64_MAX};
    static const double rates[] = {0, 0.1, 1.0 / 3, 1e-30, 1};
    for (int i = 0; i < 20; i++) {
        set_defaults();
        count = 1 + i;
        way = i % 2;
        on = i % 3 == 0;
        seed = seeds[i % 4];
        rate = rates[i % 5];
        out = i % 2 ? "a\"\n\t\\ \xc3\xa9" : NULL;
        const char *said = out;
        char *first = app_config_record(&program, NULL);
        ck_assert_int_eq(read_text(first), LB_OK);
        ck_assert_int_eq(count, 1 + i);
        ck_assert_int_eq(way, i % 2);
        ck_assert_int_eq(on, i % 3 == 0);
        ck_assert_uint_eq(seed, seeds[i % 4]);
        ck_assert_double_eq(rate, rates[i % 5]);
        ck_assert_int_eq(unset, -1);
        ck_assert(said ? strcmp(out, said) == 0 : !out);
        char *second = app_config_record(&program, NULL);
        ck_assert_str_eq(first, second);
        lb_release(first);
        lb_release(second);
    }
    app_json_file_close(&config.read);
}
END_TEST

START_TEST(test_app_config_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    set_defaults();
    char *json = app_config_record(&program, NULL);
    long all = support_allocation_count();
    lb_release(json);
    for (long n = 1; n <= all; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(app_config_record(&program, NULL));
    }
    support_fail_allocation(1);
    ck_assert_int_eq(read_text("{\"cuont\": 3}"), LB_ERROR_MEMORY);
    support_fail_allocation(0);
    app_json_file_close(&config.read);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

/* A program accepts the file that it prints, and the command line overrides it. */
START_TEST(test_config_printed_by_a_program_is_a_file_for_it)
{
    SUPPORT_TRAIN("--train", "t.tsv", "--hidden", "48", "--tied", "--target-separator", " ",
                  "--print-config");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"hidden\": 48,\n"));
    char *first = strdup(support_ran.output);
    support_write_text("c.json", first);
    SUPPORT_TRAIN("--config", "c.json", "--print-config");
    ck_assert_str_eq(support_ran.output, first);
    SUPPORT_TRAIN("--hidden", "32", "--config", "c.json", "--no-tied", "--print-config");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"hidden\": 32,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"tied\": false,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"target-separator\": \" \",\n"));
    support_write_text("c.json", "{\"hiden\": 3}");
    SUPPORT_TRAIN("--config", "c.json");
    support_assert_refused(65,
                           "c.json:1: found \"hiden\", expected the name of an option, such as \"hidden\"");
    free(first);
}
END_TEST

START_TEST(test_config_trains_as_the_command_line_would)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "50", "--out", "line");
    support_assert_trained();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "50", "--out", "file", "--print-config");
    support_write_text("c.json", support_ran.output);
    SUPPORT_TRAIN("--config", "c.json");
    support_assert_trained();
    support_assert_same_weights("line/model.safetensors", "file/model.safetensors");
}
END_TEST

/* The recipe chooses the rest for 40 pairs, and what it chose trains the same model. */
START_TEST(test_config_printed_for_a_file_has_what_the_recipe_chooses)
{
    support_write_pairs("train.tsv", 40, 1);
    SUPPORT_TRAIN("--train", "train.tsv", "--hidden", "32", "--print-config");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"embed\": 128,\n  \"hidden\": 32,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"dropout\": 0.5,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"batch\": 16,\n  \"steps\": 4000,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"label-smoothing\": 0.1,\n"));
    support_write_text("c.json", support_ran.output);
    SUPPORT_TRAIN("--config", "c.json", "--steps", "3", "--out", "file");
    support_assert_trained();
    SUPPORT_TRAIN("--train", "train.tsv", "--hidden", "32", "--steps", "3", "--out", "line");
    support_assert_trained();
    support_assert_same_weights("line/model.safetensors", "file/model.safetensors");
    SUPPORT_TRAIN("--train", "train.tsv", "--epochs", "7", "--print-config");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"steps\": 0,\n  \"epochs\": 7,\n"));
    SUPPORT_TRAIN("--train", "train.tsv", "--ensemble", "additive,transformer",
                  "--print-config"); /* two recipes */
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"layers\": 0,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"dropout\": null,\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"lr\": 0,\n"));
    SUPPORT_TRAIN("--train", "none.tsv", "--print-config");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "  \"hidden\": 0,\n"));
}
END_TEST
