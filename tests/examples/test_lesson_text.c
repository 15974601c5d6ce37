/* Lesson 8 with reviews of one's own: sizes, a picture, and one clear line for each kind of bad input. */
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PICTURE "08_text_weights.png"

static support_result result;

static void run(const char *folder, const char *input, const char *path, const char *const *environment)
{
    const char *argv[] = {BIN_DIR "/08_text", folder, path, NULL};
    const support_command command = {
        .argv = argv, .directory = support_tempdir(), .input = input, .environment = environment};
    support_run_as(&command, &result);
}

#define RUN(path)   run(".", NULL, path, NULL)
#define FEED(input) run(".", input, "-", NULL)

static void expect(int status, const char *output, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_str_eq(result.output, output);
    ck_assert_int_eq(result.status, status);
}

static void write_text(const char *name, const char *text)
{
    support_write_file(support_path(name), text, strlen(text));
}

static void folder(const char *name)
{
    ck_assert_int_eq(mkdir(support_path(name), 0777), 0);
}

static bool same_pictures(const char *a, const char *b)
{
    size_t length_a, length_b;
    char *bytes_a = support_read_file(support_path(a), &length_a),
         *bytes_b = support_read_file(support_path(b), &length_b);
    bool same = length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

static const char reviews[] =
    "The film is GOOD, and the end is the best of it.\nBad.\n\nSo so, said the critic.\n";

START_TEST(test_lesson_text_prints_sizes_and_draws_the_first_review)
{
    write_text("reviews.txt", reviews);
    RUN("reviews.txt");
    expect(0,
           "3 reviews, 16 words\n"
           "Sample text: The film is GOOD, and the end is the best of it.\n"
           "output [3,20,64] weights [3,20,20]\n",
           "");
    support_picture_file_equals(support_path(PICTURE), "lesson_text");
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_lesson_text_threads_change_nothing_and_other_words_do)
{
    folder("a");
    folder("b");
    write_text("reviews.txt", reviews);
    run("a", NULL, "reviews.txt", (const char *const[]){"OMP_NUM_THREADS=1", NULL});
    run("b", NULL, "reviews.txt", (const char *const[]){"OMP_NUM_THREADS=3", NULL});
    ck_assert(same_pictures("a/" PICTURE, "b/" PICTURE));
    write_text("reviews.txt", "The film is bad, and the end is the best of it.\n");
    run("b", NULL, "reviews.txt", NULL);
    ck_assert(!same_pictures("a/" PICTURE, "b/" PICTURE));
}
END_TEST

/* One more than it reads. */
START_TEST(test_lesson_text_reads_a_thousand_reviews_in_batches_of_32)
{
    enum { REVIEWS = 1001 };
    char *text = malloc(REVIEWS * 16), *end = text;
    for (int i = 0; i < REVIEWS; i++) end += sprintf(end, "review %d\n", i);
    FEED(text);
    free(text);
    ck_assert_int_eq(strncmp(result.output, "1000 reviews, 1003 words\n", 25), 0);
    int batches = 0;
    for (const char *at = result.output; (at = strstr(at, "output [32,20,64] weights [32,20,20]\n")); at++)
        batches++;
    ck_assert_int_eq(batches, 31);
    ck_assert_ptr_nonnull(strstr(result.output, "\noutput [8,20,64] weights [8,20,20]\n"));
}
END_TEST

START_TEST(test_lesson_text_reads_a_folder_as_it_reads_lines)
{
    folder("train");
    folder("train/pos");
    folder("train/neg");
    folder("a");
    write_text("train/neg/0_3.txt", "The film is GOOD, and the end is the best of it.");
    write_text("train/pos/0_9.txt", "Bad.");
    write_text("train/pos/1_9.txt", "So so, said the critic.");
    RUN(".");
    run("a", reviews, "-", NULL);
    ck_assert(same_pictures(PICTURE, "a/" PICTURE));
    RUN("train/pos");
    ck_assert_ptr_nonnull(strstr(result.output, "2 reviews, 8 words\nSample text: Bad.\n"));
}
END_TEST

START_TEST(test_lesson_text_long_sample_is_cut_and_controls_are_blanks)
{
    char text[600], *to = text;
    for (int i = 0; i < 60; i++) to = stpcpy(to, i % 2 ? "\xC3\xA9\xC2\x9B" : "\x1B[");
    FEED(text);
    to = text + sprintf(text, "1 reviews, 3 words\nSample text: ");
    for (int i = 0; i < 50; i++) to = stpcpy(to, i % 2 ? "\xC3\xA9 " : " [");
    stpcpy(to, "...\noutput [1,20,64] weights [1,20,20]\n");
    expect(0, text, "");
}
END_TEST

START_TEST(test_lesson_text_word_of_any_length_can_be_drawn)
{
    enum { LETTERS = 1000000 };
    int width, height;
    char *word = malloc(LETTERS + 1);
    ck_assert_ptr_nonnull(word);
    memset(word, 'w', LETTERS);
    word[LETTERS] = '\0';
    FEED(word);
    free(word);
    ck_assert_int_eq(result.status, 0);
    unsigned char *pixels = support_picture_read(support_path(PICTURE), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_lt(width, 1500);
    free(pixels);
}
END_TEST

START_TEST(test_lesson_text_bad_input_is_status_65)
{
    write_text("latin", "good\nna\xEFve\n");
    RUN("latin");
    expect(65, "", "latin:2: found byte 0xEF, expected UTF-8\n");
    support_write_file(support_path("zero"), "\0", 1);
    RUN("zero");
    expect(65, "", "zero:1: found a zero byte, expected text\n");
    write_text("empty", "");
    RUN("empty");
    expect(65, "", "empty: found no reviews, expected one per line\n");
    FEED(" \n\n");
    expect(65, "", "standard input: found no reviews, expected one per line\n");
    folder("folder");
    RUN("folder");
    expect(65, "",
           "folder: found no reviews, expected .txt files in train/pos and "
           "train/neg, in "
           "pos and neg, or in the folder itself\n");
    write_text("folder/1.txt", "\n\xFF");
    RUN("folder");
    expect(65, "", "folder/1.txt:2: found byte 0xFF, expected UTF-8\n");
    RUN("/dev/zero");
    expect(65, "", "/dev/zero:1: expected a review of at most 1048576 bytes\n");
    ck_assert_uint_eq(support_file_count(), 4);
}
END_TEST

START_TEST(test_lesson_text_missing_input_is_status_66)
{
    RUN("nowhere");
    expect(66, "", "nowhere: cannot read: No such file or directory\n");
}
END_TEST

START_TEST(test_lesson_text_unwritable_picture_is_status_74)
{
    run("nowhere", reviews, "-", NULL);
    ck_assert_int_eq(result.status, 74);
    ck_assert_str_eq(result.error, "nowhere/" PICTURE ": cannot write: No such file or directory\n");
}
END_TEST
