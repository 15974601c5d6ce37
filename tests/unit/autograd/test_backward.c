/* Backward that tells which gradients it will not change any more. */
#include "autograd/backward.h"
#include "lookback/lookback.h"
#include "support/suite.h"

#include <string.h>

enum { MOST_CALLS = 32 };

/* Parameters, and what their gradients were when backward told from where on they are final. */
typedef struct subject {
    lb_tape *tape;
    lb_params *params;
    lb_tensor *x; /* [1, 3] */
    int count;
    int64_t from[MOST_CALLS];
    lb_real grads[MOST_CALLS][128];
} subject;

static void hear(void *context, int64_t from)
{
    subject *s = context;
    ck_assert_int_lt(s->count, MOST_CALLS);
    memcpy(s->grads[s->count], lb_params_grads(s->params),
           (size_t)lb_params_size(s->params) * sizeof(lb_real));
    s->from[s->count++] = from;
}

static void begin(subject *s)
{
    *s = (subject){.tape = lb_tape_new(), .params = lb_params_new(1)};
    s->x = lb_tensor_new(s->tape, LB_SHAPE(1, 3), (const lb_real[]){1, 2, 3});
}

static lb_tensor *weight(const subject *s, const char *name)
{
    return lb_params_add(s->params, "", name, LB_SHAPE(3, 3), (lb_init){LB_INIT_NORMAL, 1});
}

static lb_tensor *times(const subject *s, lb_tensor *x, lb_tensor *weight)
{
    return lb_matmul(x, lb_on_tape(s->tape, weight));
}

static lb_status backward(subject *s, lb_tensor *y)
{
    lb_final_grads watch = {
        .grads = lb_params_grads(s->params), .count = lb_params_size(s->params), .final = hear, .context = s};
    return lb_backward_watched(y, &watch, NULL);
}

static void assert_final(const subject *s)
{
    const lb_real *grads = lb_params_grads(s->params);
    int64_t size = lb_params_size(s->params);
    for (int i = 0; i < s->count; i++) {
        ck_assert_int_le(s->from[i], i ? s->from[i - 1] : size);
        ck_assert_mem_eq(s->grads[i] + s->from[i], grads + s->from[i],
                         (size_t)(size - s->from[i]) * sizeof *grads);
    }
    ck_assert_int_eq(s->from[s->count - 1], 0);
}

static void end(subject *s)
{
    lb_tape_free(s->tape);
    lb_params_free(s->params);
}

START_TEST(test_last_layers_are_final_first)
{
    subject s;
    begin(&s);
    lb_tensor *first = weight(&s, "first"), *second = weight(&s, "second");
    lb_tensor *y = times(&s, lb_tanh(times(&s, s.x, first)), second);
    ck_assert_int_eq(backward(&s, lb_sum_all(y)), LB_OK);
    assert_final(&s);
    int64_t begin_of_second = second->grad - lb_params_grads(s.params);
    bool before_the_first = false;
    for (int i = 0; i < s.count; i++)
        before_the_first = before_the_first || (s.from[i] > 0 && s.from[i] <= begin_of_second);
    ck_assert_msg(before_the_first, "the second layer was not final before the first one");
    end(&s);
}
END_TEST

/* The second parameter comes last in the slab, but the first op uses it, too. */
START_TEST(test_a_parameter_of_several_ops_is_final_after_the_last_of_them)
{
    subject s;
    begin(&s);
    lb_tensor *first = weight(&s, "first"), *shared = weight(&s, "shared");
    lb_tensor *y = times(&s, times(&s, times(&s, s.x, shared), first), shared);
    ck_assert_int_eq(backward(&s, lb_sum_all(y)), LB_OK);
    assert_final(&s);
    for (int i = 0; i < s.count - 1; i++)
        ck_assert_int_gt(s.from[i], shared->grad - lb_params_grads(s.params));
    end(&s);
}
END_TEST

START_TEST(test_parameters_without_a_gradient_are_final_at_once)
{
    subject s;
    begin(&s);
    lb_tensor *used = weight(&s, "used"), *frozen = weight(&s, "frozen");
    weight(&s, "unused");
    frozen->requires_grad = false;
    lb_tensor *y = times(&s, times(&s, s.x, used), frozen);
    ck_assert_int_eq(backward(&s, lb_sum_all(y)), LB_OK);
    assert_final(&s);
    ck_assert_int_le(s.from[0], frozen->data - lb_params_values(s.params));
    end(&s);
}
END_TEST

START_TEST(test_nothing_is_final_after_an_error)
{
    subject s;
    begin(&s);
    lb_tensor *used = weight(&s, "used");
    ck_assert_int_eq(backward(&s, times(&s, s.x, used)), LB_ERROR_SHAPE);
    ck_assert_int_eq(s.count, 0);
    end(&s);
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
