/* train --teacher: a model learns from the outputs of another one. It takes seconds. */
#include "io/path.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A teacher that knows the task; the pairs of its pupil are few, and some are wrong. */
static void train_teacher(void)
{
    support_write_pairs("train.tsv", 500, 1);
    support_write_pairs("dev.tsv", 60, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--out", "teacher");
    support_assert_trained();
    support_write_text("few.tsv", "abcd\td c b a\nabc\tx y z\nha\ta h\n");
    support_write_text("words.tsv", "gfed\nbad\n");
}

START_TEST(test_teacher_adds_what_it_writes_differently_and_what_has_no_target)
{
    size_t count;
    train_teacher();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                  "--unlabelled", "words.tsv", "--made-up", "0", "--steps", "20", "--out", "pupil");
    support_assert_trained();
    char *pairs = support_content("pupil/taught.tsv", &count);
    ck_assert_str_eq(pairs, "abcd\td c b a\nabc\tx y z\nha\ta h\nabc\tc b a\ngfed\td e f g\nbad\td a b\n");
    free(pairs);
    ck_assert_ptr_nonnull(
        strstr(support_ran.error, "taught.tsv: 3 pairs from few.tsv, 3 from the teacher\n"));
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                  "--unlabelled", "words.tsv", "--made-up", "0", "--steps", "20", "--out", "pupil");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, "has been trained already"));
}
END_TEST

static void learn(void)
{
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                  "--made-up", "0", "--steps", "20", "--fresh", "--out", "pupil");
    support_assert_trained();
}

static bool was_kept(void)
{
    return strstr(support_ran.error, "taught.tsv: already written by the teacher\n") != NULL;
}

START_TEST(test_teacher_writes_once_what_is_the_same)
{
    size_t count;
    train_teacher();
    learn();
    ck_assert(!was_kept());
    char *pairs = support_content("pupil/taught.tsv", &count);
    learn();
    ck_assert(was_kept());
    support_write_text("pupil/taught.tsv", "abcd\td c b a\n");
    learn();
    ck_assert(!was_kept());
    char *again = support_content("pupil/taught.tsv", &count);
    ck_assert_str_eq(again, pairs);
    free(again);
    support_write_text("pupil/taught.seal", "0123456789abcdef\n");
    learn();
    ck_assert(!was_kept());
    support_write_text("few.tsv", "abcd\td c b a\nabc\tx y\nha\ta h\n");
    learn();
    ck_assert(!was_kept());
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--seed", "2", "--out",
                  "teacher", "--fresh");
    support_assert_trained();
    learn();
    ck_assert(!was_kept());
    free(pairs);
}
END_TEST

/* With the words of the teacher's own training as words without targets, the pupil learns the task from three pairs. */
START_TEST(test_teacher_does_not_write_again_what_cannot_be_read)
{
    static const char *const files[] = {"pupil/taught.seal", "pupil/taught.tsv"};
    const char *path;
    train_teacher();
    learn();
    for (int i = 0; SUPPORT_ROW(i, files); i++) {
        ck_assert_int_eq(rename(path = support_path(files[i]), support_path("kept")), 0);
        ck_assert_int_eq(mkdir(path, 0777), 0);
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                      "--made-up", "0", "--steps", "20", "--fresh", "--out", "pupil");
        support_assert_refused(66, ": cannot read: ");
        ck_assert_int_eq(rmdir(path), 0);
        ck_assert_int_eq(rename(support_path("kept"), path), 0);
    }
    learn();
    ck_assert(was_kept());
}
END_TEST

START_TEST(test_teacher_teaches_a_model_with_few_pairs_of_its_own)
{
    double share = 0;
    size_t count;
    train_teacher();
    char *text = support_content("train.tsv", &count), *to = text;
    for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t length = strcspn(line, "\t");
        memmove(to, line, length);
        to[length] = '\n';
        to += length + 1;
    }
    *to = '\0';
    support_write_text("words.tsv", text);
    free(text);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                  "--unlabelled", "words.tsv", "--out", "pupil");
    support_assert_trained();
    ck_assert_int_eq(sscanf(support_ran.output, "exact match %lf", &share), 1);
    ck_assert_double_ge(share, 80);
}
END_TEST

/* The teacher may also be wrong about some of the three pairs. */
static void check_count(const char *pairs, int made_up)
{
    ck_assert_int_ge(support_line_count(pairs), 3 + made_up);
    ck_assert_int_le(support_line_count(pairs), 3 + made_up + 3);
}

START_TEST(test_teacher_writes_targets_for_made_up_sources)
{
    size_t count;
    train_teacher();
    support_write_text("some.tsv", "abcd\td c b a\nhbcf\tf c b h\ngbce\te c b g\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "some.tsv", "--dev", "dev.tsv", "--teacher", "teacher",
                  "--made-up", "100", "--steps", "20", "--out", "all");
    support_assert_trained();
    check_count("all/taught.tsv", 6);
    char *pairs = support_content("all/taught.tsv", &count);
    ck_assert(strstr(pairs, "\nabcf\t") && strstr(pairs, "\ngbcd\t"));
    free(pairs);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "some.tsv", "--dev", "dev.tsv", "--teacher", "teacher", "--steps",
                  "20", "--out", "usual");
    support_assert_trained();
    check_count("usual/taught.tsv", 3);
}
END_TEST

START_TEST(test_teacher_needs_dev_and_words_need_a_teacher)
{
    support_write_pairs("train.tsv", 50, 1);
    SUPPORT_TRAIN("--train", "train.tsv", "--teacher", "teacher");
    support_assert_refused(2, "--teacher needs --dev");
    SUPPORT_TRAIN("--train", "train.tsv", "--unlabelled", "words.tsv");
    support_assert_refused(2, "--unlabelled needs --teacher");
    SUPPORT_TRAIN("--train", "train.tsv", "--made-up", "10");
    support_assert_refused(2, "--made-up needs --teacher");
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "train.tsv", "--teacher", "nobody");
    support_assert_refused(66, "nobody");
}
END_TEST

#define LEARN                                                                                                \
    SUPPORT_SMALL, "--train", "few.tsv", "--dev", "dev.tsv", "--teacher", "teacher", "--made-up", "0",       \
        "--steps", "20", "--out", "pupil"

START_TEST(test_teacher_writes_nothing_into_a_folder_that_another_process_has)
{
    size_t count;
    lb_lock *lock;
    train_teacher();
    ck_assert_int_eq(mkdir(support_path("pupil"), 0777), 0);
    support_write_text("pupil/taught.tsv", "of the other\n");
    ck_assert_int_eq(lb_lock_folder(support_path("pupil"), &lock, NULL), LB_OK);
    SUPPORT_TRAIN(LEARN);
    support_assert_refused(75, "another training writes to this folder");
    char *pairs = support_content("pupil/taught.tsv", &count);
    ck_assert_str_eq(pairs, "of the other\n");
    free(pairs);
    ck_assert_uint_eq(support_match_count("pupil/*"), 1);
    lb_lock_free(lock);
}
END_TEST

START_TEST(test_teacher_has_the_folder_while_it_writes)
{
    train_teacher();
    SUPPORT_TRAIN_UNTIL("rename /taught.tsv 1 sh test -e pupil/.lock && touch locked", LEARN);
    support_assert_trained();
    ck_assert(support_exists("locked"));
    ck_assert(!support_exists("pupil/.lock"));
}
END_TEST

START_TEST(test_teacher_that_is_interrupted_writes_nothing_and_says_so)
{
    train_teacher();
    SUPPORT_TRAIN_UNTIL("ftruncate /.lock 1 INT", LEARN);
    support_assert_refused(128 + SIGINT, "interrupted while the teacher was writing; the same command");
    ck_assert_uint_eq(support_match_count("pupil/*"), 0);
    ck_assert(!support_exists("pupil/.lock"));
}
END_TEST
