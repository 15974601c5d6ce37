#include "base/threads.h"
#include "lookback/base.h"
#include "support/suite.h"

#include <stdlib.h>

START_TEST(test_threads_are_those_asked_for_or_those_of_the_environment)
{
    unsetenv("OMP_NUM_THREADS");
    lb_set_threads(0);
    int usual = lb_threads();
    ck_assert_int_ge(usual, 1);
    ck_assert_int_eq(usual, lb_processors());
#ifdef _OPENMP
    lb_set_threads(5);
    ck_assert_int_eq(lb_threads(), 5);
    static const char *const four[] = {"4", "4,2", " 4"}, *const nothing[] = {"", "0", "-3", "many",
                                                                              "5000000"};
    for (size_t i = 0; SUPPORT_ROW(i, four); i++) {
        setenv("OMP_NUM_THREADS", four[i], 1);
        lb_set_threads(0);
        ck_assert_int_eq(lb_threads(), 4);
        lb_set_threads(2);
        ck_assert_int_eq(lb_threads(), 2);
    }
    for (size_t i = 0; SUPPORT_ROW(i, nothing); i++) {
        setenv("OMP_NUM_THREADS", nothing[i], 1);
        lb_set_threads(-1);
        ck_assert_int_eq(lb_threads(), usual);
    }
#endif
}
END_TEST
