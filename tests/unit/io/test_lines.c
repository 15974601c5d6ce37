#include "io/lines.h"

#include "os/os.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/wait.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 300000 };

static lb_lines lines;
static lb_line line;
static lb_error error;
static int writer;

static void begin(size_t longest)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    writer = ends[1];
    ck_assert_int_eq(lb_lines_open(&lines, lb_os_handle_of(ends[0]), "sample", longest, &error), LB_OK);
}

static void say(const char *text, size_t length)
{
    ck_assert_int_eq(write(writer, text, length), (ssize_t)length);
}

static void finish(void)
{
    lb_os_drop(&lines.handle);
    lb_lines_close(&lines);
}

static void expect_line(const char *text, size_t length, int64_t number)
{
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_ONE);
    ck_assert_uint_eq(line.length, length);
    ck_assert_mem_eq(line.text, text, length);
    ck_assert_int_eq(line.number, number);
    ck_assert(!line.cut);
}

START_TEST(test_lines_next_ends_of_lines_are_left_out)
{
    begin(10);
    say("ab\r\n\n\r\nc\0d\r\r\nlast", 17);
    close(writer);
    expect_line("ab", 2, 1);
    expect_line("", 0, 2);
    expect_line("", 0, 3);
    expect_line("c\0d\r", 4, 4);
    expect_line("last", 4, 5);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_NONE);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_NONE);
    finish();
}
END_TEST

/* Each line is at its offset, also after the buffer has been refilled. */
START_TEST(test_lines_next_offset_and_crlf_tell_where_it_stood)
{
    static const char text[] = "ab\r\n\nc\r\nlast\r";
    static const int64_t offset[] = {0, 4, 5, 8};
    static const bool crlf[] = {true, false, true, true};
    begin(4);
    for (int64_t round = 0; round < 20000; round++) {
        say(text, sizeof text - 1);
        say("\n", 1);
        for (int i = 0; i < 4; i++) {
            SUPPORT_CHECK(lb_lines_next(&lines, true, &line, &error) == LB_LINES_ONE, "%d", i);
            SUPPORT_CHECK(line.offset == round * (int64_t)sizeof text + offset[i], "%d", i);
            SUPPORT_CHECK(line.crlf == crlf[i], "%d", i);
        }
    }
    close(writer);
    finish();
}
END_TEST

START_TEST(test_lines_next_no_input_is_no_line)
{
    begin(10);
    close(writer);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_NONE);
    finish();
}
END_TEST

START_TEST(test_lines_next_without_waiting_takes_what_is_there)
{
    begin(10);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_LATER);
    say("one\ntw", 6);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_ONE);
    ck_assert_uint_eq(line.length, 3);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_LATER);
    say("o\n", 2);
    ck_assert_int_eq(lb_lines_next(&lines, false, &line, &error), LB_LINES_ONE);
    ck_assert_mem_eq(line.text, "two", 3);
    close(writer);
    finish();
}
END_TEST

/* Writes a line when this process waits for one, in another process. */
static void say_to_sleeper(const char *text)
{
    fflush(NULL);
    if (fork() != 0) return;
    bool asleep = support_wait_until_asleep(getppid());
    _exit(asleep && write(writer, text, strlen(text)) > 0 ? 0 : 1);
}

START_TEST(test_lines_next_non_blocking_descriptor_waits_all_the_same)
{
    begin(10);
    ck_assert_int_eq(fcntl(lb_os_descriptor(lines.handle), F_SETFL, O_NONBLOCK), 0);
    say_to_sleeper("late\n");
    expect_line("late", 4, 1);
    close(writer);
    finish();
}
END_TEST

START_TEST(test_lines_next_many_lines_through_a_small_buffer)
{
    begin(10);
    char text[16];
    for (int64_t number = 1; number <= 30000; number++) {
        int length = snprintf(text, sizeof text, "%lld\n", (long long)number);
        say(text, (size_t)length);
        if (number % 100 != 0) continue;
        for (int64_t read = number - 99; read <= number; read++) {
            length = snprintf(text, sizeof text, "%lld", (long long)read);
            expect_line(text, (size_t)length, read);
        }
    }
    close(writer);
    finish();
}
END_TEST

/* Writes this many letters, more than a pipe holds, then a short line. */
static void say_letters(size_t count)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char *text = malloc(count);
        if (text) memset(text, 'x', count);
        if (text) memcpy(text + count - 6, "\nshort", 6);
        for (size_t at = 0; text && at < count;) {
            ssize_t written = write(writer, text + at, count - at);
            if (written <= 0) break;
            at += (size_t)written;
        }
        free(text);
        _exit(0);
    }
    close(writer);
}

START_TEST(test_lines_next_longest_line_is_whole)
{
    begin(LONGEST);
    say_letters(LONGEST + sizeof "short");
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_ONE);
    ck_assert_uint_eq(line.length, LONGEST);
    ck_assert(!line.cut);
    finish();
}
END_TEST

START_TEST(test_lines_next_endless_line_is_cut)
{
    begin(LONGEST);
    say_letters((size_t)100 * LONGEST);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_ONE);
    ck_assert_uint_ge(line.length, LONGEST);
    ck_assert_uint_lt(line.length, (size_t)2 * LONGEST);
    ck_assert_int_eq(line.text[line.length - 1], 'x');
    ck_assert(line.cut);
    expect_line("short", 5, 2);
    ck_assert_int_eq(line.offset, 100 * LONGEST - 5);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_NONE);
    finish();
}
END_TEST

/* A program may allow lines of a megabyte and read short ones. */
START_TEST(test_lines_next_short_lines_need_little_memory)
{
    begin(LONGEST);
    say("ab\n", 3);
    close(writer);
    expect_line("ab", 2, 1);
    ck_assert_uint_lt(lines.capacity, LONGEST / 2);
    finish();
}
END_TEST

START_TEST(test_lines_next_folder_is_an_error)
{
    begin(10);
    close(writer);
    lb_os_drop(&lines.handle);
    lines.handle = lb_os_open("/", LB_OS_READ);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_FAILED);
    ck_assert_int_eq(error.status, LB_ERROR_OPEN);
    ck_assert_str_eq(error.message, "sample: cannot read: Is a directory");
    finish();
}
END_TEST

static void open_zeros(size_t longest)
{
    lb_os_handle zeros = lb_os_open("/dev/zero", LB_OS_READ);
    ck_assert(lb_os_is_open(zeros));
    ck_assert_int_eq(lb_lines_open(&lines, zeros, "zeros", longest, &error), LB_OK);
}

START_TEST(test_lines_next_line_without_an_end_is_an_error)
{
    open_zeros(10);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_ONE);
    ck_assert(line.cut);
    ck_assert_int_eq(lb_lines_next(&lines, true, &line, &error), LB_LINES_FAILED);
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "zeros:1: found more than 268435456 bytes, expected a line");
    finish();
}
END_TEST

/* Writes empty lines until nobody reads them any more. */
static void write_for_ever(int descriptor)
{
    static char text[1 << 16];
    memset(text, '\n', sizeof text);
    while (write(descriptor, text, sizeof text) > 0) {
    }
    _exit(0);
}

START_TEST(test_lines_keep_has_a_limit_for_all_lines)
{
    begin(10);
    pid_t child = fork();
    if (child == 0) {
        lb_os_drop(&lines.handle);
        write_for_ever(writer);
    }
    close(writer);
    lb_lines_keep(&lines, false);
    while (lb_lines_next(&lines, true, &line, &error) == LB_LINES_ONE) {
    }
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message,
                     "sample: found a pipe or device with more than 33554432 bytes, expected a file");
    finish();
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

/* A regular file has an end of its own. */
START_TEST(test_lines_keep_takes_all_of_a_regular_file)
{
    enum { LINE = 1 << 16 };
    static char text[LINE];
    int64_t count = 0;
    memset(text, 'x', sizeof text);
    text[LINE - 1] = '\n';
    const char *path = support_path("file");
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i <= LB_LINES_KEPT / LINE + 1; i++) ck_assert_uint_eq(fwrite(text, 1, LINE, file), LINE);
    fclose(file);
    ck_assert_int_eq(lb_lines_open(&lines, lb_os_open(path, LB_OS_READ), "file", LINE, &error), LB_OK);
    lb_lines_keep(&lines, false);
    while (lb_lines_next(&lines, true, &line, &error) == LB_LINES_ONE) count++;
    ck_assert_int_eq(error.status, LB_OK);
    ck_assert_int_eq(count, LB_LINES_KEPT / LINE + 2);
    finish();
    /* A copy of a pipe has the limit of the pipe. */
    ck_assert_int_eq(lb_lines_open(&lines, lb_os_open(path, LB_OS_READ), "file", LINE, &error), LB_OK);
    lb_lines_keep(&lines, true);
    while (lb_lines_next(&lines, true, &line, &error) == LB_LINES_ONE) {
    }
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    finish();
}
END_TEST
