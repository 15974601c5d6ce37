#include "nn/kv_cache.h"

#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/layers.h"
#include "tensor/row_attention.h"

#include <math.h>
#include <string.h>

/* ---- The cache. ---- */

enum { ROOM = 16 /* tokens: what a row reads in a step is in a few pieces */ };

/* Room for the keys and values of ROOM tokens of each row: [batch, layers, 2, ROOM, width]. */
struct lb_kv_room {
    lb_real *numbers;
    int64_t batch, used; /* used: tokens that some cache has already */
};

static int64_t row_numbers(const lb_kv_cache *cache)
{
    return cache->layers * 2 * ROOM * cache->width;
}

/* Makes sure that the next token of the cache has a place that is not in any other cache. */
static bool find_room(lb_tape *tape, lb_kv_cache *cache)
{
    const lb_kv_room *room = cache->room;
    if (room && room->used == cache->used && room->used < ROOM && cache->batch <= room->batch) return true;
    lb_kv_room *made = lb_tape_alloc_lasting(tape, sizeof *made);
    lb_real *numbers =
        lb_tape_alloc_lasting(tape, (size_t)(cache->batch * row_numbers(cache)) * sizeof *numbers);
    if (!made || !numbers) return false;
    *made = (lb_kv_room){.numbers = numbers, .batch = cache->batch};
    cache->room = made;
    cache->used = 0;
    return true;
}

lb_kv_cache *lb_kv_cache_extend(lb_tape *tape, const lb_kv_cache *before, lb_kv_cache sizes, int64_t count)
{
    lb_kv_cache *cache = lb_tape_alloc(tape, sizeof *cache);
    if (!cache) return NULL;
    *cache = before ? *before : sizes;
    const int64_t length = cache->length;
    cache->length += count;
    cache->entry = lb_tape_alloc(tape, (size_t)(cache->batch * cache->length) * sizeof *cache->entry);
    for (int64_t row = 0; before && row < cache->batch && length > 0 && cache->entry; row++)
        memcpy(cache->entry + row * cache->length, before->entry + row * length,
               (size_t)length * sizeof *cache->entry);
    for (int64_t i = length; i < cache->length && cache->entry; i++) {
        if (!find_room(tape, cache)) return NULL;
        for (int64_t row = 0; row < cache->batch; row++)
            cache->entry[row * cache->length + i] =
                cache->room->numbers + row * row_numbers(cache) + cache->used * cache->width;
        cache->room->used = ++cache->used;
    }
    return cache->entry ? cache : NULL;
}

lb_kv_cache *lb_kv_cache_select(lb_tape *tape, const lb_kv_cache *from, const int64_t *row, int64_t count)
{
    if (!from) return NULL;
    lb_kv_cache *cache = lb_tape_alloc(tape, sizeof *cache);
    lb_real **entry = lb_tape_alloc(tape, (size_t)(count * from->length) * sizeof *entry);
    if (!cache || !entry) return NULL;
    *cache = *from;
    cache->batch = count;
    cache->entry = entry;
    for (int64_t i = 0; i < count; i++)
        memcpy(entry + i * from->length, from->entry + row[i] * from->length,
               (size_t)from->length * sizeof *entry);
    return cache;
}

/* Where keys or values of a layer are, from those of the first. */
static int64_t numbers_at(const lb_kv_cache *cache, int64_t layer, bool values)
{
    return (2 * layer + values) * ROOM * cache->width;
}

/* The numbers of one layer of token `i`, keys or values. */
static lb_real *numbers_of(const lb_kv_cache *cache, int64_t i, int64_t layer, bool values)
{
    return cache->entry[i] + numbers_at(cache, layer, values);
}

void lb_kv_cache_write(lb_kv_cache *cache, int64_t layer, const lb_tensor *projected)
{
    const int64_t count = lb_dim(projected, 1), stride = lb_dim(projected, 2), width = cache->width;
    const lb_real *values = projected->data + stride - width, *keys = values - width;
    const size_t bytes = (size_t)width * sizeof(lb_real);
    for (int64_t i = 0; i < cache->batch * count; i++) {
        int64_t to = i / count * cache->length + cache->length - count + i % count;
        memcpy(numbers_of(cache, to, layer, false), keys + i * stride, bytes);
        memcpy(numbers_of(cache, to, layer, true), values + i * stride, bytes);
    }
}

lb_key_values lb_kv_cache_read(lb_tape *tape, const lb_kv_cache *cache, int64_t layer)
{
    const int64_t width = cache->width;
    lb_key_values made = {lb_tensor_uninitialised(tape, LB_SHAPE(cache->batch, cache->length, 2 * width)),
                          NULL};
    const size_t bytes = (size_t)width * sizeof(lb_real);
    for (int64_t i = 0; i < cache->batch * cache->length && lb_is_sound(made.keys); i++) {
        memcpy(made.keys->data + i * 2 * width, numbers_of(cache, i, layer, false), bytes);
        memcpy(made.keys->data + (i * 2 + 1) * width, numbers_of(cache, i, layer, true), bytes);
    }
    return made;
}

/* ---- Attention. ---- */

/* Queries of a step and what they attend to. */
typedef struct asking {
    const lb_multi_head_config *config;
    const lb_decoder_step *step;
    int64_t layer, tokens, keys; /* tokens: of the step; keys: of a row at the end of the step */
    bool to_source;
    const lb_tensor *query, *bias;
    lb_tensor *context, *weights;
    lb_real *work; /* for each query */
} asking;

/* The keys before the padding of a source. */
static int64_t count_keys(const lb_tensor *mask, int64_t source, int64_t keys)
{
    int64_t count = 0;
    while (count < keys && mask->data[source * keys + count] != 0) count++;
    return count;
}

/* What token `t` of a row attends to; `first` is the first of these keys. */
static lb_attended_row attended_by(const asking *a, int64_t row, int64_t t, int64_t *first)
{
    const lb_multi_head_config *c = a->config;
    const lb_kv_cache *cache = a->step->cache;
    lb_attended_row to = {.heads = c->heads,
                          .kv_heads = c->kv_heads,
                          .width = c->key_width,
                          .depth = c->value_width,
                          .scale = 1 / (lb_real)sqrt((double)c->key_width),
                          .softcap = c->softcap,
                          .normalizer = c->normalizer};
    *first = 0;
    if (a->to_source) {
        const lb_key_values *source = &a->step->source[a->layer];
        const int64_t number = a->step->row ? a->step->row[row] : row, stride = lb_dim(source->keys, 2);
        const lb_real *keys = source->keys->data + number * a->keys * stride;
        to.count = count_keys(a->step->mask, number, a->keys);
        to.keys = (lb_scattered_rows){.first = keys, .stride = stride};
        to.values = (lb_scattered_rows){.first = keys + stride / 2, .stride = stride};
        return to;
    }
    const int64_t here = cache->length - a->tokens + t;
    if (c->window.on && c->window.left >= 0 && here > c->window.left) *first = here - c->window.left;
    const lb_real *const *entry = (const lb_real *const *)cache->entry + row * cache->length + *first;
    to.count = here + 1 - *first;
    to.keys = (lb_scattered_rows){.entry = entry, .at = numbers_at(cache, a->layer, false)};
    to.values = (lb_scattered_rows){.entry = entry, .at = numbers_at(cache, a->layer, true)};
    if (a->bias) {
        to.bias = a->bias->data + t * a->keys + *first;
        to.bias_stride = a->tokens * a->keys;
    }
    return to;
}

static void ask_one(const asking *a, int64_t i)
{
    int64_t row = i / a->tokens, t = i % a->tokens, heads = a->config->heads, first;
    const lb_attended_row to = attended_by(a, row, t, &first);
    const int64_t room = lb_attend_row_room(to.count);
    lb_real *work = a->work + i * heads * lb_attend_row_room(a->keys);
    lb_attend_row(&to, a->query->data + i * lb_dim(a->query, 2), work,
                  a->context->data + i * lb_dim(a->context, 2));
    for (int64_t h = 0; h < heads; h++) {
        lb_real *weights = a->weights->data + ((row * heads + h) * a->tokens + t) * a->keys;
        memcpy(weights + first, work + h * room, (size_t)to.count * sizeof *weights);
    }
}

static lb_attended_result ask(const lb_multi_head *attention, asking a)
{
    lb_tape *tape = a.query->tape;
    enum { ALONE = 1 << 14 /* numbers of keys that one thread is quicker with */ };
    const lb_multi_head_config *c = a.config = &attention->config;
    const int64_t batch = lb_dim(a.query, 0), count = batch * (a.tokens = lb_dim(a.query, 1));
    a.context = lb_tensor_uninitialised(tape, LB_SHAPE(batch, a.tokens, c->heads * c->value_width));
    a.weights = lb_tensor_new(tape, LB_SHAPE(batch, c->heads, a.tokens, a.keys), NULL);
    a.work = lb_tape_alloc(tape, (size_t)(count * c->heads * lb_attend_row_room(a.keys)) * sizeof *a.work);
    if (lb_tape_status(tape)) return (lb_attended_result){a.context, a.weights};
#pragma omp parallel for schedule(static) if (count > 1 && count * a.keys * c->embed > ALONE)
    for (int64_t i = 0; i < count; i++) ask_one(&a, i);
    return (lb_attended_result){lb_linear_forward(&attention->output, a.context), a.weights};
}

/* One product gives queries, keys and values, side by side. */
lb_attended_result lb_multi_head_ask_cache(const lb_multi_head *attention, lb_tensor *x,
                                           const lb_decoder_step *step, int64_t layer, const lb_tensor *bias)
{
    lb_kv_cache *cache = step->cache;
    const char *outer = lb_module_enter(x, attention->name);
    const int64_t first = lb_is_sound(x) ? cache->length - lb_dim(x, 1) : 0;
    lb_tensor *projected = lb_multi_head_project_self(attention, x, first);
    lb_attended_result result = {projected, projected};
    if (lb_is_sound(projected)) {
        lb_kv_cache_write(cache, layer, projected);
        result = ask(
            attention,
            (asking){.step = step, .layer = layer, .keys = cache->length, .query = projected, .bias = bias});
    }
    lb_module_leave(x, outer);
    return result;
}

lb_attended_result lb_multi_head_ask_source(const lb_multi_head *attention, lb_tensor *x,
                                            const lb_decoder_step *step, int64_t layer)
{
    const char *outer = lb_module_enter(x, attention->name);
    lb_tensor *query =
        lb_affine_rows(x, attention->packed_weight, 0, attention->config.embed, attention->packed_bias);
    lb_attended_result result = {query, query};
    if (lb_is_sound(query))
        result = ask(attention, (asking){.step = step,
                                         .layer = layer,
                                         .to_source = true,
                                         .query = query,
                                         .keys = lb_dim(step->source[layer].keys, 1)});
    lb_module_leave(x, outer);
    return result;
}
