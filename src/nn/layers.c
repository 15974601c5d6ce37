/* Layers of one op: linear, embedding and layer norm. */
#include "nn/layers.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "nn/params.h"

#include <math.h>

/* ---- Linear. ---- */

lb_status lb_linear_init(lb_linear *linear, lb_params *params, const char *name, lb_linear_config config)
{
    lb_init init = {LB_INIT_UNIFORM, 1 / sqrt((double)config.inputs)};
    lb_params_need(params, name, "inputs", config.inputs);
    lb_params_need(params, name, "outputs", config.outputs);
    *linear = (lb_linear){.name = lb_params_scope(params, "", name)};
    linear->weight = config.tied;
    if (!config.tied)
        linear->weight = lb_params_add(params, name, "weight", LB_SHAPE(config.outputs, config.inputs), init);
    if (!config.no_bias) linear->bias = lb_params_add(params, name, "bias", LB_SHAPE(config.outputs), init);
    return lb_params_status(params);
}

lb_tensor *lb_linear_forward(const lb_linear *linear, lb_tensor *x)
{
    const char *outer = lb_module_enter(x, linear->name);
    lb_tensor *y = lb_affine(x, linear->weight, linear->bias);
    lb_module_leave(x, outer);
    return y;
}

lb_tensor *lb_linear_forward_pair(const lb_linear *linear, lb_tensor *a, lb_tensor *b)
{
    const char *outer = lb_module_enter(a, linear->name);
    lb_tensor *y = lb_affine_pair(a, b, linear->weight, linear->bias);
    lb_module_leave(a, outer);
    return y;
}

lb_tensor *lb_linear_forward_relu(const lb_linear *linear, lb_tensor *x)
{
    const char *outer = lb_module_enter(x, linear->name);
    lb_tensor *y = lb_affine_relu(x, linear->weight, linear->bias);
    lb_module_leave(x, outer);
    return y;
}

/* ---- Embedding: one vector per token. ---- */

lb_status lb_embedding_init(lb_embedding *embedding, lb_params *params, const char *name, int64_t vocabulary,
                            int64_t width, double deviation)
{
    lb_init init = {LB_INIT_NORMAL, deviation == 0 ? 1 : deviation};
    lb_params_need(params, name, "vocabulary", vocabulary);
    lb_params_need(params, name, "width", width);
    *embedding = (lb_embedding){.name = lb_params_scope(params, "", name)};
    embedding->weight = lb_params_add(params, name, "weight", LB_SHAPE(vocabulary, width), init);
    return lb_params_status(params);
}

lb_tensor *lb_embedding_forward(const lb_embedding *embedding, lb_tokens tokens)
{
    const char *outer = lb_tape_enter(tokens.tape, embedding->name);
    lb_tensor *rows = lb_embedding_lookup(tokens, embedding->weight);
    lb_tape_leave(tokens.tape, outer);
    return rows;
}

lb_tensor *lb_embedding_table(const lb_embedding *embedding, lb_tape *tape, int64_t lookups,
                              lb_tensor *weight_ih, lb_tensor *bias_ih)
{
    if (!lb_is_sound(embedding->weight) || lookups <= lb_dim(embedding->weight, 0)) return NULL;
    const char *outer = lb_tape_enter(tape, embedding->name);
    lb_tensor *table = lb_affine_columns(lb_on_tape(tape, embedding->weight), weight_ih, 0, bias_ih);
    lb_tape_leave(tape, outer);
    return table;
}

lb_gates lb_embedding_gates(const lb_embedding *embedding, const lb_tokens *tokens, lb_tensor *table,
                            lb_tensor *weight_ih, lb_tensor *bias_ih)
{
    if (table) return (lb_gates){table, tokens};
    lb_tensor *x = lb_embedding_forward(embedding, *tokens);
    return (lb_gates){.x = lb_affine_columns(x, weight_ih, 0, bias_ih)};
}

/* ---- Layer norm. ---- */

lb_status lb_layer_norm_init(lb_layer_norm *norm, lb_params *params, const char *name, int64_t width,
                             lb_real epsilon)
{
    lb_params_need(params, name, "width", width);
    *norm = (lb_layer_norm){.name = lb_params_scope(params, "", name)};
    norm->epsilon = epsilon == 0 ? (lb_real)1e-5 : epsilon;
    norm->weight = lb_params_add(params, name, "weight", LB_SHAPE(width), (lb_init){LB_INIT_CONSTANT, 1});
    norm->bias = lb_params_add(params, name, "bias", LB_SHAPE(width), (lb_init){LB_INIT_CONSTANT, 0});
    return lb_params_status(params);
}

lb_tensor *lb_layer_norm_forward(const lb_layer_norm *norm, lb_tensor *x)
{
    const char *outer = lb_module_enter(x, norm->name);
    lb_tensor *y = lb_standardize(x, norm->weight, norm->bias, norm->epsilon);
    lb_module_leave(x, outer);
    return y;
}

lb_tensor *lb_layer_norm_forward_sum(const lb_layer_norm *norm, lb_tensor *x, lb_tensor *branch, lb_real p)
{
    const char *outer = lb_module_enter(x, norm->name);
    lb_tensor *y = lb_add_standardize(x, branch, norm->weight, norm->bias, norm->epsilon, p);
    lb_module_leave(x, outer);
    return y;
}
