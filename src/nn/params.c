#include "nn/params.h"

#include "autograd/tape.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/format.h"
#include "base/table.h"
#include "tensor/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct entry {
    lb_tensor tensor;
    const char *name;
    int64_t offset; /* in the slabs */
} entry;

struct lb_params {
    uint64_t seed;
    const lb_params_source *source; /* of the values, instead of random numbers */
    lb_arena *arena;                /* entries, names and memory for modules */
    entry **entries;                /* [count], in the order of addition */
    lb_table names;                 /* of entries */
    int count;
    int64_t size, capacity;
    void *values_memory, *grads_memory; /* as allocated; the slabs are the aligned part */
    lb_real *values, *grads;
    lb_error error;
    lb_tensor poison;
    void *kept;
    void (*release_kept)(void *kept);
};

static lb_table_key key_of(const void *params, int32_t number)
{
    return lb_table_string(((const lb_params *)params)->entries[number]->name);
}

lb_params *lb_params_new(uint64_t seed)
{
    lb_params *params = lb_alloc_zero(sizeof *params);
    if (!params) return NULL;
    params->seed = seed;
    params->names = (lb_table){.key_of = key_of, .owner = params};
    params->poison.error = &params->error;
    params->arena = lb_arena_new();
    if (params->arena) return params;
    lb_release(params);
    return NULL;
}

void lb_params_free(lb_params *params)
{
    if (!params) return;
    lb_params_keep(params, NULL, NULL);
    lb_arena_free(params->arena);
    lb_release((void *)params->entries);
    lb_release(params->names.forks);
    lb_release(params->values_memory);
    lb_release(params->grads_memory);
    lb_release(params);
}

void lb_params_keep(lb_params *params, void *object, void (*release)(void *object))
{
    if (params->kept) params->release_kept(params->kept);
    params->kept = object;
    params->release_kept = release;
}

void *lb_params_kept(const lb_params *params)
{
    return params->kept;
}

static const lb_error *error_of(const lb_params *params)
{
    return params ? &params->error : lb_error_no_memory();
}

lb_status lb_params_status(const lb_params *params)
{
    return error_of(params)->status;
}

const char *lb_params_error(const lb_params *params)
{
    return error_of(params)->message;
}

lb_status lb_params_fail(lb_params *params, lb_status status, const char *format, ...)
{
    if (!params) return lb_params_status(params);
    char message[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return lb_error_set(&params->error, status, "%s", message);
}

void lb_params_need(lb_params *params, const char *name, const char *field, int64_t size)
{
    if (size < 1)
        lb_params_fail(params, LB_ERROR_ARGUMENT,
                       "%s: %s is %lld, expected at least 1; a field that is not set is 0", name, field,
                       (long long)size);
}

int lb_params_choose(lb_params *params, const char *name, const char *field, int choice,
                     const char *const *names)
{
    int count = lb_choices(names);
    if (choice >= 0 && choice < count) return choice;
    lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: %s is %d, expected 0 to %d", name, field, choice,
                   count - 1);
    return 0;
}

void lb_params_take_from(lb_params *params, const lb_params_source *source)
{
    params->source = source;
}

static bool has_room(const lb_params *params, size_t bytes)
{
    const lb_params_source *source = params->source;
    return !source || (bytes <= source->room && lb_arena_used(params->arena) <= source->room - bytes);
}

void *lb_params_alloc(lb_params *params, size_t bytes)
{
    if (!params) return NULL;
    if (!has_room(params, bytes)) {
        lb_error_set(&params->error, LB_ERROR_FORMAT,
                     "the model description has more layers or members than the file");
        return NULL;
    }
    void *memory = lb_arena_alloc(params->arena, bytes);
    if (memory)
        memset(memory, 0, bytes);
    else
        lb_error_set(&params->error, LB_ERROR_MEMORY, "out of memory for parameters");
    return memory;
}

const char *lb_params_scope(lb_params *params, const char *module, const char *name)
{
    size_t bytes = strlen(module) + 1 + strlen(name) + 1;
    char *text = lb_params_alloc(params, bytes);
    if (text) snprintf(text, bytes, "%s%s%s", module, *module ? "." : "", name);
    return text ? text : "";
}

static lb_real *aligned(void *memory)
{
    return (lb_real *)(void *)((char *)memory +
                               (LB_ALIGNMENT - (uintptr_t)memory % LB_ALIGNMENT) % LB_ALIGNMENT);
}

/* Values are written at once. Gradients may never be written, and take no memory until then. */
static lb_real *new_slab(const lb_params *params, int64_t capacity, bool zero, const lb_real *old,
                         void **memory)
{
    size_t bytes = (size_t)capacity * sizeof(lb_real) + LB_ALIGNMENT;
    *memory = zero ? lb_alloc_zero(bytes) : lb_alloc(bytes);
    if (*memory && old) memcpy(aligned(*memory), old, (size_t)params->size * sizeof *old);
    return *memory ? aligned(*memory) : NULL;
}

/* Moves to slabs of this capacity, and updates the addresses in the tensors. Returns false without memory. */
static bool move_to(lb_params *params, int64_t capacity)
{
    void *values_memory, *grads_memory;
    lb_real *values = new_slab(params, capacity, false, params->values, &values_memory);
    lb_real *grads = new_slab(params, capacity, true, params->grads, &grads_memory);
    if (!values || !grads) {
        lb_release(values_memory);
        lb_release(grads_memory);
        return false;
    }
    lb_release(params->values_memory);
    lb_release(params->grads_memory);
    params->values_memory = values_memory;
    params->grads_memory = grads_memory;
    params->values = values;
    params->grads = grads;
    params->capacity = capacity;
    for (int i = 0; i < params->count; i++) {
        entry *e = params->entries[i];
        e->tensor.data = values + e->offset;
        e->tensor.grad = grads + e->offset;
    }
    return true;
}

/* Makes room for `size` numbers in both slabs; at once for all that a source has. More than `size` is a hope, not a
 * need. */
static lb_status reserve(lb_params *params, int64_t size)
{
    if (size <= params->capacity) return LB_OK;
    int64_t hoped = params->source && params->source->size > size ? params->source->size : size;
    if (hoped < 2 * params->capacity) hoped = 2 * params->capacity;
    if (move_to(params, hoped) || (hoped > size && move_to(params, size))) return LB_OK;
    return lb_error_set(&params->error, LB_ERROR_MEMORY, "out of memory for %lld parameters",
                        (long long)size);
}

static void initialise(const lb_params *params, const entry *e, lb_init init)
{
    lb_rng rng = {.seed = params->seed, .stream = lb_rng_stream(e->name)};
    for (int64_t i = 0; i < lb_count(&e->tensor); i++) {
        double value = init.scale;
        if (init.kind == LB_INIT_UNIFORM) value *= 2 * lb_rng_uniform(rng, (uint64_t)i) - 1;
        if (init.kind == LB_INIT_NORMAL) value *= lb_rng_normal(rng, (uint64_t)i);
        e->tensor.data[i] = (lb_real)value;
    }
}

static lb_status check_new(lb_params *params, const char *name, lb_shape shape)
{
    char text[LB_SHAPE_TEXT];
    if (lb_params_find(params, name))
        return lb_error_set(&params->error, LB_ERROR_ARGUMENT, "parameter %s already exists", name);
    if (!lb_shape_valid(shape) || lb_shape_count(shape) == 0)
        return lb_error_set(&params->error, LB_ERROR_SHAPE, "parameter %s: invalid shape %s", name,
                            lb_shape_format(shape, text));
    if (params->error.status || !params->source || !params->source->check) return params->error.status;
    return params->source->check(params->source->context, name, shape, &params->error);
}

lb_tensor *lb_params_add(lb_params *params, const char *module, const char *name, lb_shape shape,
                         lb_init init)
{
    if (!params) return lb_poison_no_memory();
    const char *full = lb_params_scope(params, module, name);
    entry *e = lb_params_alloc(params, sizeof *e);
    if (!e || check_new(params, full, shape)) return &params->poison;
    int64_t unit = LB_ALIGNMENT / (int64_t)sizeof(lb_real);
    int64_t padded = (lb_shape_count(shape) + unit - 1) / unit * unit;
    if (!lb_table_more(&params->names, 0, params->count, (void *)&params->entries, sizeof *params->entries))
        lb_error_set(&params->error, LB_ERROR_MEMORY, "out of memory for parameters");
    if (params->error.status || reserve(params, params->size + padded)) return &params->poison;
    *e = (entry){.name = full, .offset = params->size};
    e->tensor = (lb_tensor){.shape = shape, .requires_grad = true};
    e->tensor.data = params->values + e->offset;
    e->tensor.grad = params->grads + e->offset;
    int64_t given = params->source ? lb_shape_count(shape) : 0; /* numbers that follow; gaps are zero, too */
    memset(e->tensor.data + given, 0, (size_t)(padded - given) * sizeof *e->tensor.data);
    if (!params->source) initialise(params, e, init);
    params->entries[params->count] = e;
    lb_table_add(&params->names, params->count++);
    params->size += padded;
    return &e->tensor;
}

int64_t lb_params_count(const lb_params *params)
{
    return params ? params->count : 0;
}

lb_tensor *lb_params_tensor(const lb_params *params, int64_t index)
{
    return index >= 0 && index < lb_params_count(params) ? &params->entries[index]->tensor : NULL;
}

const char *lb_params_name(const lb_params *params, int64_t index)
{
    return index >= 0 && index < lb_params_count(params) ? params->entries[index]->name : NULL;
}

lb_tensor *lb_params_find(const lb_params *params, const char *name)
{
    if (lb_params_count(params) == 0) return NULL;
    int32_t found = lb_table_find(&params->names, lb_table_string(name));
    return found != LB_TABLE_NONE && strcmp(lb_params_name(params, found), name) == 0
               ? lb_params_tensor(params, found)
               : NULL;
}

int64_t lb_params_size(const lb_params *params)
{
    return params ? params->size : 0;
}

lb_real *lb_params_values(const lb_params *params)
{
    return params ? params->values : NULL;
}

/* As float, by shifts: the bytes depend neither on the machine nor on the precision. */
static uint64_t hash_value(uint64_t hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const unsigned char bytes[] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                   (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
    return lb_hash(hash, bytes, sizeof bytes);
}

uint64_t lb_params_hash(const lb_params *params, const char *prefix)
{
    uint64_t hash = LB_HASH;
    for (const entry *last = NULL, *next = NULL;; last = next, next = NULL) {
        for (int i = 0; i < lb_params_count(params); i++) {
            const entry *e = params->entries[i];
            const bool behind = !last || strcmp(e->name, last->name) > 0;
            if (strncmp(e->name, prefix, strlen(prefix)) == 0 && behind &&
                (!next || strcmp(e->name, next->name) < 0))
                next = e;
        }
        if (!next) return hash;
        for (int64_t i = 0; i < lb_count(&next->tensor); i++)
            hash = hash_value(hash, (float)next->tensor.data[i]);
    }
}

lb_real *lb_params_grads(const lb_params *params)
{
    return params ? params->grads : NULL;
}

int64_t lb_params_learned(const lb_params *params)
{
    int64_t learned = 0;
    for (int i = 0; i < lb_params_count(params); i++) learned += lb_count(&params->entries[i]->tensor);
    return learned;
}

static bool is_in(const char *name, const char *module)
{
    size_t length = strlen(module);
    return strncmp(name, module, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

int64_t lb_params_freeze(lb_params *params, const char *name)
{
    int found = 0;
    for (int i = 0; i < lb_params_count(params); i++) {
        entry *e = params->entries[i];
        if (!is_in(e->name, name)) continue;
        e->tensor.requires_grad = false;
        found++;
    }
    return found;
}

int64_t lb_params_trained(const lb_params *params, int64_t at, int64_t *end)
{
    int64_t size = lb_params_size(params), begin = size;
    *end = size;
    for (int i = 0; i < lb_params_count(params); i++) {
        const entry *e = params->entries[i];
        int64_t next = i + 1 < params->count ? params->entries[i + 1]->offset : size;
        if (next <= at) continue;
        if (e->tensor.requires_grad && begin == size) begin = e->offset > at ? e->offset : at;
        if (e->tensor.requires_grad || begin == size) continue;
        *end = e->offset;
        break;
    }
    return begin;
}

void lb_params_zero_grads(lb_params *params)
{
    int64_t size = lb_params_size(params);
    if (size) memset(params->grads, 0, (size_t)size * sizeof *params->grads);
}
