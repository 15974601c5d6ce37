/* lookback train with an index of its pairs: the same model with it and without it. */
#include "io/path.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE "wrote the index pairs.tsv.index, 1 MB; the next training on this file starts at once\n"

#define STEPS_OF_TEST                                                                                        \
    SUPPORT_SMALL, "--train", "pairs.tsv", "--steps", "60", "--set", "scheduled-sampling=0.2", "--dropout",  \
        "0.1"

/* What it says about the data, without notes and what follows. */
static char *report_of(const char *said)
{
    const char *from = strstr(said, "pairs.tsv: 2"), *end = strstr(said, "parameters");
    ck_assert_msg(from && end, "%s", said);
    return strndup(from, (size_t)(end - from));
}

static void assert_noted(bool noted)
{
    support_assert_trained();
    ck_assert_msg((strstr(support_ran.error, NOTE) != NULL) == noted, "%s", support_ran.error);
}

START_TEST(test_train_with_an_index_has_the_same_model_and_says_the_same)
{
    static const char *const dev[] = {"--dev=dev.tsv", "--min-count=1"}; /* given, and held out */
    support_write_pairs("pairs.tsv", 200, 7);
    support_write_pairs("dev.tsv", 40, 8);
    for (int i = 0; SUPPORT_ROW(i, dev); i++) {
        SUPPORT_TRAIN(STEPS_OF_TEST, dev[i], "--set", "index=never", "--out", "never", "--fresh");
        assert_noted(false);
        char *without = report_of(support_ran.error);
        for (int time = 0; time < 2; time++) {
            SUPPORT_TRAIN(STEPS_OF_TEST, dev[i], "--set", "index=always", "--out", "always", "--fresh");
            assert_noted(time == 0);
            char *with = report_of(support_ran.error);
            ck_assert_str_eq(with, without);
            free(with);
            support_assert_same_files("never/model.safetensors", "always/model.safetensors");
        }
        free(without);
    }
}
END_TEST

START_TEST(test_train_resumes_with_an_index_what_began_without)
{
    support_write_pairs("pairs.tsv", 200, 7);
    SUPPORT_TRAIN(STEPS_OF_TEST, "--out", "one");
    assert_noted(false);
    ck_assert(!support_exists("pairs.tsv.index"));
    SUPPORT_TRAIN(STEPS_OF_TEST, "--steps", "90", "--set", "index=always", "--out", "one");
    assert_noted(true);
    SUPPORT_TRAIN(STEPS_OF_TEST, "--out", "other");
    SUPPORT_TRAIN(STEPS_OF_TEST, "--steps", "90", "--out", "other");
    support_assert_same_weights("one/model.safetensors", "other/model.safetensors");
}
END_TEST

START_TEST(test_train_keeps_an_index_in_the_file_that_is_named)
{
    support_write_pairs("pairs.tsv", 200, 7);
    for (int time = 0; time < 2; time++) {
        SUPPORT_TRAIN(STEPS_OF_TEST, "--set", "index-file=places", "--fresh");
        support_assert_trained();
        ck_assert_int_eq(strstr(support_ran.error, "wrote the index places, 1 MB") != NULL, time == 0);
    }
    ck_assert(support_exists("places"));
    ck_assert(!support_exists("pairs.tsv.index"));
}
END_TEST

/* With bad pairs, too, there is nothing left of it; a folder that was there stays. */
START_TEST(test_train_takes_its_folder_before_it_reads_the_pairs)
{
    lb_lock *lock;
    support_write_text("pairs.tsv", "a\tb\nc\n");
    SUPPORT_TRAIN(STEPS_OF_TEST);
    support_assert_refused(65, "pairs.tsv:2: found 1 column");
    ck_assert(!support_exists("out"));
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    SUPPORT_TRAIN(STEPS_OF_TEST);
    support_assert_refused(65, "pairs.tsv:2: found 1 column");
    ck_assert(support_exists("out"));
    ck_assert_int_eq(lb_lock_folder(support_path("out"), &lock, NULL), LB_OK);
    SUPPORT_TRAIN(STEPS_OF_TEST);
    support_assert_refused(75, "out: another training writes to this folder");
    lb_lock_free(lock);
}
END_TEST

START_TEST(test_train_with_a_damaged_index_makes_it_again)
{
    size_t count;
    support_write_pairs("pairs.tsv", 200, 7);
    SUPPORT_TRAIN(STEPS_OF_TEST, "--set", "index=always", "--out", "one");
    assert_noted(true);
    char *sound = support_content("pairs.tsv.index", &count);
    ck_assert_int_eq(truncate(support_path("pairs.tsv.index"), (off_t)count / 2), 0);
    SUPPORT_TRAIN(STEPS_OF_TEST, "--set", "index=always", "--out", "two");
    assert_noted(true);
    char *again = support_content("pairs.tsv.index", &count);
    ck_assert_mem_eq(sound, again, count);
    support_assert_same_files("one/model.safetensors", "two/model.safetensors");
    free(sound);
    free(again);
}
END_TEST

START_TEST(test_train_index_is_one_of_three_words)
{
    SUPPORT_TRAIN("--train", "pairs.tsv", "--set", "index=never", "--set", "index-file=index");
    support_assert_refused(2, "--set index-file and --set index=never: expected only one of them");
    SUPPORT_TRAIN("--train", "pairs.tsv", "--set", "index=sometimes");
    support_assert_refused(2, "--set index: expected auto, always or never, found \"sometimes\"");
}
END_TEST
