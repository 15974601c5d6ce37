#include "translate/carry.h"

#include "base/arena.h"

#include <string.h>

/* One description of the format for both directions. What is read replaces the values given; what is written does not
 * change, and the results of these functions then mean nothing. */
typedef struct carrier {
    lb_buffer *out; /* to write */
    char *at;       /* the next byte to read; NULL: write */
    lb_arena *memory;
    bool failed;
} carrier;

static void carry(carrier *c, void *value, size_t bytes)
{
    if (!c->at) {
        lb_buffer_add(c->out, value, bytes);
        return;
    }
    memcpy(value, c->at, bytes);
    c->at += bytes;
}

static void *room(carrier *c, int64_t count, size_t size)
{
    void *memory = c->failed ? NULL : lb_arena_alloc(c->memory, (size_t)count * size + 1);
    c->failed = !memory;
    return memory;
}

static char *carry_text(carrier *c, const char *text)
{
    char *begin = c->at;
    if (begin)
        c->at += strlen(begin) + 1;
    else
        lb_buffer_add(c->out, text, strlen(text) + 1);
    return begin;
}

static const char **carry_texts(carrier *c, const char **texts, int64_t count)
{
    if (c->at) texts = room(c, count, sizeof *texts);
    for (int64_t i = 0; i < count && texts; i++) {
        const char *text = carry_text(c, c->at ? NULL : texts[i]);
        if (c->at) texts[i] = text;
    }
    return texts;
}

static void *carry_array(carrier *c, void *array, int64_t count, size_t size)
{
    if (!array) return NULL;
    if (c->at) array = room(c, count, size);
    if (array) carry(c, array, (size_t)count * size);
    return array;
}

/* A structure goes as it is; its pointers then only say whether there is something. */
static void carry_output(carrier *c, lb_output *o, int64_t weights_of_step)
{
    carry(c, o, sizeof *o);
    o->text = carry_text(c, o->text);
    o->symbol = carry_texts(c, o->symbol, o->length);
    o->copied = carry_array(c, o->copied, o->length, sizeof *o->copied);
    o->symbol_probability = carry_array(c, o->symbol_probability, o->steps, sizeof *o->symbol_probability);
    o->weights = carry_array(c, o->weights, weights_of_step * o->steps, sizeof *o->weights);
}

static void carry_translation(carrier *c, lb_translation *t, int64_t maps)
{
    carry(c, t, sizeof *t);
    t->symbol = carry_texts(c, t->symbol, t->length);
    t->unknown = carry_texts(c, t->unknown, t->unknown_count);
    if (t->error) t->error = carry_text(c, t->error);
    lb_output *output = c->at ? room(c, t->count, sizeof *output) : t->output;
    for (int64_t i = 0; i < t->count && !c->failed; i++) {
        lb_output one = {0};
        if (!c->at) one = output[i];
        carry_output(c, &one, maps * t->length);
        if (c->at) output[i] = one;
    }
    t->output = output;
}

static void carry_counts(carrier *c, lb_translations *all)
{
    carry(c, &all->count, sizeof all->count);
    carry(c, &all->layers, sizeof all->layers);
    carry(c, &all->heads, sizeof all->heads);
}

void lb_carry_out(const lb_translations *all, lb_buffer *bytes)
{
    carrier c = {.out = bytes};
    lb_translations counts = *all;
    carry_counts(&c, &counts);
    for (size_t i = 0; i < all->count; i++) {
        lb_translation text = all->text[i];
        carry_translation(&c, &text, all->layers * all->heads);
    }
}

lb_status lb_carry_in(lb_translations *all, size_t first, char *bytes, lb_error *error)
{
    carrier c = {.at = bytes, .memory = all->memory};
    lb_translations counts = {0};
    carry_counts(&c, &counts);
    all->layers = counts.layers;
    all->heads = counts.heads;
    for (size_t i = 0; i < counts.count && !c.failed; i++)
        carry_translation(&c, &all->text[first + i], counts.layers * counts.heads);
    return c.failed ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu texts", counts.count)
                    : LB_OK;
}
