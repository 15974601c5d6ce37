/* Reviews from folders, files and standard input, and every kind of bad input. */
#include "reviews/reviews.h"

#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lb_error error;
static review_list reviews;

static void folder(const char *name)
{
    ck_assert_int_eq(mkdir(support_path(name), 0777), 0);
}

static void write_text(const char *name, const char *text)
{
    support_write_file(support_path(name), text, strlen(text));
}

static lb_status read_all(const char *name, size_t most)
{
    error = (lb_error){0};
    reviews_free(&reviews);
    return reviews_read(support_path(name), most, &reviews, &error);
}

/* Reads `name` and expects these texts, ending with NULL. */
static void expect(const char *name, size_t most, const char *const *texts)
{
    ck_assert_msg(read_all(name, most) == LB_OK, "%s", error.message);
    for (size_t i = 0; i < reviews.count; i++) {
        ck_assert_msg(texts[i] != NULL, "there is \"%s\" too", reviews.text[i]);
        ck_assert_str_eq(reviews.text[i], texts[i]);
    }
    ck_assert_msg(!texts[reviews.count], "there is no \"%s\"", texts[reviews.count]);
    reviews_free(&reviews);
}

#define EXPECT(name, most, ...) expect(name, most, (const char *const[]){__VA_ARGS__, NULL})

/* Reads `name` and expects an error with the message "PATH" and `message`. */
static void expect_error(const char *name, lb_status status, const char *message)
{
    char whole[2 * SUPPORT_PATH];
    ck_assert_int_eq(read_all(name, 0), status);
    snprintf(whole, sizeof whole, "%s%s", support_path(name), message);
    ck_assert_str_eq(error.message, whole);
    reviews_free(&reviews);
}

static void make_imdb(void)
{
    folder("imdb");
    folder("imdb/train");
    folder("imdb/pos");
    folder("imdb/train/pos");
    folder("imdb/train/neg");
    write_text("imdb/train/pos/10_9.txt", "ten");
    write_text("imdb/train/pos/2_3.txt", "two, three");
    write_text("imdb/train/pos/0_8.txt", "nought, eight");
    write_text("imdb/train/neg/2_4.txt", "two, four");
    write_text("imdb/train/neg/0_8.txt", "the same name");
    write_text("imdb/pos/1_1.txt", "no review");
    write_text("imdb/README", "no review");
    write_text("imdb/imdbEr.txt", "no review");
    write_text("imdb/train/urls_pos.txt", "no review");
}

START_TEST(test_read_imdb_folder_goes_by_number_then_name)
{
    make_imdb();
    EXPECT("imdb", 0, "the same name", "nought, eight", "two, three", "two, four", "ten");
    EXPECT("imdb", 3, "the same name", "nought, eight", "two, three");
    EXPECT("imdb", 50, "the same name", "nought, eight", "two, three", "two, four", "ten");
}
END_TEST

START_TEST(test_read_folder_compares_numbers_without_their_zeros)
{
    folder("padded");
    folder("padded/pos");
    folder("padded/neg");
    write_text("padded/pos/03_1.txt", "three");
    write_text("padded/pos/2_1.txt", "two");
    write_text("padded/pos/0004_1.txt", "four");
    write_text("padded/neg/010_1.txt", "ten");
    EXPECT("padded", 0, "two", "three", "four", "ten");
}
END_TEST

START_TEST(test_read_part_of_imdb_gives_that_part)
{
    make_imdb();
    EXPECT("imdb/train", 0, "the same name", "nought, eight", "two, three", "two, four", "ten");
    EXPECT("imdb/train/", 1, "the same name");
    EXPECT("imdb/train/pos", 0, "nought, eight", "two, three", "ten");
    ck_assert_int_eq(unlink(support_path("imdb/train/neg/0_8.txt")), 0);
    ck_assert_int_eq(unlink(support_path("imdb/train/neg/2_4.txt")), 0);
    EXPECT("imdb", 0, "nought, eight", "two, three", "ten");
    ck_assert_int_eq(rmdir(support_path("imdb/train/neg")), 0);
    EXPECT("imdb", 0, "nought, eight", "two, three", "ten");
}
END_TEST

START_TEST(test_read_any_folder_takes_its_text_files_and_nothing_else)
{
    folder("any");
    folder("any/inner.txt");
    write_text("any/b.txt", "b");
    write_text("any/a.txt", "a");
    write_text("any/010.txt", "10");
    write_text("any/9.txt", "9");
    write_text("any/99999999999999999999999.txt", "many");
    write_text("any/.hidden.txt", "hidden");
    write_text("any/c.text", "c");
    write_text("any/txt", "txt");
    EXPECT("any", 0, "9", "10", "many", "a", "b");
}
END_TEST

START_TEST(test_read_file_of_a_folder_is_one_review)
{
    folder("any");
    write_text("any/1.txt", "\xEF\xBB\xBFone line\r\nand another\r\n");
    write_text("any/2.txt", "\n two \n\n");
    EXPECT("any", 0, "one line\r\nand another", "\n two ");
}
END_TEST

START_TEST(test_read_lines_are_reviews)
{
    write_text("lines", "\xEF\xBB\xBFOne film.\r\n\n \t\r\nTwo\rfilms. \n\xE2\x80\x83\ncaf\xC3\xA9");
    EXPECT("lines", 0, "One film.", "Two\rfilms. ", "caf\xC3\xA9");
    int before = support_next_descriptor();
    EXPECT("lines", 2, "One film.", "Two\rfilms. ");
    ck_assert_int_eq(support_next_descriptor(), before);
}
END_TEST

START_TEST(test_read_standard_input_takes_lines_up_to_the_last_that_is_wanted)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ck_assert_int_eq(write(ends[1], "one\ntwo\n", 8), 8);
    ck_assert_int_eq(reviews_read("-", 2, &reviews, &error), LB_OK); /* the pipe is still open */
    ck_assert_uint_eq(reviews.count, 2);
    ck_assert_str_eq(reviews.text[1], "two");
    reviews_free(&reviews);
    close(ends[1]);
    ck_assert_int_eq(reviews_read("-", 2, &reviews, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "standard input: found no reviews, expected one per line");
    reviews_free(&reviews);
}
END_TEST

START_TEST(test_read_standard_input_that_cannot_be_read_says_why)
{
    int nothing = open("/dev/null", O_WRONLY);
    ck_assert_int_eq(dup2(nothing, STDIN_FILENO), STDIN_FILENO);
    error = (lb_error){0};
    ck_assert_int_eq(reviews_read("-", 2, &reviews, &error), LB_ERROR_OPEN);
    ck_assert_str_eq(error.message, "standard input: cannot read: Bad file descriptor");
    reviews_free(&reviews);
    close(nothing);
}
END_TEST

START_TEST(test_read_nothing_is_an_error)
{
    folder("empty");
    folder("empty/pos");
    write_text("nothing", "");
    write_text("blank", "\n \n\xEF\xBB\xBF");
    write_text("mark", "\xEF\xBB\xBF");
    expect_error("empty", LB_ERROR_FORMAT,
                 ": found no reviews, expected .txt files in train/pos and train/neg, in pos and neg, "
                 "or in the folder itself");
    expect_error("nothing", LB_ERROR_FORMAT, ": found no reviews, expected one per line");
    expect_error("mark", LB_ERROR_FORMAT, ": found no reviews, expected one per line");
    expect_error("missing", LB_ERROR_OPEN, ": cannot read: No such file or directory");
    expect_error("nothing/inner", LB_ERROR_OPEN, ": cannot read: Not a directory");
    EXPECT("blank", 0, "\xEF\xBB\xBF"); /* a mark elsewhere is a character, and no white space */
}
END_TEST

START_TEST(test_read_file_without_a_word_in_a_folder_is_an_error)
{
    char message[SUPPORT_PATH];
    folder("any");
    write_text("any/1.txt", "one");
    write_text("any/2.txt", " \n");
    ck_assert_int_eq(read_all("any", 0), LB_ERROR_FORMAT);
    snprintf(message, sizeof message, "%s: found no words, expected a review", support_path("any/2.txt"));
    ck_assert_str_eq(error.message, message);
    EXPECT("any", 1, "one");
}
END_TEST

START_TEST(test_read_what_is_no_text_names_file_and_line)
{
    char message[SUPPORT_PATH];
    write_text("latin", "one\ntwo\ncaf\xe9\n");
    expect_error("latin", LB_ERROR_FORMAT, ":3: found byte 0xE9, expected UTF-8");
    support_write_file(support_path("zero"), "one\nt\0o\n", 8);
    expect_error("zero", LB_ERROR_FORMAT, ":2: found a zero byte, expected text");
    EXPECT("latin", 2, "one", "two");
    folder("any");
    support_write_file(support_path("any/3.txt"), "one\ntwo\n\n\xC0\xAF", 11);
    ck_assert_int_eq(read_all("any", 0), LB_ERROR_FORMAT);
    snprintf(message, sizeof message, "%s:4: found byte 0xC0, expected UTF-8", support_path("any/3.txt"));
    ck_assert_str_eq(error.message, message);
    support_write_file(support_path("any/3.txt"), "one\n\0", 5);
    ck_assert_int_eq(read_all("any", 0), LB_ERROR_FORMAT);
    snprintf(message, sizeof message, "%s:2: found a zero byte, expected text", support_path("any/3.txt"));
    ck_assert_str_eq(error.message, message);
    reviews_free(&reviews);
}
END_TEST

START_TEST(test_read_review_of_the_longest_length_is_read_and_a_longer_one_refused)
{
    char *text = malloc(REVIEWS_LONGEST + 2);
    memset(text, 'x', REVIEWS_LONGEST + 2);
    folder("any");
    for (size_t more = 0; more < 2; more++) {
        lb_status status = more ? LB_ERROR_FORMAT : LB_OK;
        support_write_file(support_path("lines"), text, REVIEWS_LONGEST + more);
        support_write_file(support_path("any/1.txt"), text, REVIEWS_LONGEST + more);
        ck_assert_int_eq(read_all("any", 0), status);
        ck_assert_int_eq(read_all("lines", 0), status);
    }
    expect_error("lines", LB_ERROR_FORMAT, ":1: expected a review of at most 1048576 bytes");
    free(text);
}
END_TEST

START_TEST(test_read_endless_file_is_refused)
{
    ck_assert_int_eq(reviews_read("/dev/zero", 0, &reviews, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "/dev/zero:1: expected a review of at most 1048576 bytes");
    reviews_free(&reviews);
}
END_TEST

START_TEST(test_read_unreadable_folder_names_it)
{
    if (geteuid() == 0) return; /* may read everything */
    make_imdb();
    ck_assert_int_eq(chmod(support_path("imdb/train/neg"), 0), 0);
    ck_assert_int_eq(read_all("imdb", 0), LB_ERROR_OPEN);
    ck_assert_ptr_nonnull(strstr(error.message, "train/neg: cannot read: Permission denied"));
    reviews_free(&reviews);
}
END_TEST

/* Enough for lists to grow. */
static void write_many(void)
{
    char name[SUPPORT_PATH], *lines = calloc(1, 2000), *to = lines;
    folder("many");
    for (int i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "many/%d.txt", i);
        write_text(name, "a word");
        to = stpcpy(to, "a word\n");
    }
    write_text("lines", lines);
    free(lines);
}

START_TEST(test_read_failing_allocation_is_an_error_and_leaks_nothing)
{
    static const char *const names[] = {"many", "lines"};
    write_many();
    for (int k = 0; SUPPORT_ROW(k, names); k++) {
        support_watch_allocations();
        ck_assert_int_eq(read_all(names[k], 0), LB_OK);
        ck_assert_uint_eq(reviews.count, 70);
        reviews_free(&reviews);
        long all = support_allocation_count();
        ck_assert_int_gt(all, 70);
        for (long n = 1; n <= all; n++) {
            support_fail_from_allocation(n);
            ck_assert_int_eq(read_all(names[k], 0), LB_ERROR_MEMORY);
            reviews_free(&reviews);
            ck_assert_int_eq(support_live_allocations(), 0);
        }
        support_fail_from_allocation(0);
    }
}
END_TEST
