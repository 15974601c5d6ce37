/* Tables of options: --help, parsing, and other readers. */
#include "cli/options.h"
#include "support/suite.h"

#include <string.h>

static int way;

static const char *const ways[] = {"additive", "dot", "general", NULL};
static const char *const colours[] = {"blues", "reds", NULL};
static const lb_alias aliases[] = {{"bahdanau", 0}, {"luong", 2}, {NULL, 0}};
static const char *colour;
static const app_option options[] = {
    {.kind = APP_IS_CHOICE,
     .name = "way",
     .metavar = "WAY",
     .help = "which way",
     .value.integer = &way,
     .choices = ways,
     .aliases = aliases},
    APP_WORD('c', "colour", "NAME", &colour, colours, "which colour"),
};
static const app_example examples[] = {
    {"Paint what is in front of you, and all that is behind it, in the colours of the sky.", "prog model"},
    {"Paint red.", "prog -c reds \\\n    model"}};
static const app_program program = {
    .name = "prog",
    .purpose = "Tries options.",
    APP_TABLES(options, examples),
};

static lb_error error;

/* prog --option=value */
static lb_status parse(const char *word)
{
    app_request request;
    char text[64], *words[] = {"prog", text, NULL};
    char **argv = words;
    int argc = 2;
    snprintf(text, sizeof text, "%s", word);
    error = (lb_error){0};
    return app_options_parse(&program, &argc, &argv, &request, &error);
}

START_TEST(test_app_options_parse_alias_is_its_choice)
{
    ck_assert_int_eq(parse("--way=luong"), LB_OK);
    ck_assert_int_eq(way, 2);
    ck_assert_int_eq(parse("--way=bahdanau"), LB_OK);
    ck_assert_int_eq(way, 0);
}
END_TEST

START_TEST(test_app_options_parse_word_is_that_of_the_list)
{
    ck_assert_int_eq(parse("--colour=Reds"), LB_OK);
    ck_assert_ptr_eq(colour, colours[1]);
}
END_TEST

START_TEST(test_app_options_parse_wrong_value_is_answered_with_the_likely_one)
{
#define WAYS    "--way: expected additive, dot or general, found "
#define COLOURS "--colour: expected blues or reds, found "
    static const char *const cases[][2] = {
        {"--way=adictive", WAYS "\"adictive\" (did you mean additive?)"},
        {"--way=Dot", WAYS "\"Dot\" (did you mean dot?)"},
        {"--way=luon", WAYS "\"luon\" (did you mean luong?)"},
        {"--way=banana", WAYS "\"banana\""},
        {"--way=", WAYS "\"\""},
        {"--colour=blu", COLOURS "\"blu\" (did you mean blues?)"},
        {"--colour=green", COLOURS "\"green\""},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        ck_assert_int_eq(parse(cases[i][0]), LB_ERROR_ARGUMENT);
        ck_assert_str_eq(error.message, cases[i][1]);
    }
}
END_TEST

START_TEST(test_app_options_help_lists_choices_aliases_and_examples)
{
    char text[2048] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    app_options_help(&program, false, out);
    fclose(out);
    ck_assert_str_eq(text, "usage: prog [OPTION]...\n"
                           "Tries options.\n"
                           "\n"
                           "      --way WAY      which way: additive or bahdanau, dot, general or luong\n"
                           "                     (default: additive)\n"
                           "  -c, --colour NAME  which colour: blues, reds\n"
                           "\n"
                           "  -h, --help         print this\n"
                           "  -V, --version      print the version\n"
                           "\n"
                           "Examples\n"
                           "  # Paint what is in front of you, and all that is behind it, in the colours of\n"
                           "  # the sky.\n"
                           "  prog model\n"
                           "\n"
                           "  # Paint red.\n"
                           "  prog -c reds \\\n"
                           "    model\n");
}
END_TEST

START_TEST(test_app_options_help_is_short_where_options_are_marked_as_usual)
{
    static int steps = 3;
    static bool fast;
    const app_option many[] = {
        APP_HEADING("Speed"),
        APP_INT('s', "steps", "N", &steps, 0, 9, "how far", .usual = true),
        APP_FLAG(0, "fast-but-never-carelessly", &fast, "how fast"),
    };
    const app_program marked = {.name = "prog", .purpose = "Walks.", .options = many, .option_count = 3};
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    app_options_help(&marked, false, out);
    fclose(out);
    ck_assert_str_eq(text, "usage: prog [OPTION]...\n"
                           "Walks.\n"
                           "\n"
                           "The most common of 2 options; --help --all shows them all\n"
                           "  -s, --steps N  how far (default: 3)\n"
                           "\n"
                           "  -h, --help     print this\n"
                           "  -V, --version  print the version\n");
    out = fmemopen(text, sizeof text, "w");
    app_options_help(&marked, true, out);
    fclose(out);
    ck_assert_str_eq(text, "usage: prog [OPTION]...\n"
                           "Walks.\n"
                           "\n"
                           "Speed\n"
                           "  -s, --steps N                    how far (default: 3)\n"
                           "      --fast-but-never-carelessly  how fast\n"
                           "\n"
                           "  -h, --help                       print this\n"
                           "  -V, --version                    print the version\n");
}
END_TEST

START_TEST(test_app_option_describe_says_in_words_what_a_default_means)
{
    static int beam, steps = 3;
    static const char *file;
    static const struct {
        app_option option;
        const char *expected;
    } cases[] = {
        {APP_INT(0, "beam", "N", &beam, 0, 9, "width; 1: greedy; 0: 5; 1 for lists"),
         "width; 1: greedy (default: 5; 1 for lists)"},
        {APP_INT(0, "steps", "N", &steps, 0, 9, "how far; 0: on and on"),
         "how far; 0: on and on (default: 3)"},
        {APP_TEXT(0, "file", "FILE", &file, "pairs; default: a tenth"), "pairs (default: a tenth)"},
    };
    char text[64];
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        app_option_describe(&cases[i].option, text, sizeof text);
        ck_assert_str_eq(text, cases[i].expected);
    }
}
END_TEST

static void keep_table(const app_program *table, void *context)
{
    *(const app_program **)context = table;
}

START_TEST(test_app_options_read_by_hands_the_table_over_and_parses_nothing)
{
    const app_program *read = NULL;
    char *words[] = {"prog", "--nope", NULL};
    char **argv = words;
    int argc = 2;
    app_options_read_by(keep_table, &read);
    ck_assert_int_eq(app_options(&program, &argc, &argv), 0);
    ck_assert_ptr_eq(read, &program);
}
END_TEST
