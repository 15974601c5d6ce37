/* Ten updates of each optimiser against PyTorch, and its errors. This test runs in both precisions. */
#include "support/alloc.h"
#include "support/fixture.h"
#include "support/suite.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-10;
#else
static const double TOLERANCE = 1e-5;
#endif

static const char *const names[] = {"weight", "bias", "scale"};

/* Either of the two optimisers. */
typedef struct optimizer {
    lb_adam *adam;
    lb_sgd *sgd;
} optimizer;

static optimizer make(const support_fixture *f, lb_params *params, bool is_adam, bool decoupled,
                      lb_real clip_norm)
{
    lb_real lr = (lb_real)support_fixture_number(f, "lr"),
            decay = (lb_real)support_fixture_number(f, "weight_decay");
    if (!is_adam) {
        lb_sgd_config config = {.lr = lr,
                                .momentum = (lb_real)support_fixture_number(f, "momentum"),
                                .weight_decay = decay,
                                .clip_norm = clip_norm};
        return (optimizer){.sgd = lb_sgd_new(params, config)};
    }
    lb_adam_config config = {.lr = lr, .weight_decay = decay, .decoupled = decoupled, .clip_norm = clip_norm};
    config.beta1 = (lb_real)support_fixture_number(f, "beta1");
    config.beta2 = (lb_real)support_fixture_number(f, "beta2");
    config.epsilon = (lb_real)support_fixture_number(f, "eps");
    return (optimizer){.adam = lb_adam_new(params, config)};
}

static void put_gradients(const support_fixture *f, lb_params *params, int step)
{
    for (int i = 0; i < 3; i++) {
        char name[64];
        lb_tensor *p = lb_params_find(params, names[i]);
        snprintf(name, sizeof name, "input.grad.%s", names[i]);
        const double *values = support_fixture_values(f, name) + step * lb_count(p);
        for (int64_t j = 0; j < lb_count(p); j++) p->grad[j] = (lb_real)values[j];
    }
}

static void compare_values(const support_fixture *f, const lb_params *params, const char *variant, int step)
{
    for (int i = 0; i < 3; i++) {
        char name[64];
        const lb_tensor *p = lb_params_find(params, names[i]);
        snprintf(name, sizeof name, "output.param.%s", names[i]);
        const double *values = support_fixture_values(f, name) + step * lb_count(p);
        for (int64_t j = 0; j < lb_count(p); j++)
            ck_assert_msg(fabs((double)p->data[j] - values[j]) <= TOLERANCE * (0.1 + fabs(values[j])),
                          "%s, update %d, %s %d is %.12g, not %.12g", variant, step, names[i], (int)j,
                          (double)p->data[j], values[j]);
    }
}

static void check_trajectory(const char *variant, bool is_adam, bool decoupled, lb_real clip_norm)
{
    char name[64];
    snprintf(name, sizeof name, "optimiser_%s%s", variant, clip_norm > 0 ? "_clipped" : "");
    support_fixture *f = support_fixture_open(name);
    lb_params *params = lb_params_new(1);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "param.%s", names[i]);
        lb_params_add(params, "", names[i], support_fixture_shape(f, name), (lb_init){LB_INIT_CONSTANT, 9});
    }
    support_fixture_fill(f, params);
    optimizer o = make(f, params, is_adam, decoupled, clip_norm);
    const double *norms = support_fixture_values(f, "output.grad_norm");
    for (int step = 0; step < 10; step++) {
        put_gradients(f, params, step);
        ck_assert_double_eq_tol(lb_params_grad_norm(params), norms[step], TOLERANCE * norms[step]);
        ck_assert_int_eq(o.adam ? lb_adam_step(o.adam, NULL) : lb_sgd_step(o.sgd, NULL), LB_OK);
        if (o.adam) ck_assert_double_eq_tol(lb_adam_grad_norm(o.adam), norms[step], TOLERANCE * norms[step]);
        compare_values(f, params, variant, step);
        for (int64_t i = 0; i < lb_params_size(params); i++) ck_assert(lb_params_grads(params)[i] == 0);
    }
    if (o.adam) ck_assert_int_eq(lb_adam_steps(o.adam), 10);
    lb_adam_free(o.adam);
    lb_sgd_free(o.sgd);
    lb_params_free(params);
    support_fixture_close(f);
}

START_TEST(test_sgd_trajectories_equal_pytorch)
{
    static const char *const variants[] = {"sgd", "sgd_weight_decay", "sgd_momentum",
                                           "sgd_momentum_weight_decay"};
    for (int v = 0; v < 4; v++)
        for (int clip = 0; clip < 2; clip++) check_trajectory(variants[v], false, false, (lb_real)clip);
}
END_TEST

START_TEST(test_adam_trajectories_equal_pytorch)
{
    for (int clip = 0; clip < 2; clip++) {
        check_trajectory("adam", true, false, (lb_real)clip);
        check_trajectory("adam_weight_decay", true, false, (lb_real)clip);
        check_trajectory("adamw", true, true, (lb_real)clip);
    }
}
END_TEST

static lb_params *some_params(int64_t count)
{
    lb_params *params = lb_params_new(2);
    lb_params_add(params, "", "w", LB_SHAPE(count), (lb_init){LB_INIT_NORMAL, 1});
    for (int64_t i = 0; i < count; i++) lb_params_grads(params)[i] = (lb_real)((double)(i % 5) - 1.5);
    return params;
}

START_TEST(test_adam_zero_means_pytorchs_defaults)
{
    lb_params *one = some_params(9), *other = some_params(9);
    lb_adam *plain = lb_adam_new(one, (lb_adam_config){0});
    lb_adam *spelt = lb_adam_new(other, (lb_adam_config){.lr = (lb_real)1e-3,
                                                         .beta1 = (lb_real)0.9,
                                                         .beta2 = (lb_real)0.999,
                                                         .epsilon = (lb_real)1e-8});
    ck_assert_int_eq(lb_adam_step(plain, NULL), LB_OK);
    ck_assert_int_eq(lb_adam_step(spelt, NULL), LB_OK);
    ck_assert_mem_eq(lb_params_values(one), lb_params_values(other), 9 * sizeof(lb_real));
    lb_adam_free(plain);
    lb_adam_free(spelt);
    lb_params_free(one);
    lb_params_free(other);
}
END_TEST

START_TEST(test_adam_first_step_is_lr_against_the_sign)
{
    lb_params *params = some_params(9);
    lb_real before[9];
    memcpy(before, lb_params_values(params), sizeof before);
    lb_adam *adam = lb_adam_new(params, (lb_adam_config){.lr = (lb_real)0.5});
    lb_adam_set_lr(adam, (lb_real)0.25);
    ck_assert_int_eq(lb_adam_step(adam, NULL), LB_OK);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol((double)(lb_params_values(params)[i] - before[i]), i % 5 < 2 ? 0.25 : -0.25,
                                1e-6);
    lb_adam_free(adam);
    lb_params_free(params);
}
END_TEST

START_TEST(test_adam_state_carried_over_goes_on_as_before)
{
    enum { COUNT = 20000 }; /* more than one chunk */
    lb_params *one = some_params(COUNT), *other = some_params(COUNT);
    lb_adam *first = lb_adam_new(one, (lb_adam_config){.lr = (lb_real)0.01}), *second;
    ck_assert_int_eq(lb_adam_step(first, NULL), LB_OK);
    size_t bytes = (size_t)lb_params_size(one) * sizeof(lb_real);
    memcpy(lb_params_values(other), lb_params_values(one), bytes);
    second = lb_adam_new(other, (lb_adam_config){.lr = (lb_real)0.01});
    memcpy(lb_adam_first_moments(second), lb_adam_first_moments(first), bytes);
    memcpy(lb_adam_second_moments(second), lb_adam_second_moments(first), bytes);
    lb_adam_set_steps(second, lb_adam_steps(first));
    for (int i = 0; i < COUNT; i++)
        lb_params_grads(one)[i] = lb_params_grads(other)[i] = (lb_real)(i % 7 - 3);
    ck_assert_int_eq(lb_adam_step(first, NULL), LB_OK);
    ck_assert_int_eq(lb_adam_step(second, NULL), LB_OK);
    ck_assert_mem_eq(lb_params_values(one), lb_params_values(other), bytes);
    ck_assert_int_eq(lb_adam_steps(second), 2);
    lb_adam_free(first);
    lb_adam_free(second);
    lb_params_free(one);
    lb_params_free(other);
}
END_TEST

START_TEST(test_step_gradient_not_finite_is_divergence_and_changes_nothing)
{
    const lb_real bad[] = {(lb_real)NAN, (lb_real)INFINITY, -(lb_real)INFINITY};
    for (int i = 0; i < 3; i++) {
        lb_params *params = some_params(9);
        lb_adam *adam = lb_adam_new(params, (lb_adam_config){.clip_norm = 1});
        lb_sgd *sgd = lb_sgd_new(params, (lb_sgd_config){.clip_norm = 1});
        lb_real before[9];
        memcpy(before, lb_params_values(params), sizeof before);
        lb_params_grads(params)[4] = bad[i];
        lb_error error = {0};
        ck_assert_int_eq(lb_adam_step(adam, &error), LB_ERROR_DIVERGED);
        ck_assert_str_eq(error.message,
                         "lb_adam_step: step 1: the norm of the gradient is not finite (training "
                         "diverged): a smaller learning rate may help");
        for (int j = 0; j < 9; j++)
            ck_assert(lb_params_grads(params)[j] == 0 && lb_adam_first_moments(adam)[j] == 0);
        ck_assert_int_eq(lb_adam_steps(adam), 0);
        lb_params_grads(params)[8] = bad[i];
        ck_assert_int_eq(lb_sgd_step(sgd, NULL), LB_ERROR_DIVERGED);
        ck_assert_mem_eq(before, lb_params_values(params), sizeof before);
        lb_adam_free(adam);
        lb_sgd_free(sgd);
        lb_params_free(params);
    }
}
END_TEST

/* Weight decay, momentum and moments would move a parameter even without a gradient. */
START_TEST(test_step_leaves_the_bits_of_frozen_parameters)
{
    static const char *const all[] = {"in.weight", "in.bias", "middle.weight", "out.weight", "out.bias"};
    for (int variant = 0; variant < 3; variant++) {
        lb_params *params = lb_params_new(1);
        lb_real before[5][30];
        for (int i = 0; i < 5; i++)
            lb_params_add(params, "", all[i], LB_SHAPE(30), (lb_init){LB_INIT_NORMAL, 1});
        for (int i = 0; i < 5; i++) memcpy(before[i], lb_params_tensor(params, i)->data, sizeof before[i]);
        ck_assert_int_eq(lb_params_freeze(params, "in"), 2);
        ck_assert_int_eq(lb_params_freeze(params, "out.bias"), 1);
        ck_assert_int_eq(lb_params_freeze(params, "i"), 0);
        lb_adam *adam = lb_adam_new(params, (lb_adam_config){.weight_decay = 1, .decoupled = variant == 1});
        lb_sgd *sgd = lb_sgd_new(params, (lb_sgd_config){.weight_decay = 1, .momentum = 1});
        for (int step = 0; step < 3; step++) {
            lb_status status = variant == 2 ? lb_sgd_step(sgd, NULL) : lb_adam_step(adam, NULL);
            ck_assert_int_eq(status, LB_OK);
        }
        for (int i = 0; i < 5; i++) {
            bool same = memcmp(before[i], lb_params_tensor(params, i)->data, sizeof before[i]) == 0;
            ck_assert_msg(same == (i != 2 && i != 3), "variant %d, parameter %d", variant, i);
        }
        lb_adam_free(adam);
        lb_sgd_free(sgd);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_step_after_a_parameter_was_added_is_refused)
{
    lb_params *params = some_params(9);
    lb_adam *adam = lb_adam_new(params, (lb_adam_config){0});
    lb_sgd *sgd = lb_sgd_new(params, (lb_sgd_config){0});
    lb_params_add(params, "", "late", LB_SHAPE(3), (lb_init){LB_INIT_CONSTANT, 5});
    lb_params_find(params, "late")->grad[0] = 1;
    lb_error error = {0}, other = {0};
    ck_assert_int_eq(lb_adam_step(adam, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "lb_adam_step: step 1: parameters were added after the optimiser was created");
    ck_assert(lb_params_find(params, "late")->grad[0] == 0);
    ck_assert_int_eq(lb_sgd_step(sgd, &other), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(other.message,
                     "lb_sgd_step: step 1: parameters were added after the optimiser was created");
    ck_assert(lb_params_find(params, "late")->data[0] == 5);
    lb_adam_free(adam);
    lb_sgd_free(sgd);
    lb_params_free(params);
}
END_TEST

START_TEST(test_new_failing_allocation_is_null_and_leaks_nothing)
{
    support_watch_allocations();
    lb_params *params = some_params(9);
    long live = support_live_allocations();
    for (long n = 1; n <= 3; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_adam_new(params, (lb_adam_config){0}));
        ck_assert_int_eq(support_live_allocations(), live);
    }
    for (long n = 1; n <= 2; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_sgd_new(params, (lb_sgd_config){0}));
        ck_assert_int_eq(support_live_allocations(), live);
    }
    support_fail_allocation(0);
    lb_adam_free(NULL);
    lb_sgd_free(NULL);
    lb_params_free(params);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

/* More than are added at once. */
START_TEST(test_grad_norm_of_millions_is_that_of_all_of_them)
{
    enum { MILLIONS = 3000000 };
    lb_params *params = lb_params_new(1);
    lb_tensor *weight =
        lb_params_add(params, "", "weight", LB_SHAPE(MILLIONS), (lb_init){LB_INIT_CONSTANT, 0});
    for (int64_t i = 0; i < MILLIONS; i++) weight->grad[i] = (lb_real)(i % 7);
    double sum = 0;
    for (int64_t i = 0; i < MILLIONS; i++) sum += (double)(i % 7) * (double)(i % 7);
    ck_assert_double_eq_tol(lb_params_grad_norm(params), sqrt(sum), 1e-6 * sqrt(sum));
    lb_params_free(params);
}
END_TEST

int main(void)
{
    return support_run_tests(
        "optimizer",
        SUPPORT_TESTS(test_sgd_trajectories_equal_pytorch, test_adam_trajectories_equal_pytorch,
                      test_adam_zero_means_pytorchs_defaults, test_adam_first_step_is_lr_against_the_sign,
                      test_adam_state_carried_over_goes_on_as_before,
                      test_step_gradient_not_finite_is_divergence_and_changes_nothing,
                      test_step_leaves_the_bits_of_frozen_parameters,
                      test_step_after_a_parameter_was_added_is_refused,
                      test_grad_norm_of_millions_is_that_of_all_of_them,
                      test_new_failing_allocation_is_null_and_leaks_nothing));
}
