#include "support/suite.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#    include <process.h>
#else
#    include <sys/mman.h>
#endif

enum { SKIPPED = 77 }; /* tests/CMakeLists.txt knows it */

static support_test *first_test, *last_test;
static const char *unit_name; /* NULL: the program is one unit */

void support_list_test(support_test *test)
{
    *(last_test ? &last_test->next : &first_test) = test;
    last_test = test;
}

/* The loops over tables that a test is in, from the outermost. */
static struct {
    const char *table;
    int row;
} loops[8];
static int depth;

static void leave_loops(void)
{
    depth = 0;
}

bool support_at_row(const char *table, int row, int rows)
{
    if (row == 0) depth++;
    if (depth < 1 || depth > (int)(sizeof loops / sizeof *loops)) ck_abort_msg("%s: too many loops", table);
    loops[depth - 1].table = table;
    loops[depth - 1].row = row;
    if (row >= rows) depth--;
    return row < rows;
}

void support_fail(const char *file, int line, const char *expression, const char *format, ...)
{
    static char text[BUFSIZ]; /* Check has no more room */
    size_t length = 0;
    for (int i = 0; i < depth && length < sizeof text; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s[%d]: ", loops[i].table, loops[i].row);
    va_list arguments;
    va_start(arguments, format);
    if (length < sizeof text)
        vsnprintf(text + length, sizeof text - length, format ? format : expression, arguments);
    va_end(arguments);
    _ck_assert_failed(file, line, expression, "%s", text);
    abort(); /* never: but a Check that does not fork does not say so */
}

/* Whether the file of the test is that of the unit. */
static bool is_of_unit(const TTest *test)
{
    const char *slash = strrchr(test->file, '/'), *file = slash ? slash + 1 : test->file;
    size_t length = unit_name ? strlen(unit_name) : 0;
    return !unit_name || (strncmp(file, unit_name, length) == 0 && strcmp(file + length, ".c") == 0);
}

/* Shared with the processes in which tests run, where they do not run in this one. */
static atomic_bool *any_skipped;

/* What this system does not have: NAME, NAME... of tests, which are then skipped. */
#ifndef SUPPORT_LEFT_OUT
#    define SUPPORT_LEFT_OUT ""
#endif

static bool is_left_out(const char *name)
{
    static const char *const names[] = {SUPPORT_LEFT_OUT};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

#ifdef _WIN32
/* Runs each test of the unit in a process of its own, as Check does where it can fork. On a busy machine, wine may say
 * that it has started none. */
static bool fail_apart(void)
{
    enum { NONE = -1, TRIES = 5 };
    bool failed = false;
    for (const support_test *each = first_test; each; each = each->next) {
        if (!is_of_unit(each->test) || is_left_out(each->test->name)) continue;
        _putenv_s("CK_RUN_CASE", each->test->name);
        intptr_t status = NONE;
        for (int i = 0; i < TRIES && status == NONE; i++)
            status = _spawnl(_P_WAIT, _pgmptr, "tests", unit_name, NULL);
        if (status == SKIPPED) atomic_store(any_skipped, true);
        if (status == 0 || status == SKIPPED) continue;
        failed = true;
        fprintf(stderr, "%s: ended with status 0x%llx\n", each->test->name, (unsigned long long)status);
    }
    return failed;
}
#endif

int support_run_tests_between(SFun before, SFun after)
{
#ifdef _WIN32
    const char *fork = getenv("CK_FORK");
    if (!getenv("CK_RUN_CASE") && !(fork && strcmp(fork, "no") == 0)) return fail_apart();
#endif
    Suite *suite = suite_create(unit_name ? unit_name : "tests");
    for (const support_test *each = first_test; each; each = each->next) {
        if (!is_of_unit(each->test) || is_left_out(each->test->name)) continue;
        TCase *alone = tcase_create(each->test->name);
        tcase_add_checked_fixture(alone, leave_loops, NULL);
        tcase_add_checked_fixture(alone, before, after);
        tcase_add_loop_test(alone, each->test, 0, each->times ? each->times() : 1);
        suite_add_tcase(suite, alone);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

int support_run_tests(void)
{
    return support_run_tests_between(NULL, NULL);
}

static bool share_flag(void)
{
#ifdef _WIN32
    static atomic_bool flag;
    any_skipped = &flag;
#else
    void *shared = mmap(NULL, sizeof *any_skipped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return false;
    any_skipped = shared;
#endif
    return true;
}

void support_skip(const char *what, const char *why)
{
    printf("SKIPPED: %s: %s\n", what, why); /* ./run test lists these lines */
    fflush(stdout);
    if (any_skipped) atomic_store(any_skipped, true);
}

_Noreturn void support_skip_rest(const char *what, const char *why)
{
    support_skip(what, why);
    exit(any_skipped ? EXIT_SUCCESS : SKIPPED);
}

int support_run_unit(const char *name, int (*unit)(void))
{
    unit_name = name;
    if (!share_flag()) return EXIT_FAILURE;
    int status = unit ? unit() : support_run_tests();
    return status == 0 && atomic_load(any_skipped) ? SKIPPED : status;
}
