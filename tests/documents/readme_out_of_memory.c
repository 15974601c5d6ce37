/* The program of README, whose main is readme_main here: each of its allocations fails in turn. Each time it must end
 * with a message and an exit status, and free all its memory. */
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int readme_main(void);

static const char *const messages = TEST_OUTPUT "/readme_out_of_memory.txt";

/* Runs the program; it must print a message exactly if it fails. Returns whether it failed. */
static bool run_fails(void)
{
    ck_assert_ptr_nonnull(freopen(messages, "w", stderr));
    int status = readme_main();
    fflush(stderr);
    size_t size;
    char *said = support_read_file(messages, &size);
    ck_assert_int_eq(support_live_allocations(), 0);
    ck_assert(status == 0 || status == 1);
    ck_assert_msg((strstr(said, "out of memory") != NULL) == (status == 1), "exit status %d: %s", status,
                  said);
    free(said);
    return status != 0;
}

static void fail_each_allocation(void (*fail_at)(long n), long at_least)
{
    support_watch_allocations();
    ck_assert(!run_fails());
    long all = support_allocation_count(), failed = 0;
    for (long n = 1; n <= all; n++) {
        fail_at(n);
        failed += run_fails();
    }
    fail_at(0);
    ck_assert(!run_fails());
    ck_assert_int_ge(failed, fail_at == support_fail_from_allocation ? all : at_least);
}

START_TEST(test_one_failing_allocation_is_a_message)
{
    fail_each_allocation(support_fail_allocation, 8);
}
END_TEST

START_TEST(test_no_memory_from_some_allocation_on_is_a_message)
{
    fail_each_allocation(support_fail_from_allocation, 0);
}
END_TEST

int main(void)
{
    return support_run_tests();
}
