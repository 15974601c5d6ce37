/* A regression: a perceptron learns sin(3x) from noisy points. */
#include <lookback/lookback.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 300, HIDDEN = 32 };

typedef struct net {
    lb_linear inner, outer;
} net;

static lb_tensor *apply(void *model, lb_example_input input)
{
    const net *n = model;
    return lb_linear_forward(&n->outer, lb_tanh(lb_linear_forward(&n->inner, input.numbers)));
}

int main(void)
{
    static lb_real x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        lb_rng rng = {.seed = 1, .step = (uint32_t)i};
        x[i] = (lb_real)(2 * lb_rng_uniform(rng, 0) - 1);
        y[i] = (lb_real)(sin(3 * (double)x[i]) + 0.1 * lb_rng_normal(rng, 1));
    }
    net n;
    lb_error error = {0};
    lb_evaluation found;
    lb_params *params = lb_params_new(1);
    lb_set_threads(1); /* in such a small model, threads would only wait for each other */
    lb_linear_init(&n.inner, params, "inner", (lb_linear_config){.inputs = 1, .outputs = HIDDEN});
    lb_linear_init(&n.outer, params, "outer", (lb_linear_config){.inputs = HIDDEN, .outputs = 1});
    lb_examples examples = {.count = POINTS, .numbers = x, .width = 1, .values = y, .outputs = 1};
    lb_fit_config config = {.model = &n, .apply = apply, .epochs = 200, .optimizer = {.lr = (lb_real)0.01}};
    if (!lb_fit(params, examples, config, &found, &error))
        printf("mean squared error %.3f, of which the noise is 0.010\n", found.loss);
    lb_tape *tape = lb_tape_new();
    const lb_real asked[] = {-1, (lb_real)-0.5, 0, (lb_real)0.5, 1};
    lb_tensor *out =
        apply(&n, (lb_example_input){.tape = tape, .numbers = lb_tensor_new(tape, LB_SHAPE(5, 1), asked)});
    for (int i = 0; i < 5 && lb_is_sound(out); i++)
        printf("x %5.2f: %6.3f, and sin(3x) is %6.3f\n", (double)asked[i], (double)out->data[i],
               sin(3 * (double)asked[i]));
    if (error.status) fprintf(stderr, "%s\n", error.message);
    lb_tape_free(tape);
    lb_params_free(params);
    return lb_status_exit(error.status);
}
