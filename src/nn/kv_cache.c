#include "nn/kv_cache.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "nn/layers.h"
#include "tensor/row_attention.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- The cache. ---- */

/* A cache of these sizes, whose list is not yet filled in; NULL without memory. */
static lb_kv_cache *new_list(lb_tape *tape, lb_kv_cache sizes)
{
    lb_kv_cache *cache = lb_tape_alloc(tape, sizeof *cache);
    sizes.entry =
        lb_tape_alloc(tape, (size_t)(sizes.layers * sizes.batch * sizes.length) * sizeof *sizes.entry);
    if (!cache || !sizes.entry) return NULL;
    *cache = sizes;
    return cache;
}

/* The list of one row in one layer. */
static lb_real **row_of(const lb_kv_cache *cache, int64_t layer, int64_t row)
{
    assert(layer >= 0 && row >= 0 && layer * cache->batch + row < cache->layers * cache->batch);
    return cache->entry + (layer * cache->batch + row) * cache->length;
}

static size_t bytes_of_entry(const lb_kv_cache *cache)
{
    return (size_t)(2 * cache->width) * sizeof(lb_real);
}

lb_kv_cache *lb_kv_cache_extend(lb_tape *tape, const lb_kv_cache *before, int64_t count)
{
    const int64_t rows = before->layers * before->batch, length = before->length;
    lb_kv_cache sizes = *before;
    sizes.length += count;
    lb_kv_cache *cache = new_list(tape, sizes);
    lb_real *numbers = lb_tape_alloc_lasting(tape, (size_t)(rows * count) * bytes_of_entry(before));
    if (!cache || !numbers) return NULL;
    for (int64_t row = 0; row < rows; row++) {
        lb_real **to = row_of(cache, 0, row);
        if (length > 0) memcpy(to, row_of(before, 0, row), (size_t)length * sizeof *to);
        for (int64_t i = 0; i < count; i++) to[length + i] = numbers + (row * count + i) * 2 * cache->width;
    }
    return cache;
}

lb_kv_cache *lb_kv_cache_of(lb_tape *tape, const lb_key_values *source, int64_t layers)
{
    if (!source || !lb_is_sound(source->keys)) return NULL;
    lb_shape shape = source->keys->shape;
    lb_kv_cache *cache = new_list(tape, (lb_kv_cache){.batch = shape.dim[0],
                                                      .length = shape.dim[1],
                                                      .layers = layers,
                                                      .width = shape.dim[2] / 2});
    const int64_t tokens = shape.dim[0] * shape.dim[1];
    for (int64_t i = 0; cache && i < layers * tokens; i++) {
        if (!lb_is_sound(source[i / tokens].keys)) return NULL;
        cache->entry[i] = source[i / tokens].keys->data + i % tokens * shape.dim[2];
    }
    return cache;
}

lb_kv_cache *lb_kv_cache_select(lb_tape *tape, const lb_kv_cache *from, const int64_t *row, int64_t count)
{
    if (!from) return NULL;
    lb_kv_cache sizes = *from;
    sizes.batch = count;
    lb_kv_cache *cache = new_list(tape, sizes);
    for (int64_t i = 0; cache && i < cache->layers * count; i++) {
        assert(row[i % count] >= 0 && row[i % count] < from->batch);
        memcpy(row_of(cache, 0, i), row_of(from, i / count, row[i % count]),
               (size_t)from->length * sizeof *cache->entry);
    }
    return cache;
}

void lb_kv_cache_write(lb_kv_cache *cache, int64_t layer, const lb_tensor *projected)
{
    const int64_t count = lb_dim(projected, 1), stride = lb_dim(projected, 2);
    assert(lb_dim(projected, 0) == cache->batch && count <= cache->length && stride >= 2 * cache->width);
    const lb_real *from = projected->data + stride - 2 * cache->width;
    for (int64_t i = 0; i < cache->batch * count; i++)
        memcpy(row_of(cache, layer, i / count)[cache->length - count + i % count], from + i * stride,
               bytes_of_entry(cache));
}

lb_key_values *lb_kv_cache_read(lb_tape *tape, const lb_kv_cache *cache)
{
    lb_key_values *made = cache ? lb_tape_alloc_zero(tape, cache->layers, sizeof *made) : NULL;
    for (int64_t layer = 0; made && layer < cache->layers; layer++) {
        lb_tensor *keys = made[layer].keys =
            lb_tensor_uninitialised(tape, LB_SHAPE(cache->batch, cache->length, 2 * cache->width));
        for (int64_t i = 0; i < cache->batch * cache->length && lb_is_sound(keys); i++)
            memcpy(keys->data + i * 2 * cache->width, row_of(cache, layer, 0)[i], bytes_of_entry(cache));
    }
    return made;
}

/* ---- Attention. ---- */

/* Queries of a step and what they attend to. */
typedef struct asking {
    const lb_multi_head_config *config;
    const lb_kv_cache *to;
    int64_t layer, tokens; /* tokens: of the step */
    const lb_tensor *mask; /* of a source; NULL: a token sees those before it and itself */
    const lb_tensor *query, *bias;
    lb_tensor *context, *weights;
    lb_real *work; /* for each query */
} asking;

/* The keys that token `t` of a row sees; `first` is the first of them. */
static int64_t count_keys(const asking *a, int64_t row, int64_t t, int64_t *first)
{
    const int64_t keys = a->to->length, here = keys - a->tokens + t;
    const lb_window *window = &a->config->window;
    int64_t count = 0;
    *first = 0;
    if (!a->mask) {
        if (window->on && window->left >= 0 && here > window->left) *first = here - window->left;
        return here + 1 - *first;
    }
    while (count < keys && a->mask->data[row * keys + count] != 0) count++;
    return count;
}

static void ask_one(const asking *a, int64_t i)
{
    const lb_multi_head_config *c = a->config;
    const int64_t row = i / a->tokens, t = i % a->tokens, keys = a->to->length;
    int64_t first;
    lb_attended_row to = {.count = count_keys(a, row, t, &first),
                          .heads = c->heads,
                          .kv_heads = c->kv_heads,
                          .width = c->key_width,
                          .depth = c->value_width,
                          .values_at = a->to->width,
                          .scale = 1 / (lb_real)sqrt((double)c->key_width),
                          .softcap = c->softcap,
                          .normalizer = c->normalizer};
    to.entry = (const lb_real *const *)row_of(a->to, a->layer, row) + first;
    if (a->bias) {
        to.bias = a->bias->data + t * keys + first;
        to.bias_stride = a->tokens * keys;
    }
    const int64_t room = lb_attend_row_room(to.count);
    lb_real *work = a->work + i * c->heads * lb_attend_row_room(keys);
    lb_attend_row(&to, a->query->data + i * lb_dim(a->query, 2), work,
                  a->context->data + i * lb_dim(a->context, 2));
    for (int64_t h = 0; h < c->heads; h++)
        memcpy(a->weights->data + ((row * c->heads + h) * a->tokens + t) * keys + first, work + h * room,
               (size_t)to.count * sizeof *work);
}

static lb_attended_result ask(const lb_multi_head *attention, asking a)
{
    enum { ALONE = 1 << 14 /* numbers of keys that one thread is quicker with */ };
    lb_tape *tape = a.query->tape;
    const lb_multi_head_config *c = a.config = &attention->config;
    const int64_t batch = lb_dim(a.query, 0), count = batch * (a.tokens = lb_dim(a.query, 1)),
                  keys = a.to->length;
    a.context = lb_tensor_uninitialised(tape, LB_SHAPE(batch, a.tokens, c->heads * c->value_width));
    a.weights = lb_tensor_new(tape, LB_SHAPE(batch, c->heads, a.tokens, keys), NULL);
    a.work = lb_tape_alloc(tape, (size_t)(count * c->heads * lb_attend_row_room(keys)) * sizeof *a.work);
    if (lb_tape_status(tape)) return (lb_attended_result){a.context, a.weights};
#pragma omp parallel for schedule(static) if (count > 1 && count * keys * c->embed > ALONE)
    for (int64_t i = 0; i < count; i++) ask_one(&a, i);
    return (lb_attended_result){lb_linear_forward(&attention->output, a.context), a.weights};
}

/* One product gives the queries and, of the tokens themselves, keys and values beside them. */
lb_attended_result lb_multi_head_step(const lb_multi_head *attention, lb_tensor *x,
                                      const lb_decoder_step *step, int64_t layer, bool to_self,
                                      const lb_tensor *bias)
{
    const char *outer = lb_module_enter(x, attention->name);
    const int64_t first = to_self && lb_is_sound(x) ? step->cache->length - lb_dim(x, 1) : 0;
    lb_tensor *query = lb_multi_head_project_queries(attention, x, first, to_self);
    lb_attended_result result = {query, query};
    if (lb_is_sound(query)) {
        if (to_self) lb_kv_cache_write(step->cache, layer, query);
        result = ask(attention, (asking){.to = to_self ? step->cache : step->source,
                                         .mask = to_self ? NULL : step->mask,
                                         .layer = layer,
                                         .query = query,
                                         .bias = bias});
    }
    lb_module_leave(x, outer);
    return result;
}
