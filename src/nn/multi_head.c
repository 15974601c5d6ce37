/* Attention of several heads: its projections, packed or by name, its heads, and the block of residual and norm. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/nn.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>

enum { QUERY, KEY, VALUE, OUTPUT };

/* Queries, keys or values lie side by side: rows of the packed matrix, and columns of what it projects. */
static int64_t heads_of(const lb_multi_head_config *c, int which)
{
    return which == QUERY ? c->heads : c->kv_heads;
}

static int64_t width_of(const lb_multi_head_config *c, int which)
{
    return which == VALUE ? c->value_width : c->key_width;
}

static int64_t columns_of(const lb_multi_head_config *c, int which)
{
    return heads_of(c, which) * width_of(c, which);
}

static void init_packed(lb_multi_head *attention, lb_params *params, const char *name, int64_t embed)
{
    const lb_multi_head_config *c = &attention->config;
    int64_t rows = columns_of(c, QUERY) + columns_of(c, KEY) + columns_of(c, VALUE);
    /* Glorot's bound for the packed matrix as a whole, as in PyTorch. */
    lb_init xavier = {LB_INIT_UNIFORM, sqrt(6.0 / (double)(rows + embed))}, zero = {LB_INIT_CONSTANT, 0};
    attention->packed_weight = lb_params_add(params, name, "in_proj_weight", LB_SHAPE(rows, embed), xavier);
    if (!c->no_bias)
        attention->packed_bias = lb_params_add(params, name, "in_proj_bias", LB_SHAPE(rows), zero);
}

static void init_named(lb_multi_head *attention, lb_params *params, const char *name)
{
    const lb_multi_head_config *c = &attention->config;
    lb_linear *projections[] = {&attention->query, &attention->key, &attention->value};
    for (int i = QUERY; i <= VALUE; i++) {
        lb_linear_config linear = {.inputs = i == QUERY ? c->embed : c->key_embed,
                                   .outputs = columns_of(c, i),
                                   .no_bias = c->no_bias};
        lb_linear_init(projections[i], params, lb_params_scope(params, name, c->names[i]), linear);
    }
}

static void check_config(lb_multi_head_config *c, lb_params *params, const char *name)
{
    lb_params_need(params, name, "embed", c->embed);
    c->normalizer = lb_params_choose_normalizer(params, name, "normalizer", c->normalizer);
    if (c->heads == 0) c->heads = 1;
    if (c->kv_heads == 0) c->kv_heads = c->heads;
    if (c->key_embed == 0) c->key_embed = c->embed;
    if (c->heads > 0 && (c->kv_heads < 1 || c->heads % c->kv_heads)) {
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: %lld heads of queries cannot share %lld heads of keys evenly", name,
                       (long long)c->heads, (long long)c->kv_heads);
        return;
    }
    bool whole = c->embed > 0 && c->heads > 0 && c->embed % c->heads == 0;
    bool widths = c->key_width > 0 && c->value_width > 0;
    if (c->heads < 0 || (!whole && !widths)) {
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: cannot divide a width of %lld into %lld heads", name,
                       (long long)c->embed, (long long)c->heads);
        return;
    }
    if (c->key_width == 0) c->key_width = c->embed / c->heads;
    if (c->value_width == 0) c->value_width = c->embed / c->heads;
    bool packable = c->key_embed == c->embed && c->key_width * c->heads == c->embed &&
                    c->value_width * c->heads == c->embed;
    if (!c->names && !packable)
        lb_params_fail(
            params, LB_ERROR_ARGUMENT,
            "%s: keys of width %lld and heads of widths %lld and %lld need one name per projection", name,
            (long long)c->key_embed, (long long)c->key_width, (long long)c->value_width);
}

lb_status lb_multi_head_init(lb_multi_head *attention, lb_params *params, const char *name,
                             lb_multi_head_config config)
{
    *attention = (lb_multi_head){.name = lb_params_scope(params, "", name)};
    check_config(&config, params, name); /* after an error, all further parameters are poison */
    attention->config = config;
    if (config.names)
        init_named(attention, params, name);
    else
        init_packed(attention, params, name, config.embed);
    lb_linear_config output = {.inputs = config.heads * config.value_width, .outputs = config.embed};
    output.no_bias = config.no_bias;
    const char *output_name = config.names ? config.names[OUTPUT] : "out_proj";
    lb_linear_init(&attention->output, params, lb_params_scope(params, name, output_name), output);
    if (!config.names && lb_is_sound(attention->output.bias))
        for (int64_t i = 0; i < config.embed; i++) attention->output.bias->data[i] = 0;
    return lb_params_status(params);
}

/* Projects `which` to `last`, side by side, by one product if they are packed. Queries and keys are turned by their
 * positions, from `first` on. */
static lb_tensor *project(const lb_multi_head *attention, int which, int last, lb_tensor *x, int64_t first)
{
    static const char *const names[] = {"query", "keys", "values"};
    const lb_linear *named[] = {&attention->query, &attention->key, &attention->value};
    const lb_multi_head_config *c = &attention->config;
    int64_t top = 0, columns = 0, heads = 0, turned = 0;
    for (int i = QUERY; i < which; i++) top += columns_of(c, i);
    for (int i = which; i <= last; i++) {
        columns += columns_of(c, i);
        heads += heads_of(c, i);
        if (i != VALUE) turned = heads;
    }
    x = attention->packed_weight
            ? lb_affine_rows(x, attention->packed_weight, top, columns, attention->packed_bias)
            : lb_linear_forward(named[which], x);
    if (c->rotary && turned > 0)
        x = lb_rotary_first(x, turned, (lb_rotary_options){.heads = heads, .first = first});
    columns = 0;
    for (int i = which; i <= last; i++) {
        x = lb_announce_columns(x, names[i], columns, heads_of(c, i), width_of(c, i));
        columns += columns_of(c, i);
    }
    return x;
}

lb_tensor *lb_multi_head_project_queries(const lb_multi_head *attention, lb_tensor *x, int64_t first,
                                         bool to_self)
{
    assert(!to_self || !attention->config.names);
    const char *outer = lb_module_enter(x, attention->name);
    lb_tensor *projected = project(attention, QUERY, to_self ? VALUE : QUERY, x, first);
    lb_module_leave(x, outer);
    return projected;
}

lb_key_values lb_multi_head_project(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values)
{
    const char *outer = lb_module_enter(keys, attention->name);
    const bool packed = attention->packed_weight && keys == values;
    lb_key_values seen = {project(attention, KEY, packed ? VALUE : KEY, keys, 0), NULL};
    if (!packed) seen.values = project(attention, VALUE, VALUE, values, 0);
    lb_module_leave(keys, outer);
    return seen;
}

/* The position of the first query, because the last one is where the last key is. */
static int64_t first_position(lb_tensor *asked, lb_key_values seen)
{
    bool sound = lb_is_sound(asked) && asked->shape.ndim > 1 && lb_is_sound(seen.keys);
    return sound ? lb_dim(seen.keys, 1) - lb_dim(asked, 1) : 0;
}

lb_attended_result lb_multi_head_ask(const lb_multi_head *attention, lb_tensor *query, lb_key_values seen,
                                     lb_tensor *mask, lb_tensor *bias, bool weighs)
{
    lb_tensor *asked = lb_multi_head_project_queries(attention, query, first_position(query, seen), false);
    return lb_multi_head_attend(attention, asked, seen, mask, bias, weighs);
}

/* ---- Attention of a watched model, head by head in small ops. ---- */

/* Of a mask or a bias, which broadcasts to [batch, heads, Q, K], the part of one head, for [batch, Q, K]. */
static lb_tensor *of_head(lb_tensor *all, int64_t heads, int64_t head)
{
    if (!lb_is_sound(all) || all->shape.ndim < 3) return all;
    int axis = all->shape.ndim - 3;
    if (heads > 1 && lb_dim(all, axis) == heads) all = lb_slice(all, axis, head, 1);
    lb_shape shape = all->shape;
    return axis == 0 ? all : lb_reshape(all, LB_SHAPE(shape.dim[0], shape.dim[2], shape.dim[3]));
}

/* 1 for the keys that each query may see, [Q, K]. */
static lb_tensor *window_mask(const lb_tensor *scores, lb_window window, int64_t first)
{
    int64_t queries = lb_dim(scores, 1), keys = lb_dim(scores, 2);
    lb_tensor *mask = lb_tensor_new(scores->tape, LB_SHAPE(queries, keys), NULL);
    for (int64_t i = 0; lb_is_sound(mask) && i < queries * keys; i++) {
        int64_t away = i % keys - (first + i / keys);
        mask->data[i] =
            (window.left < 0 || -away <= window.left) && (window.right < 0 || away <= window.right);
    }
    return mask;
}

/* Keys or values of a head of queries. They lie in tensors of their own, or in the last columns of one. */
static lb_tensor *memory_of_head(const lb_multi_head_config *c, lb_key_values seen, int64_t head, bool values)
{
    int64_t width = values ? c->value_width : c->key_width, first = head / (c->heads / c->kv_heads) * width;
    lb_tensor *from = values && seen.values ? seen.values : seen.keys;
    if (!seen.values) first += lb_dim(from, 2) - c->kv_heads * (values ? width : width + c->value_width);
    return lb_slice(from, 2, first, width);
}

/* One head: its context and its weights [batch, Q, K]. */
static lb_attended_result attend_head(const lb_multi_head_config *c, int64_t head, lb_tensor *asked,
                                      lb_key_values seen, lb_tensor *mask, lb_tensor *bias, lb_real scale)
{
    lb_tensor *query = lb_slice(asked, 2, head * c->key_width, c->key_width);
    lb_tensor *scores = lb_matmul_transposed(query, false, memory_of_head(c, seen, head, false), true);
    scores = lb_scale(scores, scale);
    if (c->softcap > 0) scores = lb_scale(lb_tanh(lb_scale(scores, 1 / c->softcap)), c->softcap);
    if (bias) scores = lb_add(scores, of_head(bias, c->heads, head));
    if (mask) mask = of_head(mask, c->heads, head);
    if (c->window.on && lb_is_sound(scores)) {
        lb_tensor *window = window_mask(scores, c->window, first_position(asked, seen));
        if (mask)
            scores = lb_masked_fill(scores, window, -(lb_real)INFINITY);
        else
            mask = window;
    }
    lb_attended_result one = lb_attend_by_scores(scores, memory_of_head(c, seen, head, true), mask,
                                                 c->normalizer, c->dropout, head);
    one.context = lb_announce(one.context, "context", head);
    return one;
}

/* lb_attend_dot_with, and its weights. */
static lb_attended_result attend_watched(const lb_multi_head_config *c, lb_tensor *asked, lb_key_values seen,
                                         lb_tensor *mask, lb_tensor *bias, lb_real scale)
{
    lb_tensor **context = lb_tape_alloc_zero(asked->tape, 2 * c->heads, sizeof *context);
    if (!context || !lb_is_sound(seen.keys)) return (lb_attended_result){seen.keys, seen.keys};
    lb_tensor **weights = context + c->heads;
    for (int64_t head = 0; head < c->heads; head++) {
        lb_attended_result one = attend_head(c, head, asked, seen, mask, bias, scale);
        context[head] = one.context;
        weights[head] = one.weights;
        if (!lb_is_sound(one.weights)) return (lb_attended_result){one.weights, one.weights};
        lb_shape all = one.weights->shape;
        weights[head] = lb_reshape(one.weights, LB_SHAPE(all.dim[0], 1, all.dim[1], all.dim[2]));
    }
    return (lb_attended_result){lb_concat(context, lb_narrow(c->heads), 2),
                                lb_concat(weights, lb_narrow(c->heads), 1)};
}

lb_attended_result lb_multi_head_attend(const lb_multi_head *attention, lb_tensor *asked, lb_key_values seen,
                                        lb_tensor *mask, lb_tensor *bias, bool weighs)
{
    const lb_multi_head_config *c = &attention->config;
    const char *outer = lb_module_enter(asked, attention->name);
    lb_dot_options options = {.heads = c->heads,
                              .kv_heads = c->kv_heads,
                              .scale = 1 / (lb_real)sqrt((double)c->key_width),
                              .dropout = c->dropout,
                              .normalizer = c->normalizer,
                              .softcap = c->softcap,
                              .window = c->window,
                              .context_only = !weighs};
    options.first = first_position(asked, seen);
    bool packed = attention->packed_weight && !seen.values;
    if (lb_is_watched(asked ? asked->tape : NULL)) {
        lb_attended_result all = attend_watched(c, asked, seen, mask, bias, options.scale);
        all.context = lb_linear_forward(&attention->output, all.context);
        lb_module_leave(asked, outer);
        return all;
    }
    lb_tensor *context = packed ? lb_attend_packed(asked, seen.keys == asked ? NULL : seen.keys, mask, bias,
                                                   c->key_width, options)
                                : lb_attend_dot_with(asked, seen.keys, seen.values, mask, bias, options);
    lb_tensor *weights = weighs ? lb_op_output(context, 1) : NULL;
    lb_tensor *output = lb_linear_forward(&attention->output, context);
    lb_module_leave(asked, outer);
    return (lb_attended_result){output, weights};
}

lb_attended_result lb_multi_head_forward(const lb_multi_head *attention, lb_tensor *query, lb_tensor *keys,
                                         lb_tensor *values, lb_tensor *mask, lb_tensor *bias)
{
    if (attention->packed_weight && query == keys && keys == values) {
        lb_tensor *projected = lb_multi_head_project_queries(attention, query, 0, true);
        return lb_multi_head_attend(attention, projected, (lb_key_values){projected, NULL}, mask, bias, true);
    }
    return lb_multi_head_ask(attention, query, lb_multi_head_project(attention, keys, values), mask, bias,
                             true);
}

lb_status lb_multi_head_block_init(lb_multi_head_block *block, lb_params *params, const char *name,
                                   lb_multi_head_config config, lb_real dropout, lb_real epsilon)
{
    block->dropout = dropout;
    lb_multi_head_init(&block->attention, params, name, config);
    return lb_layer_norm_init(&block->norm, params, lb_params_scope(params, name, "layer_norm"), config.embed,
                              epsilon);
}

lb_attended_result lb_multi_head_block_forward(const lb_multi_head_block *block, lb_tensor *query,
                                               lb_tensor *keys, lb_tensor *values, lb_tensor *mask)
{
    lb_attended_result result = lb_multi_head_forward(&block->attention, query, keys, values, mask, NULL);
    result.context = lb_layer_norm_forward_sum(&block->norm, query, result.context, block->dropout);
    return result;
}
