#include "models/attention/decoder_attention.h"
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/op.h"
#include "nn/layers.h"

#include <string.h>

const lb_built_in_attention *lb_built_in_attention_of(const lb_decoder_attention *attention)
{
    return (const lb_built_in_attention *)attention->type;
}

bool lb_attention_is(const lb_decoder_attention *attention, lb_attention_kind kind)
{
    return attention->type == &lb_built_in_attentions[kind]->type;
}

const lb_attention_type *lb_attention_type_find(const char *name, const lb_extensions *own, lb_error *error)
{
    for (int i = 0; lb_attention_names[i]; i++)
        if (strcmp(lb_attention_names[i], name) == 0) return &lb_built_in_attentions[i]->type;
    for (const lb_attention_type *const *at = own ? own->attentions : NULL; at && *at; at++)
        if ((*at)->name && strcmp((*at)->name, name) == 0) return *at;
    lb_error_set(error, LB_ERROR_FORMAT,
                 "unknown attention '%.80s' in the model: a custom attention must be in the attentions "
                 "of lb_extensions",
                 name);
    return NULL;
}

/* A lookup finds another type if the name is taken. */
lb_status lb_attention_type_check(const lb_attention_type *type, const lb_extensions *own, lb_error *error)
{
    const char *lacks = !type->name ? "name" : !type->init ? "init" : !type->ask ? "ask" : NULL;
    if (lacks)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "custom attention '%.80s' has no %s",
                            type->name ? type->name : "", lacks);
    if (lb_attention_type_find(type->name, own, NULL) != type)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "custom attention cannot be named '%.80s': the name is taken", type->name);
    if (strlen(type->name) >= LB_CONFIG_WORD_BYTES)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "the name of an attention is longer than %d bytes: %.80s",
                            LB_CONFIG_WORD_BYTES - 1, type->name);
    return LB_OK;
}

lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    const lb_attention_type *type, lb_decoder_attention_config config)
{
    *attention = (lb_decoder_attention){.type = type,
                                        .name = lb_params_scope(params, "", name),
                                        .config = config,
                                        .depth = config.key,
                                        .heads = 1};
    return type->init(attention, params);
}

/* Whether it announces all of its points itself: heads one by one, or those of hard attention, which has no ask. */
static bool announces(const lb_decoder_attention *attention)
{
    return lb_attention_is(attention, LB_ATTENTION_MULTI_HEAD) || !attention->type->ask;
}

/* The head of what it has only one of. */
static int64_t head_of(const lb_decoder_attention *attention)
{
    return attention->heads == 1 ? 0 : -1;
}

static lb_model_place enter_place(const lb_tensor *operand, int64_t step)
{
    return lb_tape_enter_place(operand ? operand->tape : NULL,
                               (lb_model_place){.part = "cross", .layer = 0, .step = step});
}

static void leave_place(const lb_tensor *operand, lb_model_place outer)
{
    if (operand) lb_tape_leave_place(operand->tape, outer);
}

lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask)
{
    lb_attended_memory memory = {.keys = outputs, .values = outputs, .mask = mask};
    const char *outer = lb_module_enter(outputs, attention->name);
    lb_model_place around = enter_place(outputs, 0);
    if (attention->type->prepare) attention->type->prepare(attention, &memory);
    if (memory.keys && !announces(attention)) {
        memory.keys = lb_announce(memory.keys, "keys", head_of(attention));
        memory.values = lb_announce(memory.values, "values", head_of(attention));
    }
    leave_place(outputs, around);
    lb_module_leave(outputs, outer);
    return memory;
}

lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory, int64_t step)
{
    const char *outer = lb_module_enter(query, attention->name);
    lb_model_place around = enter_place(query, step);
    lb_attended_result result = attention->type->ask(attention, query, memory);
    if (!announces(attention)) result.context = lb_announce(result.context, "context", head_of(attention));
    leave_place(query, around);
    lb_module_leave(query, outer);
    return result;
}

/* ---- A layer that attends before each step. ---- */

static lb_attending_result failed(lb_tensor *poison)
{
    return (lb_attending_result){poison, poison, poison, {poison, poison}};
}

lb_attending_result lb_stepwise_attend(const lb_attending_layer *layer, lb_tensor *gates,
                                       const int32_t *lengths, lb_tensor *state)
{
    const lb_recurrent_cell *cell = layer->cell;
    const lb_built_in_attention *kind = lb_built_in_attention_of(layer->attention);
    lb_attended_memory memory = *layer->memory;
    if (!lb_is_sound(gates) || !lb_is_sound(state) || !lb_is_sound(memory.values)) return failed(gates);
    lb_tape *tape = gates->tape;
    int64_t batch = lb_dim(gates, 0), steps = lb_dim(gates, 1), hidden = lb_dim(cell->weight_hh, 1);
    int64_t embed = lb_dim(cell->weight_ih, 1) - lb_dim(memory.values, 2);
    lb_tensor **outputs = lb_tape_alloc(tape, (size_t)steps * sizeof(lb_tensor *)),
              **contexts = lb_tape_alloc(tape, (size_t)steps * sizeof(lb_tensor *)),
              **weights = lb_tape_alloc(tape, (size_t)steps * sizeof(lb_tensor *));
    /* [steps, batch]: whether a row has the step; NULL: all are full */
    int32_t *there = lengths ? lb_tape_alloc(tape, (size_t)(steps * batch) * sizeof *there) : NULL;
    if (!outputs || !contexts || !weights || (lengths && !there))
        return failed(lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory while decoding"));
    for (int64_t t = 0; t < steps; t++) {
        int32_t *now = there ? there + t * batch : NULL;
        for (int64_t row = 0; now && row < batch; row++) now[row] = t < lengths[row];
        lb_tensor *query =
            lb_reshape(lb_slice(state, 1, 0, hidden), LB_SHAPE(lb_dim(memory.values, 0), 1, hidden));
        lb_attended_result seen = lb_decoder_attention_ask(layer->attention, query, &memory, t);
        if (kind->next) memory.past = kind->next(layer->attention, memory.past, seen.weights, now);
        contexts[t] = seen.context;
        weights[t] = seen.weights;
        lb_tensor *x =
            lb_add(lb_slice(gates, 1, t, 1), lb_affine_columns(seen.context, cell->weight_ih, embed, NULL));
        outputs[t] = lb_recurrent_sequence(cell, x, NULL, state, now, false);
        state = lb_op_output(outputs[t], 1);
    }
    return (lb_attending_result){
        .outputs = lb_concat(outputs, (int)steps, 1),
        .final = state,
        .past = memory.past,
        .seen = {lb_concat(contexts, (int)steps, 1), lb_concat(weights, (int)steps, 1)}};
}
