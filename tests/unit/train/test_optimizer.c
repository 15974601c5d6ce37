/* Ten updates of each optimiser against PyTorch, and its errors. This test runs in both precisions. */
#include "support/alloc.h"
#include "support/fixture.h"
#include "support/suite.h"
#include "support/tempdir.h"
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

static lb_optimizer *make(const support_fixture *f, lb_params *params, lb_optimizer_kind kind,
                          lb_real clip_norm)
{
    lb_optimizer_config config = {.kind = kind,
                                  .lr = (lb_real)support_fixture_number(f, "lr"),
                                  .weight_decay = (lb_real)support_fixture_number(f, "weight_decay"),
                                  .clip_norm = clip_norm};
    if (kind == LB_OPTIMIZER_SGD) {
        config.momentum = (lb_real)support_fixture_number(f, "momentum");
    } else {
        config.beta1 = (lb_real)support_fixture_number(f, "beta1");
        config.beta2 = (lb_real)support_fixture_number(f, "beta2");
        config.epsilon = (lb_real)support_fixture_number(f, "eps");
    }
    return lb_optimizer_new(params, config);
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

static void check_trajectory(const char *variant, lb_optimizer_kind kind, lb_real clip_norm)
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
    lb_optimizer *o = make(f, params, kind, clip_norm);
    const double *norms = support_fixture_values(f, "output.grad_norm");
    for (int step = 0; step < 10; step++) {
        put_gradients(f, params, step);
        ck_assert_double_eq_tol(lb_params_grad_norm(params), norms[step], TOLERANCE * norms[step]);
        ck_assert_int_eq(lb_optimizer_step(o, NULL), LB_OK);
        ck_assert_double_eq_tol(lb_optimizer_about(o).grad_norm, norms[step], TOLERANCE * norms[step]);
        ck_assert_int_eq(lb_optimizer_about(o).steps, step + 1);
        compare_values(f, params, variant, step);
        for (int64_t i = 0; i < lb_params_size(params); i++) ck_assert(lb_params_grads(params)[i] == 0);
    }
    lb_optimizer_free(o);
    lb_params_free(params);
    support_fixture_close(f);
}

START_TEST(test_sgd_trajectories_equal_pytorch)
{
    static const char *const variants[] = {"sgd", "sgd_weight_decay", "sgd_momentum",
                                           "sgd_momentum_weight_decay"};
    for (int v = 0; v < 4; v++)
        for (int clip = 0; clip < 2; clip++) check_trajectory(variants[v], LB_OPTIMIZER_SGD, (lb_real)clip);
}
END_TEST

START_TEST(test_adam_trajectories_equal_pytorch)
{
    for (int clip = 0; clip < 2; clip++) {
        check_trajectory("adam", LB_OPTIMIZER_ADAM, (lb_real)clip);
        check_trajectory("adam_weight_decay", LB_OPTIMIZER_ADAM, (lb_real)clip);
        check_trajectory("adamw", LB_OPTIMIZER_ADAMW, (lb_real)clip);
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
    lb_optimizer *plain = lb_optimizer_new(one, (lb_optimizer_config){0});
    lb_optimizer *spelt = lb_optimizer_new(other, (lb_optimizer_config){.lr = (lb_real)1e-3,
                                                                        .beta1 = (lb_real)0.9,
                                                                        .beta2 = (lb_real)0.999,
                                                                        .epsilon = (lb_real)1e-8});
    ck_assert_int_eq(lb_optimizer_step(plain, NULL), LB_OK);
    ck_assert_int_eq(lb_optimizer_step(spelt, NULL), LB_OK);
    ck_assert_mem_eq(lb_params_values(one), lb_params_values(other), 9 * sizeof(lb_real));
    lb_optimizer_free(plain);
    lb_optimizer_free(spelt);
    lb_params_free(one);
    lb_params_free(other);
}
END_TEST

START_TEST(test_adam_first_step_is_lr_against_the_sign)
{
    lb_params *params = some_params(9);
    lb_real before[9];
    memcpy(before, lb_params_values(params), sizeof before);
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.lr = (lb_real)0.5});
    lb_optimizer_set_lr(adam, (lb_real)0.25);
    ck_assert_int_eq(lb_optimizer_step(adam, NULL), LB_OK);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol((double)(lb_params_values(params)[i] - before[i]), i % 5 < 2 ? 0.25 : -0.25,
                                1e-6);
    lb_optimizer_free(adam);
    lb_params_free(params);
}
END_TEST

static void take_steps(lb_optimizer *o, lb_params *params, int first, int count)
{
    for (int step = first; step < first + count; step++) {
        for (int64_t i = 0; i < lb_params_size(params); i++)
            lb_params_grads(params)[i] = (lb_real)((i + step) % 7 - 3);
        ck_assert_int_eq(lb_optimizer_step(o, NULL), LB_OK);
    }
}

START_TEST(test_saved_state_goes_on_with_the_same_bits)
{
    enum { COUNT = 20000 }; /* more than one chunk */
    lb_error error = {0};
    for (int kind = 0; kind < 3; kind++) {
        lb_optimizer_config config = {.kind = (lb_optimizer_kind)kind,
                                      .lr = (lb_real)0.01,
                                      .momentum = (lb_real)0.9,
                                      .weight_decay = (lb_real)0.1};
        lb_params *one = some_params(COUNT), *other = some_params(COUNT);
        lb_optimizer *whole = lb_optimizer_new(one, config), *resumed = lb_optimizer_new(other, config);
        take_steps(whole, one, 0, 3);
        ck_assert_int_eq(lb_optimizer_save(whole, support_path("state"), &error), LB_OK);
        take_steps(whole, one, 3, 2);
        ck_assert_msg(lb_optimizer_load(resumed, support_path("state"), &error) == LB_OK, "%s",
                      error.message);
        ck_assert_int_eq(lb_optimizer_about(resumed).steps, 3);
        take_steps(resumed, other, 3, 2);
        ck_assert_mem_eq(lb_params_values(one), lb_params_values(other),
                         (size_t)lb_params_size(one) * sizeof(lb_real));
        lb_optimizer_free(whole);
        lb_optimizer_free(resumed);
        lb_params_free(one);
        lb_params_free(other);
    }
}
END_TEST

static void expect_unloadable(lb_optimizer *o, const char *path, lb_status status, const char *message)
{
    char expected[2 * LB_MESSAGE_LENGTH];
    lb_error error = {0};
    int length = snprintf(expected, sizeof expected, "%s: %s", path, message);
    ck_assert_int_eq(lb_optimizer_load(o, path, &error), status);
    ck_assert_msg(strncmp(error.message, expected, (size_t)length) == 0, "%s", error.message);
}

START_TEST(test_state_that_does_not_fit_is_refused)
{
    lb_params *params = some_params(9), *others = some_params(100);
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){0}),
                 *sgd = lb_optimizer_new(params, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD}),
                 *larger = lb_optimizer_new(others, (lb_optimizer_config){0});
    const char *path = support_path("state");
    ck_assert_int_eq(lb_optimizer_save(adam, path, NULL), LB_OK);
    expect_unloadable(sgd, path, LB_ERROR_FORMAT, "found the state of adam, expected that of sgd");
    expect_unloadable(larger, path, LB_ERROR_FORMAT, "'adam.first' has shape [16], expected [");
    expect_unloadable(adam, support_path("none"), LB_ERROR_OPEN, "cannot read: No such file or directory");
    ck_assert_int_eq(lb_checkpoint_save(params, path, (lb_checkpoint_extra){0}, NULL), LB_OK);
    expect_unloadable(adam, path, LB_ERROR_FORMAT, "found the state of no optimiser, expected that of adam");
    ck_assert_int_eq(lb_optimizer_load(NULL, path, NULL), LB_ERROR_MEMORY);
    ck_assert_int_eq(lb_optimizer_save(NULL, path, NULL), LB_ERROR_MEMORY);
    lb_optimizer_free(adam);
    lb_optimizer_free(sgd);
    lb_optimizer_free(larger);
    lb_params_free(params);
    lb_params_free(others);
}
END_TEST

START_TEST(test_step_gradient_not_finite_is_divergence_and_changes_nothing)
{
    const lb_real bad[] = {(lb_real)NAN, (lb_real)INFINITY, -(lb_real)INFINITY};
    static const char *const written[] = {"nan", "inf", "-inf"};
    char expected[LB_MESSAGE_LENGTH];
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_params *params = some_params(9);
        lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.clip_norm = 1});
        lb_optimizer *sgd =
            lb_optimizer_new(params, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD, .clip_norm = 1});
        lb_real before[9];
        memcpy(before, lb_params_values(params), sizeof before);
        lb_params_grads(params)[4] = bad[i];
        lb_error error = {0};
        ck_assert_int_eq(lb_optimizer_step(adam, &error), LB_ERROR_DIVERGED);
        snprintf(expected, sizeof expected,
                 "lb_optimizer_step: step 1: the gradient of w is %s at [4] (training diverged): "
                 "lb_optimizer_config.tape tells the op where that began",
                 written[i]);
        ck_assert_str_eq(error.message, expected);
        lb_safetensors_tensor slab[LB_OPTIMIZER_SLABS];
        ck_assert_int_eq(lb_optimizer_state(adam, slab), 2);
        for (int j = 0; j < 9; j++)
            ck_assert(lb_params_grads(params)[j] == 0 && ((const lb_real *)slab[0].data)[j] == 0);
        ck_assert_int_eq(lb_optimizer_about(adam).steps, 0);
        lb_params_grads(params)[8] = bad[i];
        ck_assert_int_eq(lb_optimizer_step(sgd, NULL), LB_ERROR_DIVERGED);
        ck_assert_mem_eq(before, lb_params_values(params), sizeof before);
        lb_optimizer_free(adam);
        lb_optimizer_free(sgd);
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
        lb_optimizer *o = lb_optimizer_new(
            params,
            (lb_optimizer_config){.kind = (lb_optimizer_kind)variant, .weight_decay = 1, .momentum = 1});
        for (int step = 0; step < 3; step++) {
            ck_assert_int_eq(lb_optimizer_step(o, NULL), LB_OK);
        }
        for (int i = 0; i < 5; i++) {
            bool same = memcmp(before[i], lb_params_tensor(params, i)->data, sizeof before[i]) == 0;
            ck_assert_msg(same == (i != 2 && i != 3), "variant %d, parameter %d", variant, i);
        }
        lb_optimizer_free(o);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_step_after_a_parameter_was_added_is_refused)
{
    lb_params *params = some_params(9);
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){0});
    lb_optimizer *sgd = lb_optimizer_new(params, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD});
    lb_params_add(params, "", "late", LB_SHAPE(3), (lb_init){LB_INIT_CONSTANT, 5});
    lb_params_find(params, "late")->grad[0] = 1;
    lb_error error = {0}, other = {0};
    ck_assert_int_eq(lb_optimizer_step(adam, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "lb_optimizer_step: step 1: parameters were added after the optimiser was created");
    ck_assert(lb_params_find(params, "late")->grad[0] == 0);
    ck_assert_int_eq(lb_optimizer_step(sgd, &other), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(other.message,
                     "lb_optimizer_step: step 1: parameters were added after the optimiser was created");
    ck_assert(lb_params_find(params, "late")->data[0] == 5);
    lb_optimizer_free(adam);
    lb_optimizer_free(sgd);
    lb_params_free(params);
}
END_TEST

START_TEST(test_new_kind_that_there_is_not_takes_no_step_and_has_no_state)
{
    static const int kinds[] = {LB_OPTIMIZER_SGD + 1, 1000, -1};
    char message[80];
    for (size_t i = 0; SUPPORT_ROW(i, kinds); i++) {
        lb_params *params = some_params(9);
        lb_real before = lb_params_values(params)[0];
        lb_optimizer *none =
            lb_optimizer_new(params, (lb_optimizer_config){.kind = (lb_optimizer_kind)kinds[i]});
        lb_error errors[3] = {{0}};
        ck_assert_ptr_nonnull(none);
        ck_assert_int_eq(lb_optimizer_step(none, &errors[0]), LB_ERROR_ARGUMENT);
        ck_assert_int_eq(lb_optimizer_save(none, support_path("state.safetensors"), &errors[1]),
                         LB_ERROR_ARGUMENT);
        ck_assert_int_eq(lb_optimizer_load(none, support_path("state.safetensors"), &errors[2]),
                         LB_ERROR_ARGUMENT);
        snprintf(message, sizeof message, "lb_optimizer_new: kind is %d, expected 0 to 2", kinds[i]);
        for (int k = 0; SUPPORT_ROW(k, errors); k++) ck_assert_str_eq(errors[k].message, message);
        ck_assert(lb_params_values(params)[0] == before && lb_optimizer_about(none).steps == 0);
        lb_optimizer_free(none);
        lb_params_free(params);
    }
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_new_failing_allocation_is_null_and_leaks_nothing)
{
    support_watch_allocations();
    lb_params *params = some_params(9);
    long live = support_live_allocations();
    for (long n = 1; n <= 3; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_optimizer_new(params, (lb_optimizer_config){0}));
        ck_assert_int_eq(support_live_allocations(), live);
    }
    for (long n = 1; n <= 2; n++) {
        support_fail_allocation(n);
        ck_assert_ptr_null(lb_optimizer_new(params, (lb_optimizer_config){.kind = LB_OPTIMIZER_SGD}));
        ck_assert_int_eq(support_live_allocations(), live);
    }
    support_fail_allocation(0);
    lb_optimizer_free(NULL);
    lb_optimizer_free(NULL);
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
