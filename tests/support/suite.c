#include "support/suite.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SKIPPED = 77 }; /* tests/CMakeLists.txt knows it */

int support_run_tests(const char *name, int count, const TTest *const *tests)
{
    Suite *suite = suite_create(name);
    for (int i = 0; i < count; i++) {
        TCase *alone = tcase_create(tests[i]->name);
        tcase_add_test(alone, tests[i]);
        suite_add_tcase(suite, alone);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
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

int support_run_unit(int (*unit)(void))
{
    void *shared = mmap(NULL, sizeof *any_skipped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return EXIT_FAILURE;
    any_skipped = shared;
    int status = unit();
    return status == 0 && atomic_load(any_skipped) ? SKIPPED : status;
}
