/* Files in place of memory. */
#include "base/alloc.h"
#include "io/scratch_file.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = LB_SCRATCH_LEAST };

static lb_error error;
static lb_scratch file;

START_TEST(test_scratch_read_has_the_bytes_of_the_file_whatever_becomes_of_it)
{
    const char *path = support_path("file");
    support_write_file(path, "bytes", 5);
    ck_assert_int_eq(lb_scratch_read(&file, path, &error), LB_OK);
    ck_assert_uint_eq(file.count, 5);
    ck_assert_mem_eq(file.bytes, "bytes", 5);
    ck_assert_int_eq(truncate(path, 0), 0);
    ck_assert_mem_eq(file.bytes, "bytes", 5);
    support_write_file(support_path("other"), "else", 4);
    ck_assert_int_eq(rename(support_path("other"), path), 0);
    ck_assert_mem_eq(file.bytes, "bytes", 5);
    lb_scratch_free(&file);
    ck_assert_ptr_null(file.bytes);
    lb_scratch_free(&file);
}
END_TEST

static void assert_not_read(const char *name, const char *reason)
{
    error = (lb_error){0};
    ck_assert_int_eq(lb_scratch_read(&file, support_path(name), &error), LB_ERROR_OPEN);
    ck_assert_msg(strstr(error.message, ": cannot read: ") != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, reason) != NULL, "%s", error.message);
    ck_assert_ptr_null(file.bytes);
}

START_TEST(test_scratch_read_of_what_is_no_file_is_an_error)
{
    assert_not_read("none", strerror(ENOENT));
    support_write_file(support_path("empty"), "", 0);
    error = (lb_error){0};
    ck_assert_int_eq(lb_scratch_read(&file, support_path("empty"), &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "/empty: found an empty file") != NULL, "%s", error.message);
    ck_assert_int_eq(mkfifo(support_path("fifo"), 0600), 0);
    assert_not_read("fifo", "not a regular file");
    ck_assert_int_eq(mkdir(support_path("folder"), 0700), 0);
    assert_not_read("folder", "not a regular file");
}
END_TEST

static void assert_works(lb_scratch *scratch)
{
    unsigned char *bytes = scratch->bytes;
    ck_assert_uint_eq(scratch->count, BYTES);
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 31);
    for (size_t i = 0; i < BYTES; i++) SUPPORT_CHECK(bytes[i] == (unsigned char)(i * 31), "%zu", i);
    lb_scratch_free(scratch);
    ck_assert_ptr_null(scratch->bytes);
}

START_TEST(test_scratch_beside_a_file_takes_no_memory_and_leaves_no_file)
{
    lb_scratch scratch;
    support_watch_allocations();
    ck_assert(lb_scratch_get(&scratch, BYTES, support_path("file")));
    if (scratch.mapped)
        ck_assert_int_eq(support_live_allocations(), 0);
    else
        support_skip("working in a file", "this file system has none without a name");
    ck_assert_uint_eq(support_file_count(), 0);
    assert_works(&scratch);
    ck_assert_uint_eq(support_file_count(), 0);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_scratch_is_memory_where_there_can_be_no_file)
{
    lb_scratch scratch;
    const char *const beside[] = {NULL, support_path("none/file")};
    ck_assert(lb_scratch_get(&scratch, BYTES - 1, support_path("file")));
    ck_assert(!scratch.mapped);
    lb_scratch_free(&scratch);
    for (int i = 0; SUPPORT_ROW(i, beside); i++) {
        ck_assert(lb_scratch_get(&scratch, BYTES, beside[i]));
        ck_assert(!scratch.mapped);
        assert_works(&scratch);
    }
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert(!lb_scratch_get(&scratch, BYTES, NULL));
    lb_scratch_free(&scratch);
}
END_TEST

/* A disk without room must not end the process when the bytes are written. */
START_TEST(test_scratch_is_memory_where_the_disk_is_full)
{
    struct rlimit limit;
    lb_scratch scratch;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = BYTES / 2;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert(lb_scratch_get(&scratch, BYTES, support_path("file")));
    ck_assert(!scratch.mapped);
    assert_works(&scratch);
}
END_TEST
