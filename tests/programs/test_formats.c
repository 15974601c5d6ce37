/* Files of pairs as people have them, in tests/data/formats: each is recognised, and has the right pairs.
 * It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback "
#define FORMATS  TEST_DATA "/formats/"

/* What is said about a lexicon with probabilities, unless they are weights. */
static void run(const char *words)
{
    char command[1024];
    snprintf(command, sizeof command, "cd " FORMATS " && " LOOKBACK "%s", words);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", command);
}

/* What `evaluate --predictions` reads, and how many pairs of this file equal those of the file before it. It refuses
 * other sources. */
static const struct {
    const char *words, *pairs, *said;
} cases[] = {
    {"words.tsv header.tsv", "12", "header.tsv: read as tsv+header\n"},
    {"words.tsv words.csv", "12", "words.csv: read as csv+header\n"},
    {"words.tsv plain.csv", "12", "plain.csv: read as csv:;\n"},
    {"words.tsv words.dict", "12", "words.dict: read as cmudict\n"},
    {"words.tsv words.lexiconp", "12", "words.lexiconp: read as lexiconp\n"},
    {"words.tsv words.scan", "12", "words.scan: read as scan\n"},
    {"lemmas.tsv words.conllu", "5", "words.conllu: read as conllu\n"},
    {"words.tsv words.jsonl", "12", "words.jsonl: read as jsonl\n"},
    {"words.tsv words.arrow", "12", "words.arrow: read as lines: -> \n"},
    {"words.tsv words.list", "12", "words.list: read as lists:->\n"},
    {"words.tsv words.bars", "12", "words.bars: read as lines: ||| \n"},
    {"words.tsv words.arrow --format 'lines: -> '", "12", NULL},
    {"words.tsv words.source --targets words.target", "12", NULL},
    {"words.tsv words.tsv.gz", "12", NULL},
    {"words.tsv - < words.tsv.gz", "12", NULL},
    {"words.tsv - < words.csv", "12", "standard input: read as csv+header\n"},
    {"counted.tsv counts.tsv --source-column 2 --target-column 1 --weight-column 3", "6", NULL},
    {"forms.tsv unimorph.tsv", "7", "unimorph.tsv: read as unimorph\n"},
    {"sentences.tsv tatoeba.tsv", "2", NULL},
};

START_TEST(test_formats_each_file_has_the_right_pairs)
{
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char words[512], expected[64], said[256];
        snprintf(words, sizeof words, "evaluate --json --predictions %s", cases[i].words);
        snprintf(expected, sizeof expected, "{\"pairs\":%s,\"skipped_lines\":0,", cases[i].pairs);
        snprintf(said, sizeof said, "%s%s", cases[i].said ? "lookback evaluate: " : "",
                 cases[i].said ? cases[i].said : "");
        run(words);
        ck_assert_msg(support_ran.status == 0, "%s: %s", words, support_ran.error);
        ck_assert_msg(strstr(support_ran.output, expected) != NULL, "%s: %s", words, support_ran.output);
        ck_assert_msg(strstr(support_ran.output, "\"exact_match\":{\"value\":100,") != NULL, "%s: %s", words,
                      support_ran.output);
        ck_assert_msg(strcmp(support_ran.error, said) == 0, "%s: %s", words, support_ran.error);
    }
}
END_TEST

#define TRAIN                                                                                                \
    " --no-hold-out --hidden 8 --embed 8 --steps 4 --evaluate-every 2 --threads 1 --set film=0 --out "       \
    "\"$OLDPWD/"

static const struct {
    const char *words, *said;
} trained[] = {
    {"train words.csv --target-separator ' '",
     "words.csv: csv+header, 13 lines, 12 pairs\n  left out line 1, the names of the columns\n"
     "  columns: source 2, target 3\n"},
    {"train words.dict", "words.dict: cmudict, 14 lines, 12 pairs\n  left out 1 comment and 1 blank line\n"},
    {"train words.lexiconp", "words.lexiconp: lexiconp, 12 lines, 12 pairs\n  columns: source 1, target 3\n"
                             "  columns that are not used: 2 (--weight-column 2 reads it)\n"},
    {"train words.scan --source-separator ''", "words.scan: scan, 12 lines, 12 pairs\n"},
    {"train words.source --train-targets words.target --target-separator ' '",
     "words.source: targets in words.target, 12 lines, 12 pairs\n"},
    {"train words.tsv.gz --target-separator ' '", "words.tsv.gz: 12 lines, 12 pairs\n"},
    {"cat words.jsonl | " LOOKBACK "train - --target-separator ' '",
     "standard input: jsonl, 10 lines, 12 pairs\n"},
};

/* The same pairs make the same model. */
START_TEST(test_formats_training_is_that_on_plain_pairs)
{
    run("train words.tsv --target-separator ' '" TRAIN "plain\"");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    for (size_t i = 0; SUPPORT_ROW(i, trained); i++) {
        char words[512];
        bool piped = strncmp(trained[i].words, "cat ", 4) == 0;
        snprintf(words, sizeof words, "%s%s" TRAIN "other\" --fresh", piped ? "-V > /dev/null; " : "",
                 trained[i].words);
        run(words);
        ck_assert_msg(support_ran.status == 0, "%s: %s", words, support_ran.error);
        ck_assert_msg(strncmp(support_ran.error, trained[i].said, strlen(trained[i].said)) == 0, "%s: %s",
                      words, support_ran.error);
        support_assert_same_weights("plain/model.safetensors", "other/model.safetensors");
    }
}
END_TEST

/* The model remembers format and columns; a file of another kind is read as what it is. */
START_TEST(test_formats_of_the_training_are_the_default_of_all_programs)
{
    run("train sigmorphon.tsv" TRAIN "inflect\"");
    const char *said =
        "sigmorphon.tsv: unimorph, 7 lines, 7 pairs\n  columns: source 1, features 2, target 3\n";
    ck_assert_msg(strncmp(support_ran.error, said, strlen(said)) == 0, "%s", support_ran.error);
    size_t count;
    char *model = support_content("inflect/model.safetensors", &count);
    const char *header = model + 8; /* JSON in JSON */
    ck_assert_ptr_nonnull(strstr(header, "\\\"format\\\":\\\"unimorph\\\""));
    ck_assert_ptr_nonnull(strstr(header, "\\\"features\\\":\\\",\\\""));
    free(model);
    run("evaluate --json \"$OLDPWD/inflect\" sigmorphon.tsv");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    support_expect(&support_ran, 0, support_ran.output, "");
    run("score \"$OLDPWD/inflect\" unimorph.tsv");
    ck_assert_msg(strstr(support_ran.error,
                         "unimorph.tsv: read as source 1, target 2, features 3; the model was trained with "
                         "source 1, target 3, features 2\n") != NULL,
                  "%s", support_ran.error);
    run("train words.list --target-separator ' '" TRAIN "sounds\"");
    ck_assert_int_eq(support_ran.status, 0);
    run("score \"$OLDPWD/sounds\" words.list | cut -f 1,2 | cmp - words.tsv");
    support_expect(&support_ran, 0, "", "");
    run("score \"$OLDPWD/sounds\" words.csv | cut -f 1,2 | cmp - words.tsv");
    support_expect(&support_ran, 0, "",
                   "lookback score: words.csv: read as csv+header, source 2 \"word\", target 3 "
                   "\"ipa\"; the model was trained with lists:->, source 1, target 2\n");
    run("score \"$OLDPWD/sounds\" words.tsv --format tsv | cut -f 1,2 | cmp - words.tsv");
    support_expect(&support_ran, 0, "",
                   "lookback score: words.tsv: read as tsv; the model was trained with lists:->\n");
    run("predict \"$OLDPWD/sounds\" words.list --beam 1 -q 2> /dev/null | cut -f 1 | sort -u | wc -l");
    ck_assert_int_eq(atoi(support_ran.output), 10);
    run("train words.conllu" TRAIN "lemmas\"");
    run("predict \"$OLDPWD/lemmas\" words.conllu --beam 1 -q 2> /dev/null | cut -f 1 | tr '\\n' ' '");
    support_expect(&support_ran, 0, "cats walked I 'll walk zzz ", "");
    run("score \"$OLDPWD/lemmas\" words.conllu | cut -f 1,2 | cmp - lemmas.tsv");
    support_expect(&support_ran, 0, "", "");
    run("train words.conllu --features-column 11" TRAIN "tagged\"");
    const char *tagged =
        "words.conllu: conllu, 14 lines, 5 pairs\n  left out 4 comments and 2 blank lines\n"
        "  left out 2 ranges of words or empty nodes\n  left out 1 word with _ for a source or target\n"
        "  columns: source 2, features 11, target 3\n";
    ck_assert_msg(strncmp(support_ran.error, tagged, strlen(tagged)) == 0, "%s", support_ran.error);
    run("score \"$OLDPWD/tagged\" words.conllu | head -n 2 | cut -f 1-3");
    support_expect(&support_ran, 0, "cats\tNOUN|Number=Plur\tcat\nwalked\tVERB|Mood=Ind|Tense=Past\twalk\n",
                   "");
    run("train plain.csv --target-separator ' '" TRAIN "table\"");
    run("predict \"$OLDPWD/table\" --beam 1 -q < plain.csv 2> /dev/null | head -n 1 | cut -f 1");
    support_expect(&support_ran, 0, "ACT;AE1 K T\n", ""); /* it may be a text */
    run("predict \"$OLDPWD/table\" plain.csv --beam 1 -q 2> /dev/null | head -n 1 | cut -f 1");
    support_expect(&support_ran, 0, "ACT\n", ""); /* its name says that it is a table */
    run("predict \"$OLDPWD/table\" plain.csv --format 'csv:;' --beam 1 -q 2> /dev/null | head -n 1 | cut -f "
        "1");
    support_expect(&support_ran, 0, "ACT\n", "");
    run("train words.dict" TRAIN "joined\"; " LOOKBACK
        "join \"$OLDPWD/sounds\" \"$OLDPWD/joined\" -o \"$OLDPWD/both\" --dev words.source --dev-targets "
        "words.target -q");
    ck_assert_msg(strstr(support_ran.output, " on 12 pairs of words.source\n") != NULL, "%s",
                  support_ran.error);
}
END_TEST

START_TEST(test_formats_weights_are_of_the_training_alone)
{
    run("train counts.tsv --weight-column 3 --target-separator ' '" TRAIN "weighed\"");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    run("evaluate --json \"$OLDPWD/weighed\" counts.tsv");
    ck_assert_msg(strstr(support_ran.output, "{\"pairs\":4,") != NULL, "%s", support_ran.error);
    run("evaluate --json \"$OLDPWD/weighed\" words.tsv");
    ck_assert_msg(strstr(support_ran.output, "{\"pairs\":12,") != NULL, "%s", support_ran.error);
    static const char *const dev[] = {"words.tsv", "counts.tsv"};
    for (int i = 0; i < 2; i++) {
        char words[256], said[64];
        snprintf(words, sizeof words, "data counts.tsv --weight-column 3 --dev %s", dev[i]);
        snprintf(said, sizeof said, "%s: %d lines, %d pairs\n", dev[i], i ? 4 : 12, i ? 4 : 12);
        run(words);
        ck_assert_msg(strstr(support_ran.output, said) != NULL, "%s", support_ran.output);
        snprintf(words, sizeof words,
                 "train counts.tsv --weight-column 3 --dev %s --hidden 8 --embed 8 --steps 2 --out "
                 "\"$OLDPWD/with\" "
                 "--fresh",
                 dev[i]);
        run(words);
        ck_assert_msg(support_ran.status == 0 && strstr(support_ran.error, said), "%s", support_ran.error);
    }
}
END_TEST

static const struct {
    const char *words;
    int status;
    const char *said;
} refused[] = {
    {"evaluate --predictions words.tsv words.tsv --format xml", 2,
     "unknown format \"xml\", expected tsv, csv,"},
    {"evaluate --predictions words.tsv words.tsv --format lines", 2, "unknown format \"lines\""},
    {"evaluate --predictions words.tsv words.source --targets forms.tsv", 65,
     "forms.tsv:7: found the last target, expected as many lines as in words.source"},
    {"evaluate --predictions words.tsv words.tsv --weight-column 2", 2,
     "weights and texts cannot both be column 2"},
    {"evaluate --predictions counted.tsv counts.tsv --source-column 2 --target-column 3 --weight-column 1",
     65, "counts.tsv:1: found \"K AE1 T\" in column 1, expected a weight, a number from 0 to 1000000"},
    {"evaluate --predictions words.tsv words.csv --format jsonl", 65,
     "words.csv:1: found rank at byte 1 of the line, expected a JSON object; try: --format csv\n"},
    {"evaluate --predictions words.tsv words.tsv --format csv --targets words.target", 2,
     "format csv and a file of targets: expected one of them"},
};

START_TEST(test_formats_what_does_not_fit_is_refused)
{
    for (size_t i = 0; SUPPORT_ROW(i, refused); i++) {
        run(refused[i].words);
        ck_assert_msg(support_ran.status == refused[i].status, "%s: %s", refused[i].words, support_ran.error);
        ck_assert_msg(strstr(support_ran.error, refused[i].said) != NULL, "%s: %s", refused[i].words,
                      support_ran.error);
    }
}
END_TEST
