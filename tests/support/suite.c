#include "support/suite.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
}

/* Whether the file of the test is that of the unit. */
static bool is_of_unit(const TTest *test)
{
    const char *slash = strrchr(test->file, '/'), *file = slash ? slash + 1 : test->file;
    size_t length = unit_name ? strlen(unit_name) : 0;
    return !unit_name || (strncmp(file, unit_name, length) == 0 && strcmp(file + length, ".c") == 0);
}

int support_run_tests_between(SFun before, SFun after)
{
    Suite *suite = suite_create(unit_name ? unit_name : "tests");
    for (const support_test *each = first_test; each; each = each->next) {
        if (!is_of_unit(each->test)) continue;
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

/* Shared with the processes in which tests run. */
static atomic_bool *any_skipped;

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
    void *shared = mmap(NULL, sizeof *any_skipped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return EXIT_FAILURE;
    any_skipped = shared;
    int status = unit ? unit() : support_run_tests();
    return status == 0 && atomic_load(any_skipped) ? SKIPPED : status;
}
