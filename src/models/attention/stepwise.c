#include "models/attention/stepwise.h"

#include "autograd/op.h"
#include "lookback/op.h"
#include "nn/layers.h"

/* What each step gives, and which rows have the step. */
typedef struct trace {
    lb_tensor **outputs, **contexts, **weights; /* [steps] */
    int32_t *there;                             /* [steps, batch] 1 or 0; NULL: all are full */
} trace;

static bool new_trace(lb_tape *tape, int64_t steps, int64_t batch, const int32_t *lengths, trace *made)
{
    made->outputs = lb_tape_alloc(tape, 3 * (size_t)steps * sizeof *made->outputs);
    made->contexts = made->outputs ? made->outputs + steps : NULL;
    made->weights = made->outputs ? made->contexts + steps : NULL;
    made->there = lengths ? lb_tape_alloc(tape, (size_t)(steps * batch) * sizeof *made->there) : NULL;
    for (int64_t i = 0; made->there && i < steps * batch; i++)
        made->there[i] = i / batch < lengths[i % batch];
    return made->outputs && (made->there || !lengths);
}

static lb_attending_result failed(lb_tensor *poison)
{
    return (lb_attending_result){poison, poison, poison, {poison, poison}};
}

/* Attends before step `t`, and updates what the next step knows of the weights. */
static void attend(const lb_attending_layer *layer, lb_tensor *state, const trace *all, int64_t t,
                   const int32_t *there, lb_attended_memory *memory)
{
    int64_t batch = lb_dim(memory->values, 0), hidden = lb_dim(layer->cell->weight_hh, 1);
    lb_tensor *query = lb_reshape(lb_slice(state, 1, 0, hidden), LB_SHAPE(batch, 1, hidden));
    lb_attended_result seen = layer->attention->type->ask(layer->attention, query, memory);
    all->contexts[t] = seen.context;
    all->weights[t] = seen.weights;
    const lb_built_in_attention *kind = lb_built_in_attention_of(layer->attention);
    if (kind->next) memory->past = kind->next(layer->attention, memory->past, seen.weights, there);
}

lb_attending_result lb_stepwise_attend(const lb_attending_layer *layer, lb_tensor *gates,
                                       const int32_t *lengths, lb_tensor *state)
{
    trace all = {0};
    lb_attended_memory memory = *layer->memory;
    if (!lb_is_sound(gates) || !lb_is_sound(state) || !lb_is_sound(memory.values)) return failed(gates);
    int64_t batch = lb_dim(gates, 0), steps = lb_dim(gates, 1);
    int64_t embed = lb_dim(layer->cell->weight_ih, 1) - lb_dim(memory.values, 2);
    if (!new_trace(gates->tape, steps, batch, lengths, &all))
        return failed(lb_tape_fail(gates->tape, LB_ERROR_MEMORY, "out of memory while decoding"));
    for (int64_t t = 0; t < steps; t++) {
        const int32_t *there = all.there ? all.there + t * batch : NULL;
        attend(layer, state, &all, t, there, &memory);
        lb_tensor *x = lb_add(lb_slice(gates, 1, t, 1),
                              lb_affine_columns(all.contexts[t], layer->cell->weight_ih, embed, NULL));
        all.outputs[t] = lb_recurrent_sequence(layer->cell, x, NULL, state, there, false);
        state = lb_op_output(all.outputs[t], 1);
    }
    return (lb_attending_result){
        .outputs = lb_concat(all.outputs, (int)steps, 1),
        .final = state,
        .past = memory.past,
        .seen = {lb_concat(all.contexts, (int)steps, 1), lb_concat(all.weights, (int)steps, 1)}};
}
