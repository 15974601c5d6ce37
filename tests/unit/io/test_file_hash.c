/* The hash of a file is that of its pieces. */
#include "base/bytes.h"
#include "io/file.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, MOST = 2 * PIECE + 3 };

static lb_error error;

START_TEST(test_hash_of_a_file_is_that_of_its_pieces)
{
    static const size_t counts[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, MOST};
    char path[SUPPORT_PATH], *text = malloc(MOST);
    for (size_t i = 0; i < MOST; i++) text[i] = (char)(i * i >> 8);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint64_t hash, bytes, expected = LB_HASH;
        support_write_file(support_path(path, "file"), text, counts[c]);
        for (size_t at = 0; at < counts[c]; at += PIECE)
            expected = lb_hash_long(expected, text + at, counts[c] - at < PIECE ? counts[c] - at : PIECE);
        ck_assert_msg(lb_file_hash(path, &hash, &bytes, &error) == LB_OK, "%s", error.message);
        ck_assert_uint_eq(bytes, counts[c]);
        ck_assert_msg(hash == expected, "%zu bytes", counts[c]);
    }
    free(text);
}
END_TEST

START_TEST(test_hash_of_what_cannot_be_read_is_an_error_with_path_and_reason)
{
    uint64_t hash, bytes;
    ck_assert_int_eq(lb_file_hash("/nowhere/file", &hash, &bytes, &error), LB_ERROR_OPEN);
    ck_assert_str_eq(error.message, "/nowhere/file: cannot read: No such file or directory");
    error = (lb_error){0};
    ck_assert_int_eq(lb_file_hash("/", &hash, &bytes, &error), LB_ERROR_OPEN);
    ck_assert_str_eq(error.message, "/: cannot read: Is a directory");
}
END_TEST

START_TEST(test_hash_failing_allocation_is_an_error_and_leaks_nothing)
{
    char path[SUPPORT_PATH];
    uint64_t hash, bytes;
    support_write_file(support_path(path, "file"), "text", 4);
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_int_eq(lb_file_hash(path, &hash, &bytes, &error), LB_ERROR_MEMORY);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
