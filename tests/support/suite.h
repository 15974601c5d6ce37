/* The main function of a test program. */
#ifndef SUPPORT_SUITE_H
#define SUPPORT_SUITE_H

#include <check.h>

/* Runs each test in its own process, and returns the exit status of the program. This process stays out of OpenMP,
 * whose threads do not survive a fork. With the environment variable CK_RUN_CASE, only the test with that name runs. */
int support_run_tests(const char *name, int count, const TTest *const *tests);

/* support_run_tests("unit", SUPPORT_TESTS(test_one, test_two)) */
#define SUPPORT_TESTS(...)                                                                                   \
    (int)(sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *)), (const TTest *const[])       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* Says on standard output what cannot be tested on this machine or build, and why. ctest then shows the unit as
 * skipped, unless something else fails. */
void support_skip(const char *what, const char *why);

/* The same for the rest of a test, which it ends. A program that is no unit ends as skipped. */
_Noreturn void support_skip_rest(const char *what, const char *why);

/* Runs the main function of a unit. Returns the exit status of its program. */
int support_run_unit(int (*unit)(void));

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
