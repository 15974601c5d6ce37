#include "lookback/nn.h"

#include "autograd/operands.h"
#include "lookback/op.h"
#include "lookback/ops.h"

#include <math.h>

lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config)
{
    *positional = (lb_positional){.name = lb_params_scope(params, "", name), .config = config};
    if (config.kind == LB_POSITIONAL_LEARNED)
        positional->weight = lb_params_add(params, name, "weight", LB_SHAPE(config.max_length, config.width),
                                           (lb_init){LB_INIT_NORMAL, 0.02});
    return lb_params_status(params);
}

static lb_tensor *sinusoids(lb_tape *tape, int64_t first, int64_t length, int64_t width)
{
    lb_tensor *table = lb_tensor_new(tape, LB_SHAPE(length, width), NULL);
    if (!lb_is_sound(table)) return table;
    for (int64_t i = 0; i < length * width; i++) {
        int64_t position = first + i / width, column = i % width, pair = column - column % 2;
        double angle = (double)position * pow(10000, -(double)pair / (double)width);
        table->data[i] = (lb_real)(column % 2 ? cos(angle) : sin(angle));
    }
    return table;
}

lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first)
{
    lb_tensor *poison = lb_check_operands("positional_forward", "x", &x, 1);
    if (poison) return poison;
    const lb_positional_config *c = &positional->config;
    const char *outer = lb_tape_enter(x->tape, positional->name);
    int64_t length = x->shape.ndim == 3 ? lb_dim(x, 1) : 0;
    char text[LB_SHAPE_TEXT];
    lb_tensor *sum;
    /* Checked here, because the sum would broadcast. */
    if (x->shape.ndim != 3 || lb_dim(x, 2) != c->width)
        sum = lb_tape_fail(x->tape, LB_ERROR_SHAPE, "expected x of shape [batch,length,%lld], found %s",
                           (long long)c->width, lb_shape_format(x->shape, text));
    else if (first < 0)
        sum = lb_tape_fail(x->tape, LB_ERROR_INDEX, "found position %lld, expected 0 or more",
                           (long long)first);
    else if (c->kind == LB_POSITIONAL_LEARNED && first + length > c->max_length)
        sum = lb_tape_fail(x->tape, LB_ERROR_INDEX,
                           "position %lld is out of range: there are %lld learned positions",
                           (long long)(first + length - 1), (long long)c->max_length);
    else if (c->kind == LB_POSITIONAL_LEARNED)
        sum = lb_add(x, lb_slice(lb_on_tape(x->tape, positional->weight), 0, first, length));
    else
        sum = lb_add(x, sinusoids(x->tape, first, length, c->width));
    lb_tape_leave(x->tape, outer);
    return sum;
}
