#include "support/suite.h"

#include <stdio.h>

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

void support_not_run(const char *what, const char *why)
{
    printf("NOT RUN: %s: %s\n", what, why);
    fflush(stdout);
}

int support_skip_unit(const char *what, const char *why)
{
    printf("SKIPPED: %s: %s\n", what, why); /* tests/CMakeLists.txt looks for the word */
    fflush(stdout);
    return 0;
}
