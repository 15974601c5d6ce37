#include "cli/options.h"
#include "console/console.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/tensor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int many, way;
static bool fresh;
static uint64_t seed;
static double rate;
static const char *out;
static lb_strings inputs;

static const char *const ways[] = {"additive", "dot", "general", NULL};
static const app_option options[] = {
    APP_HEADING("Model:"),
    APP_INT('n', "count", "N", &many, 1, 65536, "how many"),
    APP_INT(0, "counter", "N", &many, 0, 0, "any whole number"),
    APP_CHOICE(0, "way", "WAY", &way, ways, "which way"),
    APP_FLAG('f', "fresh", &fresh, "begin anew"),
    APP_SEED(0, "seed", "SEED", &seed, "where randomness begins"),
    APP_NUMBER(0, "rate", "X", &rate, 0, 1, "how fast"),
    APP_TEXT('o', "out", "DIR", &out, "where to write"),
    APP_TEXTS('i', "input", "TEXT", &inputs, "what to read"),
};
static const app_program program = {
    .name = "prog",
    .purpose = "Tries options.",
    .operands = "MODEL [FILE]",
    .min_operands = 1,
    .max_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

static const char *picture, *scores, *data;
static const app_option of_files[] = {
    APP_OUTPUT(0, "picture", &picture, "what to draw"),
    APP_OUTPUT(0, "scores", &scores, "what else to draw"),
    APP_TEXT(0, "data", "FILE", &data, "what to read"),
    APP_OPTIONAL_TEXT("list", "LIST", &out, "what to do"),
};
static const app_program files = {.name = "prog",
                                  .max_operands = 2,
                                  .options = of_files,
                                  .option_count = sizeof of_files / sizeof of_files[0]};

static lb_error error;
static app_request request;
static int operand_count;
static char **operands;

static void set_defaults(void)
{
    many = 64;
    way = 1;
    fresh = false;
    seed = 7;
    rate = 0.5;
    out = NULL;
}

/* Parses words separated by blanks; ~ means an empty word. */
static lb_status parse_by(const app_program *table, const char *line)
{
    static char text[256], *words[32];
    char *rest;
    int argc = 0;
    snprintf(text, sizeof text, "prog %s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        words[argc++] = strcmp(word, "~") == 0 ? "" : word;
    }
    words[argc] = NULL;
    error = (lb_error){0};
    operand_count = argc;
    operands = words;
    return app_options_parse(table, &operand_count, &operands, &request, &error);
}

static lb_status parse(const char *line)
{
    return parse_by(&program, line);
}

static void expect_refusal(const char *line, const char *message)
{
    ck_assert_int_eq(parse(line), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
}

START_TEST(test_app_options_parse_no_option_leaves_defaults)
{
    ck_assert_int_eq(parse("model"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_RUN);
    ck_assert_int_eq(many, 64);
    ck_assert_int_eq(way, 1);
    ck_assert(!fresh);
    ck_assert_uint_eq(seed, 7);
    ck_assert_double_eq(rate, 0.5);
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(test_app_options_parse_every_kind_is_set)
{
    ck_assert_int_eq(
        parse("--count 3 --way=general -f --seed 18446744073709551615 --rate 1e-3 --out=a=b model"), LB_OK);
    ck_assert_int_eq(many, 3);
    ck_assert_int_eq(way, 2);
    ck_assert(fresh);
    ck_assert_uint_eq(seed, UINT64_MAX);
    ck_assert_double_eq(rate, 1e-3);
    ck_assert_str_eq(out, "a=b");
}
END_TEST

START_TEST(test_app_options_parse_texts_are_kept_in_their_order)
{
    ck_assert_int_eq(parse("m"), LB_OK);
    ck_assert_uint_eq(inputs.count, 0);
    ck_assert_int_eq(parse("--input a -i b m --input=~"), LB_OK);
    ck_assert_uint_eq(inputs.count, 3);
    ck_assert_str_eq(inputs.text[0], "a");
    ck_assert_str_eq(inputs.text[1], "b");
    ck_assert_str_eq(inputs.text[2], "~");
    expect_refusal("m --input", "--input: expected TEXT, found nothing");
    lb_strings_free(&inputs);
}
END_TEST

static void expect_one_file(const char *line, const char *message)
{
    picture = scores = data = NULL;
    ck_assert_int_eq(parse_by(&files, line), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
}

START_TEST(test_app_options_parse_files_to_write_are_no_other_files)
{
    static const char one[] = "--picture and --scores: found one file, a, expected two";
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    expect_one_file("--picture a --scores a", one);
    expect_one_file("--scores ./a --picture a", one);
    expect_one_file("--picture a b --data a", "--picture and --data: found one file, a, expected two");
    expect_one_file("--picture a b ./a", "--picture and ./a: found one file, a, expected two");
    support_write_file(support_path("a"), "", 0);
    ck_assert_int_eq(link("a", "hard"), 0);
    ck_assert_int_eq(symlink("a", "soft"), 0);
    expect_one_file("--picture a --scores soft", one);
    expect_one_file("--picture a --scores hard", one);
    ck_assert(mkdir("m", 0777) == 0 && rename("a", "m/model.safetensors") == 0);
    expect_one_file("--scores m/model.safetensors m",
                    "--scores and m: found one file, m/model.safetensors, expected two");
    picture = scores = data = NULL;
    ck_assert_int_eq(parse_by(&files, "--picture a --scores m/a --data b m c"), LB_OK);
    ck_assert_int_eq(parse_by(&files, "--picture /dev/null --scores /dev/null --data a"), LB_OK);
}
END_TEST

START_TEST(test_app_options_parse_names_are_not_empty)
{
    static const char *const wrong[] = {"--data", "--picture", "--list"};
    for (int i = 0; i < 3; i++) {
        char line[32], expected[64];
        snprintf(line, sizeof line, "%s ~", wrong[i]);
        snprintf(expected, sizeof expected, "%s: expected %s, found \"\"", wrong[i], i < 2 ? "FILE" : "LIST");
        expect_one_file(line, expected);
    }
}
END_TEST

START_TEST(test_app_options_parse_no_in_front_takes_a_text_back)
{
    ck_assert_int_eq(parse_by(&files, "--list a --no-list"), LB_OK);
    ck_assert_ptr_null(out);
    ck_assert_int_eq(parse_by(&files, "--no-list --list a"), LB_OK);
    ck_assert_str_eq(out, "a");
    expect_one_file("--no-data", "unknown option --no-data; see prog --help");
}
END_TEST

START_TEST(test_app_options_parse_no_in_front_turns_a_flag_off)
{
    ck_assert_int_eq(parse("--fresh --no-fresh m"), LB_OK);
    ck_assert(!fresh);
    ck_assert_int_eq(parse("--no-fresh -f m"), LB_OK);
    ck_assert(fresh);
    expect_refusal("--no-fresh=1 m", "--no-fresh: takes no value");
    expect_refusal("--no-count m", "unknown option --no-count; see prog --help");
}
END_TEST

START_TEST(test_app_options_help_shows_how_to_turn_off_what_is_on)
{
    char text[2048] = "";
    FILE *out_file = fmemopen(text, sizeof text, "w");
    fresh = true;
    app_options_help(&program, true, out_file);
    fclose(out_file);
    ck_assert_ptr_nonnull(strstr(text, "  -f, --[no-]fresh  "));
    ck_assert_ptr_nonnull(strstr(text, " begin anew (default: on)\n"));
}
END_TEST

START_TEST(test_app_options_parse_both_ends_of_range_are_in)
{
    ck_assert_int_eq(parse("--count 1 --rate 0 m"), LB_OK);
    ck_assert_int_eq(many, 1);
    ck_assert_double_eq(rate, 0);
    ck_assert_int_eq(parse("--count 65536 --rate 1 m"), LB_OK);
    ck_assert_int_eq(many, 65536);
    ck_assert_double_eq(rate, 1);
}
END_TEST

START_TEST(test_app_options_parse_no_range_takes_any_int)
{
    ck_assert_int_eq(parse("--counter -2147483648 m"), LB_OK);
    ck_assert_int_eq(many, INT32_MIN);
    expect_refusal("--counter 2147483648 m", "--counter: expected a whole number, found \"2147483648\"");
}
END_TEST

START_TEST(test_app_options_parse_operands_are_returned_in_order)
{
    ck_assert_int_eq(parse("first -n 2 -- --second"), LB_OK);
    ck_assert_int_eq(operand_count, 2);
    ck_assert_str_eq(operands[0], "first");
    ck_assert_str_eq(operands[1], "--second");
    ck_assert_int_eq(many, 2);
}
END_TEST

START_TEST(test_app_options_parse_dash_is_operand)
{
    ck_assert_int_eq(parse("- -n2"), LB_OK);
    ck_assert_int_eq(operand_count, 1);
    ck_assert_str_eq(operands[0], "-");
}
END_TEST

START_TEST(test_app_options_parse_repeated_option_last_wins_but_of_two_files_none)
{
    ck_assert_int_eq(parse("-o a m --out b"), LB_OK);
    ck_assert_str_eq(out, "b");
    ck_assert_int_eq(parse_by(&files, "--data a --data b"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "--data: found a and b, expected only one");
}
END_TEST

START_TEST(test_app_options_parse_bad_value_is_refused)
{
#define COUNT "--count: expected a whole number from 1 to 65536, found "
    expect_refusal("--count abc m", COUNT "\"abc\"");
    expect_refusal("--count 3x m", COUNT "\"3x\"");
    expect_refusal("--count 1.5 m", COUNT "\"1.5\"");
    expect_refusal("--count 0 m", COUNT "\"0\"");
    expect_refusal("--count 65537 m", COUNT "\"65537\"");
    expect_refusal("-n 99999999999999999999 m", COUNT "\"99999999999999999999\"");
    expect_refusal("-n ~ m", COUNT "\"\"");
    expect_refusal("m --count", COUNT "nothing");
    expect_refusal("m -n", COUNT "nothing");
#define SEED "--seed: expected a whole number from 0 to 18446744073709551615, found "
    expect_refusal("--seed -1 m", SEED "\"-1\"");
    expect_refusal("--seed 18446744073709551616 m", SEED "\"18446744073709551616\"");
    expect_refusal("--rate nan m", "--rate: expected a number from 0 to 1, found \"nan\"");
    expect_refusal("--rate 1.01 m", "--rate: expected a number from 0 to 1, found \"1.01\"");
    expect_refusal("--rate 1e999 m", "--rate: expected a number from 0 to 1, found \"1e999\"");
    expect_refusal("--rate 1e-400 m", "--rate: expected a number from 0 to 1, found \"1e-400\"");
    expect_refusal("--way sideways m", "--way: expected additive, dot or general, found \"sideways\"");
    expect_refusal("m --out", "--out: expected DIR, found nothing");
    expect_refusal("--fresh=1 m", "--fresh: takes no value");
    expect_refusal("--help=1 m", "--help: takes no value");
}
END_TEST

START_TEST(test_app_options_parse_leading_blank_is_refused)
{
    char *words[] = {"prog", "--count", " 3", "m", NULL};
    int argc = 4;
    char **argv = words;
    error = (lb_error){0};
    ck_assert_int_eq(app_options_parse(&program, &argc, &argv, &request, &error), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(many, 64);
}
END_TEST

START_TEST(test_app_options_parse_bad_option_is_refused)
{
    expect_refusal("--nope m", "unknown option --nope; see prog --help");
    expect_refusal("--nope=3 m", "unknown option --nope; see prog --help");
    expect_refusal("-fx m", "unknown option -x; see prog --help");
    expect_refusal("--c 3 m", "ambiguous option --c, expected one of --count, --counter; see prog --help");
}
END_TEST

START_TEST(test_app_options_parse_misspelt_option_is_answered_with_the_likely_one)
{
    expect_refusal("--cuont 3 m", "unknown option --cuont (did you mean --count?); see prog --help");
    expect_refusal("--conut=3 m", "unknown option --conut (did you mean --count?); see prog --help");
    expect_refusal("--sead 3 m", "unknown option --sead (did you mean --seed?); see prog --help");
    expect_refusal("--no-frsh m", "unknown option --no-frsh (did you mean --no-fresh?); see prog --help");
    expect_refusal("--cou_nter 3 m", "unknown option --cou_nter (did you mean --counter?); see prog --help");
    expect_refusal("--hlep", "unknown option --hlep (did you mean --help?); see prog --help");
    const app_option of_two[] = {APP_TEXT(0, "dev-targets", "FILE", &data, ""),
                                 APP_TEXT(0, "train-targets", "FILE", &data, "")};
    const app_program two = {.name = "prog", .operands = "FILE", .options = of_two, .option_count = 2};
    ck_assert_int_eq(parse_by(&two, "--targets x"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "unknown option --targets (did you mean --dev-targets?); see prog --help");
    ck_assert_int_eq(parse_by(&two, "/dev/null"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "unexpected argument \"/dev/null\", expected only FILE; if it has the targets, "
                     "put --train-targets before it; see prog --help");
    expect_refusal("--verison", "unknown option --verison (did you mean --version?); see prog --help");
}
END_TEST

START_TEST(test_app_options_parse_wrong_operand_count_is_refused)
{
    expect_refusal("-n 3", "expected MODEL [FILE]; see prog --help");
    expect_refusal("a b c", "unexpected argument \"c\", expected only MODEL [FILE]; see prog --help");
}
END_TEST

START_TEST(test_app_options_parse_help_and_version_need_nothing_else)
{
    ck_assert_int_eq(parse("--help"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_HELP);
    ck_assert_int_eq(parse("-h --nope"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_HELP);
    ck_assert_int_eq(parse("--version"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_VERSION);
    ck_assert_int_eq(parse("-V --nope"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_VERSION);
}
END_TEST

START_TEST(test_app_options_parse_all_belongs_to_help)
{
    ck_assert_int_eq(parse("--help --all"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_HELP_ALL);
    ck_assert_int_eq(parse("-n 3 -h m --all"), LB_OK);
    ck_assert_int_eq(request, APP_REQUEST_HELP_ALL);
    expect_refusal("--all m", "unknown option --all; see prog --help");
}
END_TEST

START_TEST(test_app_options_parse_operand_is_the_value_of_its_option)
{
    app_program one = files;
    one.max_operands = 1;
    one.operand_of = "data";
    one.operands = "FILE";
    data = picture = scores = NULL;
    ck_assert_int_eq(parse_by(&one, "a --picture b"), LB_OK);
    ck_assert_str_eq(data, "a");
    ck_assert_int_eq(operand_count, 0);
    ck_assert(app_option_was_set(&data));
    data = NULL;
    ck_assert_int_eq(parse_by(&one, "--data c"), LB_OK);
    ck_assert_str_eq(data, "c");
    ck_assert_int_eq(parse_by(&one, "--data c a"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "--data and a: expected only one of them");
    ck_assert_int_eq(parse_by(&one, "a b"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "unexpected argument \"b\", expected only FILE; see prog --help");
    ck_assert_int_eq(parse_by(&one, "~"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "--data: expected FILE, found \"\"");
    data = NULL;
    ck_assert_int_eq(parse_by(&one, "a --picture a"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "--picture and --data: found one file, a, expected two");
}
END_TEST

int main(void)
{
    return support_run_tests_between(set_defaults, NULL);
}
