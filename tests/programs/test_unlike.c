/* predict marks texts that are unlike the training: in JSON, in tables, and on one line at the end. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL "--embed", "8", "--hidden", "8", "--steps", "2", "--train", "train.tsv"

#define SAID                                                                                                 \
    "lookback predict: words.txt: 2 of 3 texts are unlike the training: lines 1, 4; read what the model "    \
    "makes of them\n"

static support_result *const result = &support_ran;

/* Different words of three syllables, such as "pitaku". */
static void write_syllables(const char *name, int first, int count)
{
    static const char consonants[] = "ptkmn", vowels[] = "aiu";
    char *text = malloc((size_t)count * 16), *end = text;
    for (int n = first; n < first + count; n++) {
        int i = n * 1009 % 3375;
        char word[8];
        for (int k = 0; k < 3; k++, i /= 15)
            snprintf(word + 2 * k, 3, "%c%c", consonants[i % 15 / 3], vowels[i % 3]);
        end += sprintf(end, "%s\t%s\n", word, word);
    }
    support_write_text(name, text);
    free(text);
}

/* A model in `out` that knows which texts are unlike its training, and texts for it. */
static void train(const char *option)
{
    write_syllables("train.tsv", 0, 70);
    write_syllables("dev.tsv", 70, 50);
    support_write_text("words.txt", "pktaiu\npitaku\n\nxxyz\n");
    if (option)
        SUPPORT_TRAIN(SMALL, option);
    else
        SUPPORT_TRAIN(SMALL, "--dev", "dev.tsv");
    support_assert_trained();
}

static void predict(const char *options)
{
    char command[1024];
    snprintf(command, sizeof command, "cd '%s' && exec " BIN_DIR "/lookback predict out %s",
             support_tempdir(), options);
    SUPPORT_RUN(result, NULL, "/bin/sh", "-c", command);
    ck_assert_msg(result->status == 0, "%s", result->error);
}

START_TEST(test_unlike_texts_are_said_at_the_end_with_their_lines)
{
    train(NULL);
    predict("words.txt -q");
    ck_assert_ptr_nonnull(strstr(result->error, SAID));
    predict("words.txt --only-outputs");
    ck_assert_ptr_nonnull(strstr(result->error, SAID));
    support_write_text("words.txt", "\npktaiu\n");
    predict("words.txt");
    ck_assert_ptr_nonnull(strstr(result->error, ": 1 of 1 texts is unlike the training: line 2; read"));
    support_write_text("words.txt", "pitaku\n");
    predict("words.txt");
    ck_assert_str_eq(result->error, "");
}
END_TEST

START_TEST(test_unlike_texts_of_many_lines_are_named_up_to_twenty)
{
    train(NULL);
    char text[21 * 7 + 1] = "";
    for (int i = 0; i < 21; i++) strcat(text, "pktaiu\n");
    support_write_text("words.txt", text);
    predict("words.txt");
    ck_assert_ptr_nonnull(strstr(result->error, ": 21 of 21 texts are unlike the training: lines 1, 2, "));
    ck_assert_ptr_nonnull(strstr(result->error, ", 19, 20, ...; read"));
}
END_TEST

START_TEST(test_unlike_texts_are_marked_in_json)
{
    train(NULL);
    predict("words.txt --jsonl");
    const char *line = result->output;
    static const bool unlike[] = {true, false, false, true};
    for (int i = 0; i < 4; i++, line = strchr(line, '\n') + 1) {
        const char *mark = strstr(line, ",\"unlike\":true,");
        ck_assert_int_eq(mark && mark < strchr(line, '\n'), unlike[i]);
    }
    ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(test_unlike_texts_are_marked_in_tables)
{
    train(NULL);
    support_write_text("words.csv", "word,n\npktaiu,1\npitaku,2\n");
    predict("words.csv -o out.csv --alignments");
    size_t count;
    char *table = support_content("out.csv", &count);
    ck_assert_msg(strncmp(table, "word,n,output,probability,score,from,unlike,alignment\npktaiu,1,", 63) == 0,
                  "%s", table);
    const char *second = strstr(table, "\npitaku,2,");
    ck_assert_ptr_nonnull(second);
    ck_assert(strstr(table, ",model,yes,") < second);
    ck_assert_ptr_nonnull(strstr(second, ",model,,"));
    free(table);
}
END_TEST

START_TEST(test_unlike_texts_are_not_known_without_pairs_held_out)
{
    train("--no-hold-out");
    support_write_text("words.csv", "word,n\npktaiu,1\n");
    predict("words.csv -o out.csv");
    size_t count;
    char *table = support_content("out.csv", &count);
    ck_assert_msg(strncmp(table, "word,n,output,probability,score,from\n", 37) == 0, "%s", table);
    free(table);
    predict("words.txt --jsonl");
    ck_assert_ptr_null(strstr(result->output, "unlike"));
    ck_assert_ptr_null(strstr(result->error, "unlike"));
}
END_TEST
