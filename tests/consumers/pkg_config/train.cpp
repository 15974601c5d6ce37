// Fits y = w x with an op of its own among the library's, in C++.
#include <lookback/lookback.h>
#include <lookback/op.h>

#include <cmath>
#include <cstdio>
#include <memory>

namespace
{

lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

lb_status square(lb_node *node)
{
    const lb_real *x = node->in[0]->data;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->out[0]->data[i] = x[i] * x[i];
    return LB_OK;
}

void square_backward(lb_node *node)
{
    const lb_real *x = node->in[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += 2 * x[i] * dy[i];
}

lb_op square_op()
{
    lb_op op = {};
    op.name = "square";
    op.operands = "x";
    op.formula = "y = x^2";
    op.derivative = "dx += 2 x dy";
    op.shape = same_shape;
    op.forward = square;
    op.backward = square_backward;
    return op;
}

template <typename T, void (*release)(T *)> struct deleter {
    void operator()(T *owned) const
    {
        release(owned);
    }
};
using tape_ptr = std::unique_ptr<lb_tape, deleter<lb_tape, lb_tape_free>>;
using params_ptr = std::unique_ptr<lb_params, deleter<lb_params, lb_params_free>>;
using sgd_ptr = std::unique_ptr<lb_optimizer, deleter<lb_optimizer, lb_optimizer_free>>;

} // namespace

int main()
{
    const lb_op op = square_op();
    tape_ptr tape(lb_tape_new());
    params_ptr params(lb_params_new(1));
    lb_init zero = {LB_INIT_CONSTANT, 0};
    lb_tensor *w = lb_params_add(params.get(), "", "w", LB_SHAPE(1), zero);
    lb_optimizer_config config = {};
    config.kind = LB_OPTIMIZER_SGD;
    config.lr = static_cast<lb_real>(0.05);
    sgd_ptr sgd(lb_optimizer_new(params.get(), config));

    const lb_real x[] = {1, 2, 3}, y[] = {2, 4, 6};
    for (int step = 0; step < 100; step++) {
        lb_tape_reset(tape.get());
        lb_tensor *product = lb_mul(lb_tensor_new(tape.get(), LB_SHAPE(3), x), w);
        lb_tensor *error = lb_sub(product, lb_tensor_new(tape.get(), LB_SHAPE(3), y));
        lb_tensor *loss = lb_mean_all(lb_op_apply(&op, LB_INPUTS(error), nullptr, 0));
        lb_error failure = {};
        if (lb_backward(loss, &failure) != LB_OK || lb_optimizer_step(sgd.get(), &failure) != LB_OK) {
            std::fprintf(stderr, "%s\n", failure.message);
            return 1;
        }
    }
    std::printf("lookback %s: w = %.6f\n", lb_version(), static_cast<double>(w->data[0]));
    return std::fabs(static_cast<double>(w->data[0]) - 2) < 1e-4 ? 0 : 1;
}
