/* Outputs of predict: copying unknown symbols, JSON lines, and sampling. */
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "base/alloc.h"
#include "io/file.h"
#include <cJSON.h>
#include <lookback/base.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREDICT  BIN_DIR "/lookback", "predict"
#define EVALUATE BIN_DIR "/lookback", "evaluate"
#define TSH      "t\xca\x83"
#define NO_CHAR  "\xef\xbf\xbd"

/* Made once, in main: one that has learned to copy names, and some that write other symbols. */
static const char *copier, *model, *plain, *unsure;

static support_result result;

#define RUN(text, ...)         SUPPORT_RUN(&result, text, PREDICT, __VA_ARGS__)
#define EVALUATE_ON(text, ...) SUPPORT_RUN(&result, text, EVALUATE, __VA_ARGS__)

/* Words a to f, which become A to F, among names, which stay unchanged. Each name is too rare to be learned. */
static char *make_sentences(int count)
{
    char *text = malloc((size_t)count * 128), *end = text;
    for (int i = 0; i < count && text; i++) {
        lb_rng rng = {.seed = 11, .step = (uint32_t)i};
        char target[64] = "", *to = target;
        int words = 2 + (int)lb_rng_below(rng, 0, 4);
        for (int w = 0; w < words; w++) {
            const char *gap = w + 1 < words ? " " : "";
            uint64_t at = 3 * (uint64_t)w + 1;
            if (lb_rng_below(rng, at, 3) == 0) {
                int name = (int)lb_rng_below(rng, at + 1, 100000);
                end += sprintf(end, "Z%05d%s", name, gap);
                to += sprintf(to, "Z%05d%s", name, gap);
            } else {
                int letter = (int)lb_rng_below(rng, at + 1, 6);
                end += sprintf(end, "%c%s", 'a' + letter, gap);
                to += sprintf(to, "%c%s", 'A' + letter, gap);
            }
        }
        end += sprintf(end, "\t%s\n", target);
    }
    return text;
}

START_TEST(test_predict_copies_unknown_symbols_from_where_the_attention_looks)
{
    static const char lines[] = "a Ophelia c\nOtto b Xaver\n";
    RUN(lines, copier, "--copy-unknown");
    ck_assert_str_eq(result.output, "a Ophelia c\tA Ophelia C\nOtto b Xaver\tOtto B Xaver\n");
    RUN(lines, copier);
    ck_assert_str_eq(result.output,
                     "a Ophelia c\tA " NO_CHAR " C\nOtto b Xaver\t" NO_CHAR " B " NO_CHAR "\n");
}
END_TEST

START_TEST(test_evaluate_counts_copied_symbols)
{
    static const char pairs[] = "a Ophelia c\tA Ophelia C\nOtto b Xaver\tOtto B Xaver\nf e\tF E\n";
    EVALUATE_ON(pairs, copier, "-", "--copy-unknown");
    ck_assert_ptr_nonnull(strstr(result.output, "\nexact match           100.00 %"));
    EVALUATE_ON(pairs, copier, "-");
    ck_assert_ptr_nonnull(strstr(result.output, "\nexact match            33.33 %"));
}
END_TEST

START_TEST(test_predict_copying_needs_attention)
{
    RUN("ab\n", plain, "--copy-unknown");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "--copy-unknown needs a model with attention"));
    EVALUATE_ON("ab\tA B\n", plain, "-", "--copy-unknown");
    ck_assert_int_eq(result.status, 65);
}
END_TEST

static double number(const cJSON *object, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsNumber(found), "%s: %s", key, result.output);
    return found->valuedouble;
}

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* One line of the output, parsed; `at` moves to the next. */
static cJSON *parse_line(const char **at)
{
    const char *end;
    cJSON *line = cJSON_ParseWithOpts(*at, &end, 0);
    ck_assert_msg(line && *end == '\n', "%s", *at);
    *at = end + 1;
    return line;
}

/* Asserts that the numbers of an output are consistent, and its symbols match its text. */
static void check_output(const cJSON *output)
{
    char text[256] = "";
    double product = number(output, "end");
    int count = 0;
    const cJSON *symbol = cJSON_GetObjectItemCaseSensitive(output, "symbols")->child;
    for (; symbol; symbol = symbol->next) {
        sprintf(text + strlen(text), "%s%s", count++ ? " " : "", text_of(symbol, "symbol"));
        double probability = number(symbol, "probability");
        ck_assert(probability > 0 && probability <= 1);
        product *= probability;
    }
    ck_assert_str_eq(text, text_of(output, "text"));
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(output, "finished")));
    ck_assert_double_eq_tol(number(output, "probability"), product, 1e-6 * product);
    ck_assert_double_eq_tol(number(output, "score"), log(product) / (count + 1), 1e-6);
}

START_TEST(test_predict_jsonl_has_all_outputs_with_the_probability_of_each_symbol)
{
    RUN("bad\n\nxd\n", model, "--jsonl", "--n-best=3");
    ck_assert_int_eq(result.status, 0);
    const char *at = result.output;
    cJSON *line = parse_line(&at);
    const cJSON *outputs = cJSON_GetObjectItemCaseSensitive(line, "outputs");
    ck_assert_str_eq(text_of(line, "source"), "bad");
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(line, "unknown")), 0);
    ck_assert_int_eq(cJSON_GetArraySize(outputs), 3);
    ck_assert_str_eq(text_of(outputs->child, "text"), "B A " TSH);
    for (const cJSON *output = outputs->child; output; output = output->next) check_output(output);
    cJSON_Delete(line);
    line = parse_line(&at);
    ck_assert_str_eq(text_of(line, "source"), "");
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(line, "outputs")), 0);
    cJSON_Delete(line);
    line = parse_line(&at);
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(line, "unknown")->child->valuestring, "x");
    cJSON_Delete(line);
    ck_assert_str_eq(at, "");
}
END_TEST

/* The column with the largest number of a row; each row has one for each symbol of the source. */
static int largest_of(const cJSON *rows, int row, int columns)
{
    const cJSON *numbers = cJSON_GetArrayItem(rows, row);
    int best = 0;
    ck_assert_int_eq(cJSON_GetArraySize(numbers), columns);
    for (int i = 1; i < columns; i++)
        if (cJSON_GetArrayItem(numbers, i)->valuedouble > cJSON_GetArrayItem(numbers, best)->valuedouble)
            best = i;
    return best;
}

START_TEST(test_predict_why_has_what_each_symbol_depends_on)
{
    static const char *const measures[] = {"erasure", "gradient"};
    RUN("bad\na\n", model, "--jsonl", "--why");
    ck_assert_int_eq(result.status, 0);
    const char *at = result.output;
    cJSON *line = parse_line(&at);
    const cJSON *output = cJSON_GetObjectItemCaseSensitive(line, "outputs")->child;
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(output, "source_symbols")), 3);
    for (int i = 0; SUPPORT_ROW(i, measures); i++) {
        const cJSON *rows = cJSON_GetObjectItemCaseSensitive(output, measures[i]);
        ck_assert_int_eq(cJSON_GetArraySize(rows), 4); /* three symbols and the end */
        for (int row = 0; row < 3; row++) ck_assert_int_eq(largest_of(rows, row, 3), row);
    }
    cJSON_Delete(line);
    line = parse_line(&at);
    output = cJSON_GetObjectItemCaseSensitive(line, "outputs")->child;
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(output, "erasure")));
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(output, "why_null")),
                     "a source of one symbol has no erasure");
    largest_of(cJSON_GetObjectItemCaseSensitive(output, "gradient"), 0, 1);
    cJSON_Delete(line);
    RUN("bad\n", model, "--jsonl");
    ck_assert_ptr_null(strstr(result.output, "erasure"));
    RUN("bad\n", model, "--why");
    support_expect(&result, 2, "", "lookback predict: --why needs --jsonl\n");
}
END_TEST

START_TEST(test_predict_jsonl_of_a_bad_line_says_why)
{
    char line[1100] = "";
    memset(line, 'a', 1001);
    strcpy(line + 1001, "\nab\n");
    RUN(line, model, "--jsonl", "--skip-bad-lines");
    ck_assert_int_eq(result.status, 0);
    const char *at = result.output;
    cJSON *bad = parse_line(&at), *good = parse_line(&at);
    ck_assert_str_eq(text_of(bad, "error"), "found a text of 1001 symbols, expected at most 1000");
    ck_assert(!cJSON_HasObjectItem(good, "error"));
    cJSON_Delete(bad);
    cJSON_Delete(good);
    RUN("\xff\nab\n", model, "--jsonl", "--skip-bad-lines");
    static const char unreadable[] = "{\"source\":null,\"unknown\":[],\"outputs\":[]}\n";
    ck_assert_int_eq(strncmp(result.output, unreadable, sizeof unreadable - 1), 0);
}
END_TEST

/* Without the last column: the last digits of a score may depend on the other texts. */
static char *without_scores(char *text)
{
    char *to = text;
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        size_t length = (size_t)(end - line);
        while (line[length] != '\t') length--;
        memmove(to, line, length);
        to += length;
        *to++ = '\n';
        line = end + 1;
    }
    *to = '\0';
    return text;
}

START_TEST(test_predict_samples_depend_on_the_seed_and_not_on_the_batch)
{
    static const char lines[] = "bad\ncab\nbad\nabc\ned\na\nbb\nceb\n";
    RUN(lines, unsure, "--sample", "--n-best=4", "--temperature=1.5");
    ck_assert_int_eq(result.status, 0);
    char *first = without_scores(strdup(result.output));
    static const char *const batches[] = {"--batch=1", "--batch=2", "--batch=4"};
    for (int i = 0; SUPPORT_ROW(i, batches); i++) {
        RUN(lines, unsure, "--sample", "--n-best=4", "--temperature=1.5", "--threads=1", batches[i]);
        ck_assert_str_eq(without_scores(result.output), first);
    }
    RUN(lines, unsure, "--sample", "--n-best=4", "--temperature=1.5", "--seed=2");
    ck_assert_str_ne(without_scores(result.output), first);
    /* A text that occurs twice gets independent draws. */
    RUN("bad\nbad\n", unsure, "--sample", "--temperature=3");
    const char *second = strchr(result.output, '\n') + 1;
    ck_assert_uint_ne(strlen(second), 0);
    ck_assert(strncmp(result.output, second, (size_t)(second - result.output)) != 0);
    free(first);
}
END_TEST

START_TEST(test_predict_samples_without_temperature_are_greedy)
{
    static const char lines[] = "bad\ncab\nabcabc\ned\n";
    RUN(lines, unsure, "--beam=1");
    char *greedy = strdup(result.output);
    RUN(lines, unsure, "--sample", "--temperature=0");
    ck_assert_str_eq(result.output, greedy);
    free(greedy);
    RUN(lines, unsure, "--sample", "--temperature=-1");
    ck_assert_int_eq(result.status, 2);
}
END_TEST

/* Runs outside the tests, where Check cannot assert. False if it fails. */
static void assert_content(const char *name, const char *expected)
{
    lb_error error = {0};
    void *bytes;
    size_t count;
    ck_assert_msg(!lb_file_read(support_path(name), 0, &bytes, &count, &error), "%s", error.message);
    ck_assert_str_eq(bytes, expected);
    lb_release(bytes);
}

START_TEST(test_predict_writes_to_a_file_what_it_would_print)
{
    RUN("ab\n\nba\n", model, "--batch", "1");
    char *printed = strdup(result.output);
    ck_assert(printed && *printed);
    RUN("ab\n\nba\n", model, "--batch", "1", "-o", "outputs.tsv");
    support_expect(&result, 0, "", "");
    assert_content("outputs.tsv", printed);
    RUN("ab\n\nba\n", model, "--jsonl");
    free(printed);
    printed = strdup(result.output);
    RUN("ab\n\nba\n", model, "--jsonl", "--output", "outputs.tsv");
    assert_content("outputs.tsv", printed);
    RUN("", model, "-o", "outputs.tsv");
    assert_content("outputs.tsv", "");
    free(printed);
}
END_TEST

START_TEST(test_predict_leaves_the_file_as_it_was_after_an_error)
{
    support_write_file(support_path("outputs.tsv"), "old\n", 4);
    RUN("ab\na\xff\n", model, "-o", "outputs.tsv");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.output, "");
    assert_content("outputs.tsv", "old\n");
    RUN("ab\n", model, "-o", "missing/outputs.tsv");
    ck_assert_int_eq(result.status, 74);
    ck_assert_ptr_nonnull(strstr(result.error, "missing/outputs.tsv: cannot write: No such file"));
}
END_TEST

START_TEST(test_predict_does_not_write_to_its_input)
{
    support_write_file(support_path("words.txt"), "ab\n", 3);
    RUN("", model, "words.txt", "-o", "words.txt");
    support_expect(&result, 2, "",
                   "lookback predict: --output and words.txt: found one file, words.txt, expected two\n");
    RUN("", model, "words.txt", "-o", model);
    ck_assert_int_eq(result.status, 2);
    RUN("", model, "words.txt", "-o", "a.npy", "--attention", "a.npy");
    ck_assert_int_eq(result.status, 2);
    support_result_free(&result);
    const char *const argv[] = {PREDICT, model, "-o", "words.txt", NULL};
    ck_assert(support_run_command(&(support_command){.argv = argv,
                                                     .directory = support_tempdir(),
                                                     .input_path = support_path("words.txt")},
                                  &result));
    support_expect(
        &result, 2, "",
        "lookback predict: --output and standard input: found one file, words.txt, expected two\n");
    assert_content("words.txt", "ab\n");
}
END_TEST

START_TEST(test_predict_only_outputs_has_one_line_for_each_line_of_input)
{
    static const char lines[] = "ab\n\na\xff\nba\n";
    static const char *const others[][2] = {{"--n-best", "2"}, {"--jsonl", NULL}, {"--votes", NULL}};
    char first[64], last[64], expected[256], message[128];
    RUN(lines, model, "--skip-bad-lines");
    ck_assert_int_eq(sscanf(result.output, "ab\t%63[^\n]\n\n\t\nba\t%63[^\n]", first, last), 2);
    RUN(lines, model, "--skip-bad-lines", "--only-outputs");
    ck_assert_int_eq(result.status, 0);
    snprintf(expected, sizeof expected, "%s\n\n\n%s\n", first, last);
    ck_assert_str_eq(result.output, expected);
    for (int i = 0; i < 3; i++) {
        snprintf(message, sizeof message,
                 "lookback predict: --only-outputs and %s: expected only one of them\n", others[i][0]);
        RUN(lines, model, "--only-outputs", others[i][0], others[i][1]);
        support_expect(&result, 2, "", message);
    }
}
END_TEST

START_TEST(test_predict_quiet_still_warns)
{
    RUN("ab\na\xff\n", model, "--skip-bad-lines");
    ck_assert_ptr_nonnull(strstr(result.error, "standard input:2: "));
    char *printed = strdup(result.output);
    RUN("ab\na\xff\n", model, "--skip-bad-lines", "-q");
    support_expect(&result, 0, printed, "lookback predict: 1 bad line was skipped\n");
    free(printed);
}
END_TEST

/* The content of a file, with # for each number that has a point; in place. */
static char *mask_numbers(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        size_t length = strspn(at, "-0123456789.e");
        if (length > 0 && memchr(at, '.', length)) {
            *to++ = '#';
            at += length;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return text;
}

/* What comes with a table goes with it, and its own name says what it is. */
START_TEST(test_predict_a_table_gets_columns_for_the_output)
{
    static const struct {
        const char *name, *text, *options[3], *table, *error;
    } cases[] = {
        {"w.csv",
         "id,word,note\n1,bad,\"x, \"\"y\"\"\"\n2,ab,\n",
         {"--format=csv+header", "--source-column=2"},
         "id,word,note,output,probability,score,from\n1,bad,\"x, \"\"y\"\"\",B A " TSH ",#,#,model\n"
         "2,ab,,A B,#,#,model\n",
         "read as csv+header"},
        {"w.csv",
         "1,bad\n2,ab\n",
         {"--source-column=2"},
         "column 1,source,output,probability,score,from\n1,bad,B A " TSH ",#,#,model\n2,ab,A B,#,#,model\n",
         "--format csv+header leaves it out"},
        {"w.csv",
         "bad,1\n",
         {NULL},
         "source,column 2,output,probability,score,from\nbad,1,B A " TSH ",#,#,model\n",
         "the texts are those of column 1, not of 2; --source-column chooses others"},
        {"w.csv",
         "source,n\nbad,1\n",
         {NULL},
         "source,n,output,probability,score,from\nbad,1,B A " TSH ",#,#,model\n",
         ""},
        {"w.csv",
         "n;Word\n1;bad\n",
         {NULL},
         "n,Word,output,probability,score,from\n1,bad,B A " TSH ",#,#,model\n",
         ""},
        {"w.jsonl",
         "{\"id\":7,\"source\":\"bad\"}\n",
         {NULL},
         "id,source,output,probability,score,from\n7,bad,B A " TSH ",#,#,model\n",
         "read as jsonl"},
        {"w.txt", "ab\n\n b\n", {"--n-best=2", "--alignments"}, NULL, ""},
        {"w.txt",
         "bad\nab\xff\n",
         {"--skip-bad-lines"},
         "source,output,probability,score,from\nbad,B A " TSH ",#,#,model\nab\xff,,,,\n",
         "bad line was skipped"},
        {"w.txt", "", {NULL}, "", ""},
    };
    size_t length;
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        support_write_text(cases[i].name, cases[i].text);
        const char *const *o = cases[i].options;
        RUN("", model, cases[i].name, "-o", "answers.csv", o[0] ? o[0] : "--threads=1",
            o[1] ? o[1] : "--threads=1");
        ck_assert_int_eq(result.status, 0);
        ck_assert_str_eq(result.output, "");
        ck_assert_ptr_nonnull(strstr(result.error, cases[i].error));
        char *table = mask_numbers(support_content("answers.csv", &length));
        if (cases[i].table)
            ck_assert_str_eq(table, cases[i].table);
        else
            ck_assert_ptr_nonnull(strstr(
                table, "source,output,probability,score,from,alignment\nab,A B,#,#,model,0-0 1-1\nab,"));
        free(table);
    }
    RUN("bad\n", model, "-o", "answers.jsonl");
    char *lines = support_content("answers.jsonl", &length);
    ck_assert_int_eq(strncmp(lines, "{\"source\":\"bad\",", 16), 0);
    free(lines);
    RUN("bad\n", model, "-o", "plain.csv", "--only-outputs"); /* the option says it */
    assert_content("plain.csv", "B A " TSH "\n");
}
END_TEST

static bool train_copier(void)
{
    char *sentences = make_sentences(800);
    if (!sentences) return false;
    support_write_file(support_path("sentences.tsv"), sentences, strlen(sentences));
    free(sentences);
    copier = support_path("copier");
    const char *const argv[] = {BIN_DIR "/lookback",
                                "train",
                                "--train",
                                support_path("sentences.tsv"),
                                SUPPORT_SMALL,
                                "--source-separator",
                                " ",
                                "--min-count",
                                "5",
                                "--lr",
                                "0.01",
                                "--steps",
                                "600",
                                "--evaluate-every",
                                "200",
                                "--out",
                                copier,
                                NULL};
    return support_run(argv, NULL, &result) && result.status == 0;
}

int main(void)
{
    if (!train_copier()) return EXIT_FAILURE;
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    plain = support_train_pair_model("plain.safetensors", 600, LB_ATTENTION_NONE);
    unsure = support_train_pair_model("unsure.safetensors", 60, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
