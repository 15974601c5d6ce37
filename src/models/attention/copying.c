#include "models/attention/copying.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"

#include <math.h>
#include <string.h>

lb_status lb_copying_init(lb_copying *copying, lb_params *params, const char *name, lb_model *base,
                          int64_t inputs)
{
    base->copies = true;
    base->step_reals += 2 * base->target_vocab;
    base->state_reals++;
    *copying = (lb_copying){.name = lb_params_scope(params, "", name)};
    lb_linear_init(&copying->gate, params, lb_params_scope(params, name, "gate"),
                   (lb_linear_config){.inputs = inputs, .outputs = 1});
    copying->symbols = lb_params_add(params, name, "symbols", LB_SHAPE(base->source_vocab),
                                     (lb_init){LB_INIT_CONSTANT, LB_PAD});
    lb_params_freeze(params, lb_params_scope(params, name, "symbols"));
    return lb_params_status(params);
}

/* A number of a file need not be an id. */
int32_t lb_copying_symbol(const lb_copying *copying, int32_t source)
{
    if (source < 0 || source >= lb_count(copying->symbols)) return LB_PAD;
    double symbol = (double)copying->symbols->data[source];
    return symbol > 0 && symbol < INT32_MAX ? (int32_t)lround(symbol) : LB_PAD;
}

lb_tokens lb_copying_read(const lb_copying *copying, lb_tokens source)
{
    int32_t *id, *lengths;
    if (!copying->symbols) return (lb_tokens){.tape = source.tape};
    lb_tokens symbols = lb_tokens_new(source.tape, source.batch, source.length, &id, &lengths);
    if (symbols.batch) memcpy(lengths, source.lengths, (size_t)source.batch * sizeof *lengths);
    for (int64_t i = 0; i < symbols.batch * symbols.length; i++)
        id[i] = lb_copying_symbol(copying, source.id[i]);
    return symbols;
}

static lb_tensor *open_gate(const lb_linear *gate, lb_tensor *const operand[LB_COPYING_OPERANDS])
{
    lb_tensor *sum = NULL;
    int64_t column = 0;
    for (int i = 0; i < LB_COPYING_OPERANDS; i++) {
        if (!operand[i]) continue;
        lb_tensor *part = lb_affine_columns(operand[i], gate->weight, column, sum ? NULL : gate->bias);
        sum = sum ? lb_add(sum, part) : part;
        if (!lb_is_sound(sum)) return sum;
        column += lb_dim(operand[i], -1);
    }
    return sum;
}

lb_tensor *lb_copying_mix(const lb_copying *copying, lb_tensor *logits, lb_tensor *weights,
                          lb_tensor *const gate[LB_COPYING_OPERANDS], lb_tokens symbols)
{
    const char *outer = lb_module_enter(logits, copying->name);
    lb_tensor *seen = lb_mean(weights, 1);
    lb_tensor *mixed = lb_copy_mixture(logits, seen, open_gate(&copying->gate, gate), symbols);
    lb_module_leave(logits, outer);
    return mixed;
}
