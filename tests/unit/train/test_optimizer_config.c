/* Learning rates against PyTorch's schedulers. */
#include "lookback/train.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <math.h>

static void check(const char *name, lb_schedule schedule)
{
    support_fixture *f = support_fixture_open("schedules");
    const double *rates = support_fixture_values(f, name);
    ck_assert_int_eq(lb_shape_count(support_fixture_shape(f, name)), 41);
    for (int step = 0; step <= 40; step++)
        ck_assert_msg(fabs(lb_schedule_lr(&schedule, step) - rates[step]) <= 1e-12 * rates[step] + 1e-18,
                      "%s, step %d: %.15g, not %.15g", name, step, lb_schedule_lr(&schedule, step),
                      rates[step]);
    support_fixture_close(f);
}

START_TEST(test_schedules_equal_pytorch)
{
    check("output.constant", (lb_schedule){.lr = 3e-3});
    check("output.step", (lb_schedule){LB_SCHEDULE_STEP, 3e-3, .period = 7, .gamma = 0.3});
    check("output.cosine", (lb_schedule){LB_SCHEDULE_COSINE, 3e-3, .period = 40});
    check("output.warm_up_cosine", (lb_schedule){LB_SCHEDULE_COSINE, 3e-3, .warm_up = 6, .period = 40});
    check("output.warm_up_inverse_sqrt", (lb_schedule){LB_SCHEDULE_INVERSE_SQRT, 3e-3, .warm_up = 6});
}
END_TEST

START_TEST(test_schedule_beyond_its_end_stays_there)
{
    lb_schedule cosine = {LB_SCHEDULE_COSINE, 0.5, .warm_up = 3, .period = 20};
    ck_assert(lb_schedule_lr(&cosine, 20) == 0);
    ck_assert(lb_schedule_lr(&cosine, 1000000) == 0);
    ck_assert_double_eq_tol(lb_schedule_lr(&cosine, 2), 0.5, 1e-15);
    ck_assert_double_eq_tol(lb_schedule_lr(&cosine, 3), 0.5, 1e-15);
}
END_TEST

START_TEST(test_schedule_zero_means_the_default)
{
    lb_schedule step = {LB_SCHEDULE_STEP, 2, .period = 5};
    ck_assert_double_eq_tol(lb_schedule_lr(&step, 4), 2, 1e-15);
    ck_assert_double_eq_tol(lb_schedule_lr(&step, 5), 0.2, 1e-15);
    ck_assert_double_eq_tol(lb_schedule_lr(&step, 10), 0.02, 1e-15);
    lb_schedule root = {.kind = LB_SCHEDULE_INVERSE_SQRT, .lr = 2};
    ck_assert_double_eq_tol(lb_schedule_lr(&root, 0), 2, 1e-15);
    ck_assert_double_eq_tol(lb_schedule_lr(&root, 3), 1, 1e-15);
    /* Even invalid sizes give a finite number. */
    lb_schedule odd[] = {{.kind = LB_SCHEDULE_STEP, .lr = 2},
                         {.kind = LB_SCHEDULE_COSINE, .lr = 2},
                         {LB_SCHEDULE_COSINE, 2, .warm_up = 9, .period = 4}};
    for (int i = 0; SUPPORT_ROW(i, odd); i++)
        for (int s = 0; s < 30; s++) ck_assert(isfinite(lb_schedule_lr(&odd[i], s)));
}
END_TEST

START_TEST(test_schedule_kind_that_there_is_not_has_no_rate)
{
    for (int kind = -1; kind <= LB_SCHEDULE_INVERSE_SQRT + 1; kind++) {
        lb_schedule schedule = {.kind = (lb_schedule_kind)kind, .lr = 1, .warm_up = 2, .period = 9};
        bool known = kind >= 0 && kind <= LB_SCHEDULE_INVERSE_SQRT;
        for (int step = 0; step < 4; step++) ck_assert(isfinite(lb_schedule_lr(&schedule, step)) == known);
    }
}
END_TEST

START_TEST(test_schedule_warm_up_climbs_in_a_straight_line)
{
    static const lb_schedule_kind kinds[] = {LB_SCHEDULE_CONSTANT, LB_SCHEDULE_STEP, LB_SCHEDULE_COSINE,
                                             LB_SCHEDULE_INVERSE_SQRT};
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        lb_schedule s = {kinds[k], 4, .warm_up = 8, .period = 100, .gamma = 0.5};
        for (int step = 0; step < 8; step++)
            ck_assert_double_eq_tol(lb_schedule_lr(&s, step), 0.5 * (step + 1), 1e-14);
        ck_assert_double_le(lb_schedule_lr(&s, 8), 4);
    }
}
END_TEST
