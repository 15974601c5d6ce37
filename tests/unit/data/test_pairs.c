/* Pairs from TSV files, and every kind of bad input. */
#include "data/pairs/pairs.h"

#include "lookback/tensor.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lb_error error;
static lb_pairs *pairs;

static const lb_pair_format plain = {0}, skipping = {.skip_bad_lines = true},
                            words = {.source = {.separator = " "}, .target = {.separator = " "}};

static const char *path(void)
{
    return support_path("pairs.tsv");
}

static lb_pairs *open_bytes(const char *bytes, size_t count, lb_pair_format format)
{
    support_write_file(path(), bytes, count);
    error = (lb_error){0};
    lb_pairs_close(pairs);
    pairs = lb_pairs_open(path(), format, &error);
    return pairs;
}

static void open_text(const char *text, lb_pair_format format)
{
    ck_assert_msg(open_bytes(text, strlen(text), format) != NULL, "%s", error.message);
}

/* Expects an error with the message "PATH" and `message`, and maybe advice behind it. */
static void expect_error(lb_status status, const char *message)
{
    char expected[2 * LB_MESSAGE_LENGTH];
    snprintf(expected, sizeof expected, "%s%s", path(), message);
    ck_assert_ptr_null(pairs);
    ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s", error.message);
    ck_assert_int_eq(error.status, status);
}

static void expect_bad(const char *text, lb_pair_format format, const char *message)
{
    open_bytes(text, strlen(text), format);
    expect_error(LB_ERROR_FORMAT, message);
}

static char *joined(const lb_symbols *symbols, char *text)
{
    *text = '\0';
    for (size_t i = 0; i < symbols->count; i++) strcat(strcat(text, i ? "|" : ""), symbols->symbol[i]);
    return text;
}

/* Expects a pair with these symbols, separated by bars. */
static void expect_pair(int64_t pair, const char *source, const char *target)
{
    const lb_pair_line *line;
    char text[500];
    ck_assert_msg(lb_pairs_read(pairs, pair, &line, &error) == LB_OK, "%s", error.message);
    ck_assert_str_eq(joined(&line->source, text), source);
    ck_assert_str_eq(joined(&line->target, text), target);
    ck_assert_int_eq(lb_pairs_source_length(pairs, pair), (int)line->source.count);
    ck_assert_int_eq(lb_pairs_target_length(pairs, pair), (int)line->target.count);
}

START_TEST(test_open_pairs_are_lines_in_order)
{
    open_text("ab\tc\nd e\t日é\nx\ty", plain);
    ck_assert_int_eq(lb_pairs_count(pairs), 3);
    ck_assert_str_eq(pairs->path, path());
    expect_pair(2, "x", "y");
    expect_pair(0, "a|b", "c");
    expect_pair(1, "d| |e", "日|é");
    open_text("one two\tUN DEUX\nthree\tTROIS\n", words);
    expect_pair(0, "one|two", "UN|DEUX");
    expect_pair(1, "three", "TROIS");
    lb_pairs_close(pairs);
    lb_pairs_close(NULL);
}
END_TEST

START_TEST(test_open_crlf_and_mark_are_left_out_and_counted)
{
    open_text("\xEF\xBB\xBF"
              "a\tb\r\nc\td\ne\tf\r\n",
              plain);
    const lb_pairs_facts *facts = &pairs->facts;
    ck_assert(facts->byte_order_mark);
    ck_assert_int_eq(facts->crlf, 2);
    ck_assert_int_eq(facts->lines, 3);
    expect_pair(0, "a", "b");
    expect_pair(2, "e", "f");
    open_text("a\tb\n\xEF\xBB\xBF\td\n", plain);
    ck_assert(!pairs->facts.byte_order_mark);
    expect_pair(1, "\xEF\xBB\xBF", "d");
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_open_bad_line_is_named_with_file_and_line)
{
    expect_bad("a\tb\nc\n", plain, ":2: found 1 column, expected 2, separated by tabs");
    expect_bad("a\tb\tc\n", plain, ":1: found 3 columns, expected 2, separated by tabs; choose two of them");
    expect_bad("a\tb\n\nc\td\n", plain, ":2: found an empty line, expected text");
    expect_bad("a\tb\r\n\r\n", plain, ":2: found an empty line, expected text");
    expect_bad("\xEF\xBB\xBF\na\tb", plain, ":1: found an empty line, expected text");
    expect_bad("\tb\n", plain, ":1: found an empty source, expected text");
    expect_bad("a\t\n", plain, ":1: found an empty target, expected text");
    expect_bad("a\tb\na\t\xff\n", plain, ":2: found 0xFF at byte 3 of the line, expected UTF-8");
    expect_bad("a\t\xc3\nb\tc\n", plain, ":1: found 0xC3 at byte 3 of the line, expected UTF-8");
    expect_bad("a\tb||c\n", (lb_pair_format){.target.separator = "|"},
               ":1: in the target, found an empty symbol, expected text before and after each separator");
    expect_bad("a\t  \n", words, ":1: found an empty target, expected text");
    expect_bad(" \tb\n", words, ":1: found an empty source, expected text");
    open_bytes("a\tb\nc\0\td\n", 9, plain);
    expect_error(LB_ERROR_FORMAT, ":2: found a zero byte at byte 2 of the line, expected text");
    expect_bad("abc\td\n", (lb_pair_format){.longest = 2},
               ":1: found a source of 3 symbols, expected at most 2");
    expect_bad("a b c\td\n", (lb_pair_format){.longest = 4},
               ":1: found a source of 5 symbols, expected at most 4");
    lb_pair_format short_words = words;
    short_words.longest = 4;
    open_text("a bb c\td\n", short_words);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_open_nothing_is_an_error)
{
    expect_bad("", plain, ": found an empty file, expected one pair of texts per line");
    expect_bad("", skipping, ": found an empty file, expected one pair of texts per line");
    open_bytes("a\nb\n", 4, skipping);
    char message[600];
    snprintf(message, sizeof message,
             ": found no valid line among 2; the first: %s:1: found 1 column, expected 2, separated by tabs",
             path());
    expect_error(LB_ERROR_FORMAT, message);
}
END_TEST

START_TEST(test_open_what_is_no_file_is_an_error)
{
    unlink(path());
    ck_assert_ptr_null(lb_pairs_open(path(), plain, &error));
    expect_error(LB_ERROR_OPEN, ": cannot read: No such file or directory");
    error = (lb_error){0};
    ck_assert_int_eq(mkdir(path(), 0777), 0);
    ck_assert_ptr_null(lb_pairs_open(path(), plain, &error));
    expect_error(LB_ERROR_OPEN, ": cannot read: Is a directory");
    ck_assert_int_eq(rmdir(path()), 0);
}
END_TEST

static void *write_pairs(void *to_pipe)
{
    FILE *to = fopen(to_pipe, "w");
    fputs("a\tb\nc\td\n", to);
    fclose(to);
    return NULL;
}

START_TEST(test_open_a_pipe_reads_it_as_a_file)
{
    pthread_t writer;
    ck_assert_int_eq(mkfifo(path(), 0666), 0);
    ck_assert_int_eq(pthread_create(&writer, NULL, write_pairs, (void *)(uintptr_t)path()), 0);
    pairs = lb_pairs_open(path(), plain, &error);
    ck_assert_int_eq(pthread_join(writer, NULL), 0);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    ck_assert_int_eq(lb_pairs_count(pairs), 2);
    lb_pairs_close(pairs);
    pairs = NULL;
}
END_TEST

/* Appends `symbols` letters, a tab, a letter and a line end. */
static size_t add_long_line(char *text, size_t at, size_t symbols)
{
    memset(text + at, 'x', symbols);
    memcpy(text + at + symbols, "\ty\n", 3);
    return at + symbols + 3;
}

START_TEST(test_open_long_lines_are_bad_lines)
{
    char *text = malloc((size_t)4 << 20);
    size_t end = add_long_line(text, 0, 1000);
    ck_assert_ptr_nonnull(open_bytes(text, end, plain));
    ck_assert_int_eq(lb_pairs_source_length(pairs, 0), 1000);
    end = add_long_line(text, end, 1001);
    open_bytes(text, end, plain);
    expect_error(LB_ERROR_FORMAT, ":2: found a source of 1001 symbols, expected at most 1000");
    end = add_long_line(text, end, 1000000);
    end = add_long_line(text, end, 3000000);
    end = add_long_line(text, end, 7);
    ck_assert_ptr_nonnull(open_bytes(text, end, skipping));
    const lb_pairs_facts *facts = &pairs->facts;
    ck_assert_int_eq(lb_pairs_count(pairs), 2);
    ck_assert_int_eq(facts->lines, 5);
    ck_assert_int_eq(facts->bad[LB_LINE_LONG], 3);
    ck_assert_ptr_nonnull(
        strstr(facts->first_bad.text[1], ":3: found a source of 1000000 symbols, expected at most 1000"));
    ck_assert_ptr_nonnull(strstr(facts->first_bad.text[2],
                                 ":4: found a line of more than 1048576 bytes, expected at most that many"));
    expect_pair(1, "x|x|x|x|x|x|x", "y");
    ck_assert_ptr_nonnull(open_bytes(text, 1003, (lb_pair_format){.longest = LB_PAIR_LONGEST}));
    end = add_long_line(text, 0, LB_PAIR_LONGEST);
    end = add_long_line(text, end, LB_PAIR_LONGEST);
    ck_assert_ptr_nonnull(open_bytes(text, end, (lb_pair_format){.longest = LB_PAIR_LONGEST}));
    for (int64_t pair = 0; pair < 2; pair++) {
        const lb_pair_line *line;
        ck_assert_int_eq(lb_pairs_source_length(pairs, pair), LB_PAIR_LONGEST);
        ck_assert_msg(lb_pairs_read(pairs, pair, &line, &error) == LB_OK, "%s", error.message);
        ck_assert_uint_eq(line->source.count, LB_PAIR_LONGEST);
        ck_assert_uint_eq(line->target.count, 1);
    }
    lb_pairs_close(pairs);
    free(text);
}
END_TEST

START_TEST(test_open_skipped_lines_are_counted_by_kind)
{
    static const char text[] = "a\tb\nc\nd\te\tf\ng\t\n\th\ni\t\xff\nj\t\0\nk\tl\n\nm\tn\n";
    ck_assert_ptr_nonnull(open_bytes(text, sizeof text - 1, skipping));
    const lb_pairs_facts *facts = &pairs->facts;
    ck_assert_int_eq(facts->lines, 10);
    ck_assert_int_eq(lb_pairs_count(pairs), 3);
    ck_assert_int_eq(facts->bad[LB_LINE_GOOD], 0);
    ck_assert_int_eq(facts->bad[LB_LINE_COLUMNS], 2);
    ck_assert_int_eq(facts->bad[LB_LINE_EMPTY], 3);
    ck_assert_int_eq(facts->bad[LB_LINE_UTF8], 1);
    ck_assert_int_eq(facts->bad[LB_LINE_ZERO], 1);
    ck_assert_uint_eq(facts->first_bad.count, LB_PAIRS_BAD_KEPT);
    ck_assert_ptr_nonnull(strstr(facts->first_bad.text[4], ":6: found 0xFF"));
    expect_pair(0, "a", "b");
    expect_pair(1, "k", "l");
    expect_pair(2, "m", "n");
    ck_assert_str_eq(lb_bad_line_texts[LB_LINE_UTF8], "not UTF-8");
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_open_columns_that_are_asked_for_may_have_others_beside)
{
    lb_pair_format third = {.source_column = 3, .target_column = 1};
    open_text("a\tb\tc\t\nd\t\te\tf\n", third);
    expect_pair(0, "c", "a");
    expect_pair(1, "e", "d");
    open_text("a\tb\tc\n", (lb_pair_format){.target_column = 3});
    expect_pair(0, "a", "c");
    expect_bad("a\tb\n", third, ":1: found 2 columns, expected at least 3, separated by tabs");
    expect_bad("a\tb\tc\nd\te\n", third, ":2: found 2 columns, expected at least 3, separated by tabs");
    third.skip_bad_lines = true;
    open_text("a\na\tb\tc\td\na\tb\tc\na\tb\tc\te\n", third);
    ck_assert_int_eq(lb_pairs_count(pairs), 3);
    ck_assert_int_eq(pairs->facts.bad[LB_LINE_COLUMNS], 1);
    open_text("a\tb\nc\td\te\n", (lb_pair_format){.source_column = 1, .target_column = 2});
    expect_pair(1, "c", "d"); /* a third column is there only sometimes */
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_open_sources_alone)
{
    open_text("ab\nc\n", (lb_pair_format){.no_target = true});
    expect_pair(0, "a|b", "");
    expect_pair(1, "c", "");
    expect_bad("a\tb\n", (lb_pair_format){.no_target = true}, ":1: found 2 columns, expected 1");
    open_text("a\tb\n", (lb_pair_format){.no_target = true, .source_column = 2});
    expect_pair(0, "b", "");
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_encode_ids_are_those_of_the_counted_symbols)
{
    open_text("ba\tx <eos>\na\tx\nab\ty x\n", (lb_pair_format){.target = {.separator = " "}});
    lb_vocabulary *source = lb_vocabulary_new_reserved(NULL), *target = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_pairs_tally_symbols(pairs, source, target, &error), LB_OK);
    lb_vocabulary_sort(source, 3);
    lb_vocabulary_sort(target, 1);
    ck_assert_int_eq(lb_vocabulary_size(source), LB_FIRST_TOKEN + 1);
    ck_assert_int_eq(lb_vocabulary_size(target), LB_FIRST_TOKEN + 3);
    ck_assert_str_eq(lb_vocabulary_symbol(target, LB_FIRST_TOKEN), "x");
    int32_t sources[2], targets[2];
    ck_assert_int_eq(lb_pairs_encode(pairs, 0, source, target, sources, targets, &error), LB_OK);
    ck_assert_mem_eq(sources, ((const int32_t[]){LB_UNK, LB_FIRST_TOKEN}), sizeof sources);
    ck_assert_mem_eq(targets, ((const int32_t[]){LB_FIRST_TOKEN, LB_FIRST_TOKEN + 1}), sizeof targets);
    ck_assert_int_eq(lb_pairs_encode(pairs, 2, source, target, sources, targets, &error), LB_OK);
    ck_assert_mem_eq(targets, ((const int32_t[]){LB_FIRST_TOKEN + 2, LB_FIRST_TOKEN}), sizeof targets);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_count_symbols_one_vocabulary_serves_both_sides)
{
    open_text("ab\tbc\nb\tb\n", plain);
    lb_vocabulary *both = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_pairs_tally_symbols(pairs, both, both, &error), LB_OK);
    lb_vocabulary_sort(both, 1);
    ck_assert_int_eq(lb_vocabulary_size(both), LB_FIRST_TOKEN + 3);
    ck_assert_str_eq(lb_vocabulary_symbol(both, LB_FIRST_TOKEN), "b");
    ck_assert_int_eq(lb_vocabulary_count(both, LB_FIRST_TOKEN), 4);
    lb_vocabulary_free(both);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_read_file_that_has_changed_is_an_error)
{
    char expected[600];
    const lb_pair_line *line;
    snprintf(expected, sizeof expected, "%s: the file has changed since it was opened", path());
    static const char *const later[] = {"ab\tc\n", "ab\tc\nabcd\te\n", "ab\tc\nde f\n", "",
                                        "ab\tc\ndf\te\n" /* as long as it was */};
    for (size_t i = 0; SUPPORT_ROW(i, later); i++) {
        open_text("ab\tc\nde\tf\n", plain);
        FILE *file = fopen(path(), "w");
        fputs(later[i], file);
        fclose(file);
        error = (lb_error){0};
        errno = EINTR; /* of an earlier call: the end of the file is none that was interrupted */
        ck_assert_int_eq(lb_pairs_read(pairs, 1, &line, &error), LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, expected);
    }
    error = (lb_error){0};
    ck_assert_int_eq(lb_pairs_read(pairs, 2, &line, &error), LB_ERROR_INDEX);
    ck_assert_int_eq(lb_pairs_read(pairs, -1, &line, &error), LB_ERROR_INDEX);
    lb_pairs_close(pairs);
}
END_TEST

/* Each line gets another letter, in place: whoever reads them later trains on what nobody has checked. */
START_TEST(test_read_lines_that_change_in_place_is_an_error_for_each_of_them)
{
    enum { LINES = 200, SHARE = 5 };
    char text[LINES * 8 + 1];
    const lb_pair_line *line;
    for (int i = 0; i < LINES; i++) snprintf(text + 8 * (size_t)i, 9, "%03d\txya\n", (unsigned char)i);
    open_text(text, plain);
    lb_pairs *dev = lb_pairs_hold_out(pairs, SHARE, &error);
    ck_assert_ptr_nonnull(dev);
    FILE *file = fopen(path(), "r+");
    for (int i = 0; i < LINES; i++) {
        fseek(file, 8 * i + 6, SEEK_SET);
        fputc('b', file);
    }
    fclose(file);
    pairs->held = dev->held = 0; /* what was read at once is not read again */
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++)
        ck_assert_int_eq(lb_pairs_read(pairs, i, &line, &error), LB_ERROR_FORMAT);
    for (int64_t i = 0; i < lb_pairs_count(dev); i++)
        ck_assert_int_eq(lb_pairs_read(dev, i, &line, &error), LB_ERROR_FORMAT);
    lb_pairs_close(dev);
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_open_file_beyond_the_largest_is_refused)
{
    lb_line line = {.text = "a\tb", .length = 3, .number = 2, .offset = INT64_C(1) << LB_PLACE_OFFSET_BITS};
    open_text("ab\tc\n", plain);
    ck_assert_int_eq(lb_pairs_take(pairs, path(), &line, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "found more than 8796093022208 bytes"), "%s", error.message);
    line.offset--;
    ck_assert_int_eq(lb_pairs_take(pairs, path(), &line, &error), LB_OK);
    lb_pairs_close(pairs);
}
END_TEST

/* Line i is the number i and i % 37 letters. Reading them in order, backwards and in jumps gives the same. */
START_TEST(test_read_many_lines_in_any_order)
{
    enum { LINES = 50000, JUMP = 7919 };
    FILE *file = fopen(path(), "w");
    for (int i = 0; i < LINES; i++)
        fprintf(file, "%d\t%.*s!\n", i, i % 37, "abcdefghijklmnopqrstuvwxyz0123456789");
    fclose(file);
    pairs = lb_pairs_open(path(), (lb_pair_format){.source = {.separator = " "}}, &error);
    ck_assert_int_eq(lb_pairs_count(pairs), LINES);
    for (int i = 0; i < 3 * LINES; i++) {
        const lb_pair_line *line;
        char number[16];
        int pair = i < LINES ? i : i < 2 * LINES ? 2 * LINES - 1 - i : (int)((long)i * JUMP % LINES);
        snprintf(number, sizeof number, "%d", pair);
        SUPPORT_CHECK(lb_pairs_read(pairs, pair, &line, &error) == LB_OK, "%s", error.message);
        SUPPORT_CHECK(strcmp(line->source.symbol[0], number) == 0, "%s", number);
        SUPPORT_CHECK(line->target.count == (size_t)(pair % 37 + 1), "%s", number);
    }
    lb_pairs_close(pairs);
}
END_TEST

/* Opens, counts and reads until memory runs out. */
static lb_status use_all(void)
{
    error = (lb_error){0};
    pairs = lb_pairs_open(path(), skipping, &error);
    lb_vocabulary *both = pairs ? lb_vocabulary_new_reserved(&error) : NULL;
    if (both && lb_pairs_tally_symbols(pairs, both, both, &error) == LB_OK)
        ck_assert_int_eq(lb_vocabulary_size(both), LB_FIRST_TOKEN + 5);
    lb_vocabulary_free(both);
    lb_pairs_close(pairs);
    return error.status;
}

START_TEST(test_pairs_failing_allocation_is_an_error_and_leaks_nothing)
{
    static const char text[] = "ab\tc\nbad\n\xff\nde\ta\n";
    support_write_file(path(), text, sizeof text - 1);
    support_watch_allocations();
    ck_assert_int_eq(use_all(), LB_OK);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 10);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_int_eq(use_all(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
