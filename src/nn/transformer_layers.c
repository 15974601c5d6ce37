/* The layers of a transformer, of an encoder or a decoder, and a stack of them. */
#include "autograd/tape.h"
#include "lookback/nn.h"
#include "nn/kv_cache.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <stdio.h>

/* The parts of a layer, without residual connection and norm. */
typedef enum lb_part { SELF, CROSS, FEED_FORWARD, PARTS } lb_part;

static bool has_part(const lb_transformer_layer *layer, lb_part which)
{
    if (which == CROSS) return layer->crosses;
    return which == SELF ? !layer->config.no_self_attention : !layer->config.no_feed_forward;
}

/* Norms are counted as in PyTorch, where no part is missing but the attention of an encoder to a source. */
static int norm_number(const lb_transformer_layer *layer, lb_part which)
{
    return which == FEED_FORWARD && !layer->crosses ? CROSS : (int)which;
}

lb_status lb_transformer_layer_init(lb_transformer_layer *layer, lb_params *params, const char *name,
                                    bool crosses, lb_transformer_layer_config config)
{
    static const char *const norms[] = {"norm1", "norm2", "norm3"};
    lb_params_need(params, name, "width", config.width);
    if (config.feed_forward == 0) config.feed_forward = 4 * config.width;
    *layer = (lb_transformer_layer){.config = config, .crosses = crosses};
    lb_multi_head_config attention = {.embed = config.width,
                                      .heads = config.heads,
                                      .kv_heads = config.kv_heads,
                                      .dropout = config.dropout,
                                      .normalizer = config.normalizer,
                                      .softcap = config.softcap};
    lb_multi_head_config self = attention;
    self.window = config.window;
    self.rotary = config.rotary;
    if (has_part(layer, SELF))
        lb_multi_head_init(&layer->self, params, lb_params_scope(params, name, "self_attn"), self);
    if (crosses)
        lb_multi_head_init(&layer->cross, params, lb_params_scope(params, name, "multihead_attn"), attention);
    if (has_part(layer, FEED_FORWARD)) {
        lb_linear_init(&layer->inner, params, lb_params_scope(params, name, "linear1"),
                       (lb_linear_config){.inputs = config.width, .outputs = config.feed_forward});
        lb_linear_init(&layer->outer, params, lb_params_scope(params, name, "linear2"),
                       (lb_linear_config){.inputs = config.feed_forward, .outputs = config.width});
    }
    for (lb_part which = SELF; which < PARTS; which++) {
        int norm = norm_number(layer, which);
        if (has_part(layer, which))
            lb_layer_norm_init(&layer->norm[norm], params, lb_params_scope(params, name, norms[norm]),
                               config.width, config.epsilon);
    }
    return lb_params_status(params);
}

/* The keys and values of a tensor that may have the queries before them. */
static lb_tensor *without_queries(lb_tensor *projected, int64_t columns)
{
    if (!lb_is_sound(projected) || lb_dim(projected, 2) == columns) return projected;
    return lb_slice(projected, 2, lb_dim(projected, 2) - columns, columns);
}

static lb_key_values append(const lb_multi_head_config *c, lb_key_values past, lb_tensor *more)
{
    int64_t columns = 2 * c->kv_heads * c->key_width;
    if (!past.keys) return (lb_key_values){more, NULL};
    lb_tensor *parts[] = {without_queries(past.keys, columns), without_queries(more, columns)};
    return (lb_key_values){lb_concat(parts, 2, 1), NULL};
}

/* Attends to what came before x, if anything did, and to x. */
static lb_attended_result attend_self(const lb_transformer_layer *layer, lb_tensor *x,
                                      const lb_transformer_context *context, int64_t index)
{
    if (context->step)
        return lb_multi_head_step(&layer->self, x, context->step, index, true, context->self_bias);
    const lb_tensor *before = context->past ? context->past[index].keys : NULL;
    int64_t first = before && lb_is_sound(before) ? lb_dim(before, 1) : 0;
    lb_tensor *projected = lb_multi_head_project_queries(&layer->self, x, first, true);
    lb_key_values seen = {projected, NULL};
    if (context->past)
        seen = context->past[index] = append(&layer->self.config, context->past[index], projected);
    return lb_multi_head_attend(&layer->self, projected, seen, context->self_mask, context->self_bias,
                                context->self_weights != NULL);
}

static lb_attended_result attend_source(const lb_transformer_layer *layer, lb_tensor *x,
                                        const lb_transformer_context *context, int64_t index)
{
    if (context->step) return lb_multi_head_step(&layer->cross, x, context->step, index, false, NULL);
    lb_key_values seen = context->memory_projected
                             ? context->memory_projected[index]
                             : lb_multi_head_project(&layer->cross, context->memory, context->memory);
    return lb_multi_head_ask(&layer->cross, x, seen, context->memory_mask, NULL,
                             context->cross_weights != NULL);
}

static const char *part_of(const lb_transformer_layer *layer)
{
    return layer->crosses ? "decoder" : "encoder";
}

static lb_tensor *apply_part(const lb_transformer_layer *layer, lb_part which, lb_tensor *x,
                             const lb_transformer_context *context, int64_t index)
{
    if (which == FEED_FORWARD) {
        lb_tensor *inner = lb_dropout(lb_linear_forward_relu(&layer->inner, x), layer->config.dropout);
        return lb_announce_at(lb_linear_forward(&layer->outer, inner), part_of(layer), index, "feed_forward");
    }
    lb_tape *tape = x ? x->tape : NULL;
    const char *self = layer->crosses ? "decoder.self" : "encoder.self";
    lb_model_place outer =
        lb_tape_enter_place(tape, (lb_model_place){.part = which == SELF ? self : "cross", .layer = index});
    lb_attended_result result = (which == SELF ? attend_self : attend_source)(layer, x, context, index);
    lb_tape_leave_place(tape, outer);
    lb_tensor **weights = which == SELF ? context->self_weights : context->cross_weights;
    if (weights) weights[index] = result.weights;
    return result.context;
}

/* What runs through the layers: x, and the result of a part that is not yet added to it, unless that is NULL. The norm
 * that follows adds it. */
typedef struct stream {
    lb_tensor *x, *branch;
} stream;

/* Adds the branch, where a watcher sees what comes to a layer, or comes out of the last one. */
static stream show_stream(const lb_transformer_layer *layer, stream s, int64_t index)
{
    if (!s.x || !lb_is_watched(s.x->tape)) return s;
    if (s.branch) s.x = lb_add(s.x, lb_dropout(s.branch, layer->config.dropout));
    return (stream){lb_announce_at(s.x, part_of(layer), index, "residual"), NULL};
}

static lb_tensor *norm_of(const lb_layer_norm *norm, lb_real dropout, stream *s)
{
    if (!s->branch) return lb_layer_norm_forward(norm, s->x);
    lb_tensor *normal = lb_layer_norm_forward_sum(norm, s->x, s->branch, dropout);
    *s = (stream){lb_op_output(normal, 1), NULL};
    return normal;
}

/* x + part(norm(x)), or norm(x + part(x)). */
static stream residual(const lb_transformer_layer *layer, lb_part which, stream s,
                       const lb_transformer_context *context, int64_t index)
{
    const lb_real dropout = layer->config.dropout;
    const lb_layer_norm *norm = &layer->norm[norm_number(layer, which)];
    if (layer->config.pre_norm) {
        lb_tensor *in = norm_of(norm, dropout, &s);
        s.branch = apply_part(layer, which, in, context, index);
        return s;
    }
    s.branch = apply_part(layer, which, s.x, context, index);
    return (stream){norm_of(norm, dropout, &s), NULL};
}

static stream run_layer(const lb_transformer_layer *layer, stream s, const lb_transformer_context *context,
                        int64_t index)
{
    s = show_stream(layer, s, index);
    for (lb_part which = SELF; which < PARTS; which++)
        if (has_part(layer, which)) s = residual(layer, which, s, context, index);
    return s;
}

lb_tensor *lb_transformer_layer_forward(const lb_transformer_layer *layer, lb_tensor *x,
                                        const lb_transformer_context *context, int64_t index)
{
    stream s = run_layer(layer, (stream){x, NULL}, context, index);
    return s.branch ? lb_add(s.x, lb_dropout(s.branch, layer->config.dropout)) : s.x;
}

lb_status lb_transformer_stack_init(lb_transformer_stack *stack, lb_params *params, const char *name,
                                    bool crosses, int64_t layers, lb_transformer_layer_config config)
{
    *stack = (lb_transformer_stack){.layers = 0}; /* after an error, all further parameters are poison */
    if (layers < 1)
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found %lld layers, expected at least 1", name,
                       (long long)layers);
    else
        stack->layer = lb_params_alloc(params, (size_t)layers * sizeof *stack->layer);
    if (stack->layer) stack->layers = layers;
    for (int i = 0; stack->layer && i < stack->layers; i++) {
        char layer[32];
        snprintf(layer, sizeof layer, "layers.%d", i);
        lb_transformer_layer_init(&stack->layer[i], params, lb_params_scope(params, name, layer), crosses,
                                  config);
    }
    return lb_layer_norm_init(&stack->norm, params, lb_params_scope(params, name, "norm"), config.width,
                              config.epsilon);
}

void lb_transformer_stack_project(const lb_transformer_stack *stack, lb_tensor *memory,
                                  lb_key_values *projected)
{
    lb_tape *tape = memory ? memory->tape : NULL;
    for (int i = 0; i < stack->layers; i++) {
        lb_model_place outer = lb_tape_enter_place(tape, (lb_model_place){.part = "cross", .layer = i});
        projected[i] = lb_multi_head_project(&stack->layer[i].cross, memory, memory);
        lb_tape_leave_place(tape, outer);
    }
}

lb_tensor *lb_transformer_stack_forward(const lb_transformer_stack *stack, lb_tensor *x,
                                        const lb_transformer_context *context)
{
    stream s = {x, NULL};
    for (int i = 0; i < stack->layers; i++) s = run_layer(&stack->layer[i], s, context, i);
    if (stack->layers) s = show_stream(stack->layer, s, stack->layers);
    return norm_of(&stack->norm, stack->layers ? stack->layer[0].config.dropout : 0, &s);
}
