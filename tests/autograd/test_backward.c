/* Backward that tells which gradients it will not change any more. */
#include "autograd/backward.h"
#include "lookback/lookback.h"
#include "support/suite.h"

#include <string.h>

enum { MOST_CALLS = 32 };

/* What the slab had when backward told so. */
typedef struct heard {
    const lb_params *params;
    int count;
    int64_t from[MOST_CALLS];
    lb_real grads[MOST_CALLS][128];
} heard;

static void hear(void *context, int64_t from)
{
    heard *h = context;
    ck_assert_int_lt(h->count, MOST_CALLS);
    memcpy(h->grads[h->count], lb_params_grads(h->params),
           (size_t)lb_params_size(h->params) * sizeof(lb_real));
    h->from[h->count++] = from;
}

static lb_tensor *weight(lb_params *params, const char *name, int64_t rows, int64_t columns)
{
    return lb_params_add(params, "", name, LB_SHAPE(rows, columns), (lb_init){LB_INIT_NORMAL, 1});
}

static lb_final_grads watch_of(heard *h)
{
    return (lb_final_grads){
        .grads = lb_params_grads(h->params), .count = lb_params_size(h->params), .final = hear, .context = h};
}

static void assert_final(const heard *h)
{
    const lb_real *grads = lb_params_grads(h->params);
    int64_t size = lb_params_size(h->params);
    for (int i = 0; i < h->count; i++) {
        ck_assert_int_le(h->from[i], i ? h->from[i - 1] : size);
        ck_assert_mem_eq(h->grads[i] + h->from[i], grads + h->from[i],
                         (size_t)(size - h->from[i]) * sizeof *grads);
    }
    ck_assert_int_eq(h->from[h->count - 1], 0);
}

START_TEST(test_last_layers_are_final_first)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(1);
    lb_tensor *first = weight(params, "first", 3, 4), *second = weight(params, "second", 4, 2);
    heard h = {.params = params};
    lb_final_grads watch = watch_of(&h);
    lb_error error;
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 3), (const lb_real[]){1, 2, 3, 4, 5, 6});
    lb_tensor *y = lb_matmul(lb_tanh(lb_matmul(x, lb_on_tape(tape, first))), lb_on_tape(tape, second));
    ck_assert_int_eq(lb_backward_watched(lb_sum_all(y), &watch, &error), LB_OK);
    assert_final(&h);
    int64_t begin = second->grad - lb_params_grads(params);
    bool before_the_first = false;
    for (int i = 0; i < h.count; i++)
        before_the_first = before_the_first || (h.from[i] > 0 && h.from[i] <= begin);
    ck_assert_msg(before_the_first, "the second layer was not final before the first one");
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

/* The second parameter comes last in the slab, but the first op uses it, too. */
START_TEST(test_a_parameter_of_several_ops_is_final_after_the_last_of_them)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(1);
    lb_tensor *first = weight(params, "first", 3, 3), *shared = weight(params, "shared", 3, 3);
    heard h = {.params = params};
    lb_final_grads watch = watch_of(&h);
    lb_error error;
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 3), (const lb_real[]){1, 2, 3});
    lb_tensor *y = lb_matmul(lb_matmul(lb_matmul(x, lb_on_tape(tape, shared)), lb_on_tape(tape, first)),
                             lb_on_tape(tape, shared));
    ck_assert_int_eq(lb_backward_watched(lb_sum_all(y), &watch, &error), LB_OK);
    assert_final(&h);
    for (int i = 0; i < h.count - 1; i++) ck_assert_int_gt(h.from[i], shared->grad - lb_params_grads(params));
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_parameters_without_a_gradient_are_final_at_once)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(1);
    lb_tensor *used = weight(params, "used", 3, 3), *frozen = weight(params, "frozen", 3, 3);
    weight(params, "unused", 3, 3);
    frozen->requires_grad = false;
    heard h = {.params = params};
    lb_final_grads watch = watch_of(&h);
    lb_error error;
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 3), (const lb_real[]){1, 2, 3});
    lb_tensor *y = lb_matmul(lb_matmul(x, lb_on_tape(tape, used)), lb_on_tape(tape, frozen));
    ck_assert_int_eq(lb_backward_watched(lb_sum_all(y), &watch, &error), LB_OK);
    assert_final(&h);
    ck_assert_int_le(h.from[0], frozen->data - lb_params_values(params));
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_nothing_is_final_after_an_error)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(1);
    lb_tensor *used = weight(params, "used", 3, 3);
    heard h = {.params = params};
    lb_final_grads watch = watch_of(&h);
    lb_error error;
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 3), (const lb_real[]){1, 2, 3});
    lb_tensor *y = lb_matmul(x, lb_on_tape(tape, used));
    ck_assert_int_eq(lb_backward_watched(y, &watch, &error), LB_ERROR_SHAPE);
    ck_assert_int_eq(h.count, 0);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

int main(void)
{
    return support_run_tests("backward",
                             SUPPORT_TESTS(test_last_layers_are_final_first,
                                           test_a_parameter_of_several_ops_is_final_after_the_last_of_them,
                                           test_parameters_without_a_gradient_are_final_at_once,
                                           test_nothing_is_final_after_an_error));
}
