/* The tests of a unit, which list themselves, and how they are run. */
#ifndef SUPPORT_SUITE_H
#define SUPPORT_SUITE_H

#include "lookback/base.h"

#include <check.h>
#include <stdbool.h>

/* A test, and how often it runs. */
typedef struct support_test {
    const TTest *test;
    int (*times)(void); /* with _i from 0; NULL: once */
    struct support_test *next;
} support_test;

/* Called before main, by the macros below. */
void support_list_test(support_test *test);

/* As the macro of Check, which would want a second list of all tests. */
#undef START_TEST
#define START_TEST(name) SUPPORT_TEST(name, NULL)

/* A test that runs as many times as asked, with each number from 0 as _i. */
#define START_LOOP_TEST(name, count)                                                                         \
    static int name##_times(void)                                                                            \
    {                                                                                                        \
        return (int)(count);                                                                                 \
    }                                                                                                        \
    SUPPORT_TEST(name, name##_times)

#define SUPPORT_TEST(name, times)                                                                            \
    static void name(int _i CK_ATTRIBUTE_UNUSED);                                                            \
    __attribute__((constructor)) static void name##_is_listed(void)                                          \
    {                                                                                                        \
        static const TTest test = {#name, name, __FILE__, __LINE__};                                         \
        static support_test self = {&test, times, NULL};                                                     \
        support_list_test(&self);                                                                            \
    }                                                                                                        \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

/* Runs each test of the unit in its own process, and returns the exit status of the program. This process stays out of
 * OpenMP, whose threads do not survive a fork. With the environment variable CK_RUN_CASE, only the test with that name
 * runs. A unit without a main function is run by this one. */
int support_run_tests(void);

/* The same, with a function before and one after each test; NULL is none. */
int support_run_tests_between(SFun before, SFun after);

/* for (int i = 0; SUPPORT_ROW(i, cases); i++): a loop over the rows of a table. An assertion that fails in it names the
 * row. It is left by its end alone. */
#define SUPPORT_ROW(row, table) support_at_row(#table, (int)(row), (int)(sizeof(table) / sizeof *(table)))

bool support_at_row(const char *table, int row, int rows);

/* As the macro of Check, behind all of its assertions, with the row before the message. */
#undef ck_assert_msg
#define ck_assert_msg(expression, ...)                                                                       \
    ((expression) ? _mark_point(__FILE__, __LINE__)                                                          \
                  : support_fail(__FILE__, __LINE__, "Assertion '" #expression "' failed", __VA_ARGS__))

CK_ATTRIBUTE_NORETURN LB_PRINTF(4, 5) void support_fail(const char *file, int line, const char *expression,
                                                        const char *format, ...);

/* Says on standard output what cannot be tested on this machine or build, and why. ctest then shows the unit as
 * skipped, unless something else fails. */
void support_skip(const char *what, const char *why);

/* The same for the rest of a test, which it ends. A program that is no unit ends as skipped. */
_Noreturn void support_skip_rest(const char *what, const char *why);

/* Runs a unit by its main function, or the tests of its file. Returns the exit status of its program. */
int support_run_unit(const char *name, int (*unit)(void));

/* As ck_assert_msg, for inner loops: Check writes to a pipe even for assertions that hold. */
#define SUPPORT_CHECK(condition, ...)                                                                        \
    do {                                                                                                     \
        if (!(condition)) ck_abort_msg(__VA_ARGS__);                                                         \
    } while (0)

/* Whether a sanitizer is active, which makes everything slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define SUPPORT_SANITIZED 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#        define SUPPORT_SANITIZED 1
#    endif
#endif
#ifndef SUPPORT_SANITIZED
#    define SUPPORT_SANITIZED 0
#endif

#endif
