/* A copy of what may have no end has one. It takes seconds. */
#include "io/scratch_file.h"

#include "io/file.h"
#include "os/os.h"
#include "support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 12, BLOCKS = 256, MOST = BLOCK * BLOCKS };

static lb_error error;

static void fill(char *block)
{
    for (int at = 0; at < BLOCK; at += 4) memcpy(block + at, "a\tb\n", 4);
}

/* Writes so many blocks of lines into a pipe, in another process; -1: until nobody reads any more. */
static pid_t begin_writer(int blocks, int *reader)
{
    char block[BLOCK];
    int ends[2];
    fill(block);
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        close(ends[0]);
        while (blocks != 0 && write(ends[1], block, BLOCK) == BLOCK) blocks -= blocks > 0;
        _exit(0);
    }
    close(ends[1]);
    *reader = ends[0];
    return child;
}

static lb_status copy_pipe(int blocks, lb_os_handle *copy, bool *broken)
{
    int reader, how;
    pid_t child = begin_writer(blocks, &reader);
    error = (lb_error){0};
    lb_status status = lb_plain_copy(lb_os_handle_of(reader), NULL, 0, "words", MOST, copy, &error);
    close(reader);
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    *broken = WIFSIGNALED(how) && WTERMSIG(how) == SIGPIPE;
    return status;
}

static void expect_too_large(lb_status status, lb_os_handle copy)
{
    ck_assert_int_eq(status, LB_ERROR_FORMAT);
    ck_assert(!lb_os_is_open(copy));
    ck_assert_ptr_nonnull(strstr(error.message, "words: its temporary copy is too large"));
}

START_TEST(test_plain_copy_of_a_pipe_that_never_ends_is_an_error)
{
    lb_os_handle copy;
    bool broken;
    lb_status status = copy_pipe(-1, &copy, &broken);
    expect_too_large(status, copy);
    ck_assert(broken);
}
END_TEST

START_TEST(test_plain_copy_of_as_many_bytes_as_may_be_is_whole)
{
    lb_os_handle copy;
    bool broken;
    lb_os_info info;
    ck_assert_int_eq(copy_pipe(BLOCKS, &copy, &broken), LB_OK);
    ck_assert(lb_os_info_of(copy, &info));
    ck_assert_int_eq(info.bytes, MOST);
    lb_os_drop(&copy);
    lb_status status = copy_pipe(BLOCKS + 1, &copy, &broken);
    expect_too_large(status, copy);
}
END_TEST

/* A few thousand bytes that are twice as many lines as may be. */
START_TEST(test_plain_copy_of_gzip_data_that_grow_too_much_is_an_error)
{
    char block[BLOCK];
    lb_os_handle copy, file = lb_os_temp_file();
    fill(block);
    gzFile to = gzdopen(dup(lb_os_descriptor(file)), "wb");
    for (int i = 0; i < 2 * BLOCKS; i++) ck_assert_int_eq(gzwrite(to, block, BLOCK), BLOCK);
    ck_assert_int_eq(gzclose(to), Z_OK);
    ck_assert_int_lt(lseek(lb_os_descriptor(file), 0, SEEK_END), MOST);
    ck_assert(lb_os_go(file, 0));
    ck_assert_int_eq(lb_plain_copy(file, NULL, 0, "words", MOST, &copy, &error), LB_ERROR_FORMAT);
    ck_assert(!lb_os_is_open(copy));
    ck_assert_str_eq(error.message,
                     "words: found gzip data of more than 1048576 bytes, expected fewer, or a plain "
                     "file with tabs");
    lb_os_drop(&file);
}
END_TEST

/* A quarter of a megabyte that is one endless line: it is no pipe. */
START_TEST(test_plain_copy_of_gzip_data_without_the_end_of_a_line_names_them)
{
    static const char zeros[1 << 20];
    char expected[128];
    lb_os_handle copy, file = lb_os_temp_file();
    gzFile to = gzdopen(dup(lb_os_descriptor(file)), "wb1");
    for (size_t i = 0; i <= LB_FILE_STREAM; i += sizeof zeros)
        ck_assert_int_gt(gzwrite(to, zeros, sizeof zeros), 0);
    ck_assert_int_eq(gzclose(to), Z_OK);
    ck_assert(lb_os_go(file, 0));
    ck_assert_int_eq(lb_plain_copy(file, NULL, 0, "words", LB_COPY_MOST, &copy, &error), LB_ERROR_FORMAT);
    snprintf(expected, sizeof expected,
             "words: found gzip data of more than %zu bytes, expected the end of a line", LB_FILE_STREAM);
    ck_assert_str_eq(error.message, expected);
    lb_os_drop(&file);
}
END_TEST

static size_t compress_text(const char *text, char *to, size_t room)
{
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)text,
                       .avail_in = (unsigned)strlen(text),
                       .next_out = (unsigned char *)to,
                       .avail_out = (unsigned)room};
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    ck_assert_int_eq(deflateEnd(&stream), Z_OK);
    return room - stream.avail_out;
}

/* The text of these bytes in a file; NULL: an error. */
static const char *copy_bytes(const char *bytes, size_t count)
{
    static char text[BLOCK];
    lb_os_handle copy, file = lb_os_temp_file();
    error = (lb_error){0};
    ck_assert(lb_os_write_all(file, bytes, count) && lb_os_go(file, 0));
    lb_status status = lb_plain_copy(file, NULL, 0, "words", MOST, &copy, &error);
    lb_os_drop(&file);
    if (status) return NULL;
    int64_t length = lb_os_read_at(copy, 0, text, sizeof text - 1);
    ck_assert_int_ge(length, 0);
    text[length] = '\0';
    lb_os_drop(&copy);
    return text;
}

START_TEST(test_plain_copy_of_gzip_data_has_all_of_them_or_is_an_error)
{
    char bytes[BLOCK] = {0};
    size_t one = compress_text("a\tb\n", bytes, sizeof bytes);
    size_t both = one + compress_text("c\td\n", bytes + one, sizeof bytes - one);
    ck_assert_str_eq(copy_bytes(bytes, one), "a\tb\n");
    ck_assert_str_eq(copy_bytes(bytes, both), "a\tb\nc\td\n");
    ck_assert_str_eq(copy_bytes(bytes, both + 100), "a\tb\nc\td\n"); /* zeros */
    for (size_t cut = 3; cut < both; cut++) {
        if (cut == one) continue;
        ck_assert_msg(!copy_bytes(bytes, cut), "%zu", cut);
        ck_assert_str_eq(error.message, "words: damaged gzip data");
    }
    for (int zeros = 0; zeros < 2; zeros++) {
        memcpy(bytes + one, &"\0e\tf\n"[!zeros], 4);
        ck_assert_ptr_null(copy_bytes(bytes, one + 4));
        ck_assert_str_eq(error.message,
                         "words: found something else after the gzip data, expected their end: "
                         "gunzip it, and put the parts together as text");
    }
    ck_assert_str_eq(copy_bytes("\x1F", 1), "\x1F");
    ck_assert_str_eq(copy_bytes("", 0), "");
}
END_TEST
