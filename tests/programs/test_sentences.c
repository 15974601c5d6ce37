/* train and data on files of sentences, without a separator: subwords, and numbers of their own. It takes seconds. */
#include "base/format.h"
#include "support/pair_program.h"
#include "support/suite.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

static support_result result;

#define RUN(...) SUPPORT_RUN(&result, "", LOOKBACK, __VA_ARGS__)

/* What makes a run of a second; later options win. */
#define QUICK                                                                                                \
    "--embed", "8", "--hidden", "8", "--batch", "16", "--steps", "2", "--evaluate-every", "2", "--threads",  \
        "1", "--set", "film=0"
#define TWO_FILES "--train", "a.de", "--train-targets", "a.en", "--dev", "dev.de", "--dev-targets", "dev.en"

static const char *const who[][2] = {{"die Frau", "the woman"},    {"der Mann", "the man"},
                                     {"das Kind", "the child"},    {"mein Bruder", "my brother"},
                                     {"unsere Tante", "our aunt"}, {"ein Hund", "a dog"}},
                         *const what[][2] = {{"ein Buch", "a book"},           {"den Apfel", "the apple"},
                                             {"die Zeitung", "the newspaper"}, {"einen Brief", "a letter"},
                                             {"das Bild", "the picture"},      {"eine Tasche", "a bag"}},
                         *const did[][2] = {{"gesehen", "seen"},   {"gefunden", "found"},
                                            {"verloren", "lost"},  {"verkauft", "sold"},
                                            {"geholt", "fetched"}, {"getragen", "carried"},
                                            {"genommen", "taken"}, {"gewaschen", "washed"}},
                         *const where[][2] = {
                             {"im Garten", "in the garden"}, {"im Zug", "on the train"},
                             {"zu Hause", "at home"},        {"auf dem Markt", "at the market"},
                             {"am See", "by the lake"},      {"im Park", "in the park"},
                             {"in der Schule", "at school"}, {"hier", "here"}};
enum { ALL = 6 * 6 * 8 * 8, TEXT = 160 };

/* Writes the sentences from `first` to `end`, as two files NAME.de and NAME.en and as one, NAME.tsv. */
static void write_sentences(const char *name, int first, int end)
{
    static char german[ALL * TEXT], english[ALL * TEXT], both[2 * ALL * TEXT];
    char path[64], de[TEXT], en[TEXT];
    size_t n = 0, m = 0, b = 0;
    for (int i = first; i < end; i++) {
        const char *const *s = who[i % 6], *const *o = what[i / 6 % 6], *const *v = did[i / 36 % 8],
                          *const *p = where[i / 288];
        lb_snprintf(de, TEXT, "Gestern hat %s %s %s %s.", s[0], p[0], o[0], v[0]);
        lb_snprintf(en, TEXT, "Yesterday %s has %s %s %s.", s[1], v[1], o[1], p[1]);
        n += (size_t)lb_snprintf(german + n, sizeof german - n, "%s\n", de);
        m += (size_t)lb_snprintf(english + m, sizeof english - m, "%s\n", en);
        b += (size_t)lb_snprintf(both + b, sizeof both - b, "%s\t%s\n", de, en);
    }
    lb_snprintf(path, sizeof path, "%s.de", name);
    support_write_text(path, german);
    lb_snprintf(path, sizeof path, "%s.en", name);
    support_write_text(path, english);
    lb_snprintf(path, sizeof path, "%s.tsv", name);
    support_write_text(path, both);
}

static void write_files(void)
{
    write_sentences("a", 0, 2200);
    write_sentences("dev", 2200, ALL);
}

static const char note[] = "sentences, since half of the texts have 4 words or more: subwords ";

/* The value of an option that --print-config wrote, as JSON; to be freed. */
static char *printed(const char *name)
{
    cJSON *json = cJSON_Parse(result.output);
    ck_assert_msg(json != NULL, "%s", result.error);
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(json, name));
    cJSON_Delete(json);
    return text;
}

static void expect_option(const char *name, const char *expected)
{
    char *found = printed(name);
    ck_assert_msg(found && strcmp(found, expected) == 0, "%s: found %s, expected %s", name, found, expected);
    cJSON_free(found);
}

START_TEST(test_sentences_are_trained_on_as_subwords)
{
    write_files();
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--out", "two");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, note));
    ck_assert_ptr_nonnull(strstr(support_ran.error, ", chrF2 "));
    ck_assert_ptr_null(strstr(support_ran.error, "exact match"));
    ck_assert_int_eq(strncmp(support_ran.output, "chrF2 ", 6), 0);
    /* A vote has compared no texts, and neither has a training of which none are held out. */
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--ensemble", "2", "--out", "vote");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, ", chrF2 "));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\nsymbol error "));
    SUPPORT_TRAIN("a.tsv", "--no-hold-out", QUICK, "--out", "last");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, "exact match"));
    ck_assert_int_eq(strncmp(support_ran.output, "symbol error ", 13), 0);
    support_write_text("sweep.json", "{\"hidden\": [8]}");
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--sweep", "sweep.json", "--out", "sweep");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, " chrF2 "));
    SUPPORT_TRAIN("a.tsv", "--dev", "dev.tsv", QUICK, "--out", "one");
    support_assert_trained();
    support_assert_same_weights("two/model.safetensors", "one/model.safetensors");
    RUN("inspect", "two");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_nonnull(strstr(result.output, "merges"));
    /* The same command is the same run. */
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--out", "two");
    support_assert_trained();
    /* The recipe's choice and the same by hand are one run, too. */
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--choose", "chrf", "--tied", "--out", "two");
    support_assert_trained();
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--subwords", "0", "--out", "two");
    support_assert_refused(65, "and --subwords 1600, this run has ");
}
END_TEST

START_TEST(test_sentences_have_their_options_unless_others_are_given)
{
    write_files();
    RUN("train", TWO_FILES, "--print-config");
    expect_option("tied", "true");
    expect_option("choose", "\"chrf\"");
    expect_option("hidden", "256");
    char *merges = printed("subwords");
    ck_assert(atoi(merges) > 1000);
    cJSON_free(merges);
    RUN("train", TWO_FILES, "--print-config", "--no-tied", "--choose", "exact", "--hidden", "24",
        "--subwords", "77");
    expect_option("tied", "false");
    expect_option("choose", "\"exact\"");
    expect_option("hidden", "24");
    expect_option("subwords", "77");
    expect_option("embed", "192");
    RUN("train", TWO_FILES, "--print-config", "--model", "transformer");
    expect_option("layers", "3");
    RUN("train", TWO_FILES, "--print-config", "--subwords", "0", "--model", "transformer");
    expect_option("layers", "2");
    expect_option("subwords", "0");
    expect_option("tied", "false");
    expect_option("choose", "\"exact\"");
    expect_option("hidden", "192");
    RUN("train", TWO_FILES, "--print-config", "--source-separator", " ", "--target-separator", " ");
    expect_option("subwords", "0");
    expect_option("hidden", "192");
}
END_TEST

START_TEST(test_sentences_are_announced_by_data)
{
    write_files();
    RUN("data", "a.de", "--targets", "a.en", "--dev", "dev.de", "--dev-targets", "dev.en");
    ck_assert_int_eq(result.status, 0);
    const char *said = strstr(result.error, note);
    ck_assert_msg(said != NULL, "%s", result.error);
    SUPPORT_TRAIN(TWO_FILES, "--steps", "1", "--batch", "1", "--set", "film=0", "--out", "out");
    support_assert_trained();
    char line[512];
    lb_snprintf(line, sizeof line, "%.*s\n", (int)strcspn(said, "\n"), said);
    ck_assert_msg(strstr(support_ran.error, line) != NULL, "%s\n%s", line, support_ran.error);
    RUN("data", "a.tsv", "--source-separator", " ");
    ck_assert_ptr_null(strstr(result.error, note));
    write_sentences("few", 0, 99);
    RUN("data", "few.tsv");
    ck_assert_ptr_null(strstr(result.error, note));
}
END_TEST

START_TEST(test_sentences_that_start_from_words_stay_words)
{
    write_files();
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--source-separator", " ", "--target-separator", " ", "--out", "words");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, note));
    SUPPORT_TRAIN(TWO_FILES, "--from", "words", "--steps", "1", "--set", "film=0", "--out", "more");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, note));
}
END_TEST

/* ---- Files that are none of sentences. ---- */

static const struct {
    const char *german, *english; /* the texts of a.de and a.en */
    const char *said;
} bad[] = {
    {"ein Wort\n", "a word\n", "a.de: found 1 pair with too few different sources to hold some out"},
    {"Wort\nWort\nWort\n", "word\nword\nword\n", "a.de: found 3 pairs with too few different sources"},
    {"ein Wort\nzwei\n\n", "a word\ntwo\nthree\n", "a.de:3: found an empty source, expected text"},
    {"ein Wort\nzwei\ndrei\n", "a word\n\nthree\n", "a.en:2: found an empty target, expected text"},
    {"ein Wort\nzwei\ndrei\n", "a word\ntwo\n",
     "a.en:2: found the last target, expected as many lines as in a.de"},
    {"ein Wort\n", "a word\ntwo\n", "a.en:2: found a further target, expected as many lines as in a.de"},
    {"", "a word\n", "a.de"},
    {"ein Wort\n", "", "a.en"},
};

START_TEST(test_sentences_in_bad_files_are_refused_with_file_and_line)
{
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        support_write_text("a.de", bad[i].german);
        support_write_text("a.en", bad[i].english);
        SUPPORT_TRAIN("--train", "a.de", "--train-targets", "a.en", QUICK, "--out", "out");
        support_assert_refused(65, bad[i].said);
    }
}
END_TEST

START_TEST(test_sentences_in_another_script_are_hinted_at)
{
    write_sentences("a", 0, 300);
    support_write_text("dev.de", "Женщина читает книгу в саду.\nGestern hat ein Hund geschlafen.\n"
                                 "Вчера собака видела мужчину на рынке.\n");
    support_write_text("dev.en",
                       "The woman reads a book.\nYesterday a dog has slept.\nYesterday the dog saw a man.\n");
    SUPPORT_TRAIN(TWO_FILES, QUICK, "--subwords", "50", "--out", "out");
    support_assert_trained();
    ck_assert_msg(strstr(support_ran.error, "most symbols are such: is this another script?") != NULL, "%s",
                  support_ran.error);
}
END_TEST
