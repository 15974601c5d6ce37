/* attend_text from the user's view: four lines, a picture, and one clear line for each kind of bad input. */
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ATTEND_TEXT BIN_DIR "/attend_text"

static support_result result;

/* Runs attend_text in the test's folder. */
static void run(const char *input, const char *const *flags)
{
    const char *argv[32] = {ATTEND_TEXT};
    for (int i = 0; flags[i]; i++) argv[i + 1] = flags[i];
    support_result_free(&result);
    const support_command command = {.argv = argv, .directory = support_tempdir(), .input = input};
    ck_assert(support_run_command(&command, &result));
}

#define RUN(...)         run(NULL, (const char *const[]){__VA_ARGS__, NULL})
#define FEED(input, ...) run(input, (const char *const[]){__VA_ARGS__, NULL})

static void expect(int status, const char *output, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_str_eq(result.output, output);
    ck_assert_int_eq(result.status, status);
}

static const char *file(const char *name)
{
    static char path[SUPPORT_PATH];
    return support_path(path, name);
}

static void write_text(const char *name, const char *text)
{
    support_write_file(file(name), text, strlen(text));
}

static void folder(const char *name)
{
    ck_assert_int_eq(mkdir(file(name), 0777), 0);
}

static bool same_pictures(const char *a, const char *b)
{
    size_t length_a, length_b;
    char *bytes_a = support_read_file(file(a), &length_a), *bytes_b = support_read_file(file(b), &length_b);
    bool same = length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

static const char reviews[] =
    "The film is GOOD, and the end is the best of it.\nBad.\n\nSo so, said the critic.\n";

START_TEST(test_attend_text_prints_sizes_and_draws_the_first_review)
{
    write_text("reviews.txt", reviews);
    RUN("reviews.txt");
    expect(0,
           "Dataset size: 3\n"
           "Sample text: The film is GOOD, and the end is the best of it.\n"
           "Output shape: [3,20,64]\n"
           "Attention weights shape: [3,20,20]\n",
           "attend_text: wrote attention.png (20 x 20)\n");
    RUN("reviews.txt", "--review", "0", "--length=20", "--embed", "64", "--batch", "32", "--seed", "0",
        "--first", "1000", "--colormap", "viridis", "--title", "Attention Weights Heatmap", "-o", "same.png");
    ck_assert(same_pictures("attention.png", "same.png"));
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_attend_text_picture_is_that_of_the_reference)
{
    write_text("reviews.txt", reviews);
    RUN("reviews.txt", "--review", "2", "--length", "6", "--embed", "2", "-o", "a.png");
    expect(0,
           "Dataset size: 3\n"
           "Sample text: So so, said the critic.\n"
           "Output shape: [3,6,2]\n"
           "Attention weights shape: [3,6,6]\n",
           "attend_text: wrote a.png (6 x 6)\n");
    support_picture_file_equals(file("a.png"), "attend_text");
}
END_TEST

START_TEST(test_attend_text_batch_and_threads_change_nothing_and_the_rest_does)
{
    static const char *const without_effect[] = {"--batch=1", "--batch=2", "--batch=3", "--threads=1",
                                                 "--threads=3"};
    static const char *const with_effect[] = {"--seed=1",  "--review=0", "--length=5",
                                              "--embed=3", "--title=t",  "--colormap=plasma"};
    const char *flags[] = {"reviews.txt", "--review=1", "--length=6", "--embed=2", "-o", "b.png", NULL, NULL};
    write_text("reviews.txt", reviews);
    RUN("reviews.txt", "--review=1", "--length=6", "--embed=2", "-o", "a.png");
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++) {
        flags[6] = without_effect[i];
        run(NULL, flags);
        ck_assert_msg(same_pictures("a.png", "b.png"), "%s changes the picture", flags[6]);
        ck_assert_ptr_nonnull(
            strstr(result.output, "Output shape: [3,6,2]\nAttention weights shape: [3,6,6]\n"));
    }
    for (size_t i = 0; i < sizeof with_effect / sizeof *with_effect; i++) {
        flags[6] = with_effect[i];
        run(NULL, flags);
        ck_assert_msg(!same_pictures("a.png", "b.png"), "%s does not change the picture", flags[6]);
    }
}
END_TEST

START_TEST(test_attend_text_first_is_the_number_of_reviews)
{
    FEED(reviews, "-", "--first", "2");
    ck_assert_ptr_nonnull(strstr(result.output, "Dataset size: 2\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "weights shape: [2,20,20]\n"));
    FEED(reviews, "-", "--first", "0", "--batch", "2");
    ck_assert_ptr_nonnull(strstr(result.output, "Dataset size: 3\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "weights shape: [3,20,20]\n"));
}
END_TEST

START_TEST(test_attend_text_reads_a_folder_as_it_reads_lines)
{
    folder("train");
    folder("train/pos");
    folder("train/neg");
    write_text("train/neg/0_3.txt", "The film is GOOD, and the end is the best of it.");
    write_text("train/pos/0_9.txt", "Bad.");
    write_text("train/pos/1_9.txt", "So so, said the critic.");
    RUN(".", "--review", "2", "-o", "a.png");
    FEED(reviews, "-", "--review", "2", "-o", "b.png");
    ck_assert(same_pictures("a.png", "b.png"));
    RUN("train/pos", "--review", "0", "-o", "b.png");
    ck_assert_ptr_nonnull(strstr(result.output, "Dataset size: 2\nSample text: Bad.\n"));
}
END_TEST

START_TEST(test_attend_text_long_sample_is_cut_and_controls_are_blanks)
{
    char text[600], *to = text;
    for (int i = 0; i < 60; i++) to = stpcpy(to, i % 2 ? "\xC3\xA9 " : "\x1B[");
    FEED(text, "-");
    to = text + sprintf(text, "Dataset size: 1\nSample text: ");
    for (int i = 0; i < 50; i++) to = stpcpy(to, i % 2 ? "\xC3\xA9 " : " [");
    stpcpy(to, "...\nOutput shape: [1,20,64]\nAttention weights shape: [1,20,20]\n");
    expect(0, text, "attend_text: wrote attention.png (20 x 20)\n");
}
END_TEST

START_TEST(test_attend_text_word_of_any_length_can_be_drawn)
{
    enum { LETTERS = 1000000 };
    int width, height;
    char *word = malloc(LETTERS + 1);
    ck_assert_ptr_nonnull(word);
    memset(word, 'w', LETTERS);
    word[LETTERS] = '\0';
    FEED(word, "-");
    free(word);
    ck_assert_int_eq(result.status, 0);
    unsigned char *pixels = support_picture_read(file("attention.png"), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_lt(width, 1500);
    free(pixels);
}
END_TEST

START_TEST(test_attend_text_bad_input_is_status_65)
{
    write_text("latin", "good\nna\xEFve\n");
    RUN("latin");
    expect(65, "", "attend_text: latin:2: found byte 0xEF, expected UTF-8\n");
    support_write_file(file("zero"), "\0", 1);
    RUN("zero");
    expect(65, "", "attend_text: zero:1: found a zero byte, expected text\n");
    write_text("empty", "");
    RUN("empty");
    expect(65, "", "attend_text: empty: found no reviews, expected one per line\n");
    FEED(" \n\n", "-");
    expect(65, "", "attend_text: standard input: found no reviews, expected one per line\n");
    folder("folder");
    RUN("folder");
    expect(65, "",
           "attend_text: folder: found no reviews, expected .txt files in train/pos and "
           "train/neg, in "
           "pos and neg, or in the folder itself\n");
    write_text("folder/1.txt", "\n\xFF");
    RUN("folder");
    expect(65, "", "attend_text: folder/1.txt:2: found byte 0xFF, expected UTF-8\n");
    RUN("/dev/zero");
    expect(65, "", "attend_text: /dev/zero:1: expected a review of at most 1048576 bytes\n");
    ck_assert_uint_eq(support_file_count(), 4);
}
END_TEST

START_TEST(test_attend_text_missing_input_is_status_66)
{
    RUN("nowhere");
    expect(66, "", "attend_text: nowhere: cannot read: No such file or directory\n");
}
END_TEST

START_TEST(test_attend_text_wrong_usage_is_status_2)
{
    RUN("--first=3");
    expect(2, "", "attend_text: expected REVIEWS; see attend_text --help\n");
    RUN("a", "b");
    expect(2, "", "attend_text: unexpected argument \"b\"; see attend_text --help\n");
    RUN("a", "--length=0");
    expect(2, "", "attend_text: --length: expected a whole number from 1 to 1024, found \"0\"\n");
    RUN("a", "-o", "a.jpg");
    expect(2, "",
           "attend_text: --output: expected a name that ends in .png, .svg or .pdf, found \"a.jpg\"\n");
    RUN("a", "--colormap", "jet");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "viridis"));
    FEED(reviews, "-", "--review", "3");
    expect(2, "", "attend_text: --review: expected 0 to 2, for 3 were read, found 3\n");
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_attend_text_unwritable_output_is_status_74)
{
    FEED(reviews, "-", "-o", "nowhere/a.png");
    ck_assert_int_eq(result.status, 74);
    ck_assert_str_eq(result.error, "attend_text: nowhere/a.png: cannot write: No such file or directory\n");
    const support_command full = {.argv = (const char *const[]){ATTEND_TEXT, "-", NULL},
                                  .directory = support_tempdir(),
                                  .input = reviews,
                                  .output_path = "/dev/full"};
    support_result_free(&result);
    ck_assert(support_run_command(&full, &result));
    ck_assert_int_eq(result.status, 74);
    ck_assert_ptr_nonnull(strstr(result.error, "cannot write standard output: No space left on device\n"));
}
END_TEST

int main(void)
{
    return support_run_tests(
        "attend_text",
        SUPPORT_TESTS(test_attend_text_prints_sizes_and_draws_the_first_review,
                      test_attend_text_picture_is_that_of_the_reference,
                      test_attend_text_batch_and_threads_change_nothing_and_the_rest_does,
                      test_attend_text_first_is_the_number_of_reviews,
                      test_attend_text_reads_a_folder_as_it_reads_lines,
                      test_attend_text_long_sample_is_cut_and_controls_are_blanks,
                      test_attend_text_word_of_any_length_can_be_drawn,
                      test_attend_text_bad_input_is_status_65, test_attend_text_missing_input_is_status_66,
                      test_attend_text_wrong_usage_is_status_2,
                      test_attend_text_unwritable_output_is_status_74));
}
