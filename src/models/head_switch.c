/* A head of attention switched off: the columns of the weights that read its context become zero. */
#include "base/alloc.h"
#include "models/built_in.h"

#include <string.h>

/* Columns of a weight [rows, width], and what they held. */
typedef struct columns {
    lb_tensor *weight;
    int64_t first, count;
    lb_real *held; /* [rows, count] */
} columns;

struct lb_head_off {
    columns *part; /* [count], in the order in which they became zero */
    size_t count, capacity;
};

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for switching off a head");
}

static void copy_columns(const columns *c, bool back)
{
    int64_t rows = c->weight->shape.dim[0], width = c->weight->shape.dim[1];
    size_t bytes = (size_t)c->count * sizeof *c->held;
    for (int64_t row = 0; row < rows; row++) {
        lb_real *here = c->weight->data + row * width + c->first, *kept = c->held + row * c->count;
        memcpy(back ? here : kept, back ? kept : here, bytes);
        if (!back) memset(here, 0, bytes);
    }
}

static lb_status clear(lb_head_off *off, lb_tensor *weight, int64_t first, int64_t count, lb_error *error)
{
    if (!lb_alloc_more(&off->part, off->count, &off->capacity, sizeof *off->part))
        return out_of_memory(error);
    columns part = {.weight = weight, .first = first, .count = count};
    part.held = lb_alloc((size_t)(weight->shape.dim[0] * count) * sizeof *part.held);
    if (!part.held) return out_of_memory(error);
    copy_columns(&part, false);
    off->part[off->count++] = part;
    return LB_OK;
}

static lb_status clear_of_multi_head(lb_head_off *off, const lb_multi_head *attention, int64_t head,
                                     lb_error *error)
{
    int64_t width = attention->config.value_width;
    return clear(off, attention->output.weight, head * width, width, error);
}

/* Clears the only head: the columns of everything that reads the context. */
static lb_status clear_context(lb_head_off *off, const lb_seq2seq *m, lb_error *error)
{
    const lb_linear *reader = m->combine.weight ? &m->combine : &m->output;
    int64_t depth = m->attention.depth, embed = m->config.embed;
    lb_tensor *input = m->decoder.cell->weight_ih;
    lb_status status = clear(off, reader->weight, m->config.hidden, depth, error);
    bool recurs = input->shape.dim[1] == embed + depth;
    if (!status && recurs) status = clear(off, input, embed, depth, error);
    return status || !m->copying.symbols ? status : clear(off, m->copying.gate.weight, 0, depth, error);
}

static lb_status clear_of_seq2seq(lb_head_off *off, const lb_seq2seq *m, int64_t head, lb_error *error)
{
    if (!m->config.own_attention && lb_built_in_attention_of(&m->attention)->multi_head)
        return clear_of_multi_head(off, m->attention.own, head, error);
    if (m->base.heads == 1) return clear_context(off, m, error);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "the heads of the attention \"%s\" cannot be switched off",
                        m->attention.type->name);
}

static lb_status clear_of(lb_head_off *off, const lb_model *model, int64_t layer, int64_t head,
                          lb_error *error)
{
    if (lb_is_ensemble(model)) {
        const lb_ensemble *all = (const lb_ensemble *)model;
        lb_status status = LB_OK;
        for (int i = 0; i < all->count && !status; i++) {
            const lb_model *member = all->member[i];
            if (member->layers != model->layers || member->heads != model->heads)
                return lb_error_set(
                    error, LB_ERROR_ARGUMENT,
                    "the heads of members with different numbers of them cannot be switched off");
            status = clear_of(off, member, layer, head, error);
        }
        return status;
    }
    if (model->kind == &lb_seq2seq_kind) return clear_of_seq2seq(off, (const lb_seq2seq *)model, head, error);
    if (model->kind == &lb_transformer_kind)
        return clear_of_multi_head(off, &((const lb_transformer *)model)->decoder.layer[layer].cross, head,
                                   error);
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "the heads of a model of kind \"%s\" cannot be switched off", model->kind->name);
}

lb_head_off *lb_head_switch_off(const lb_model *model, int64_t layer, int64_t head, lb_error *error)
{
    if (layer < 0 || layer >= model->layers || head < 0 || head >= model->heads)
        return lb_null(lb_error_set(
            error, LB_ERROR_ARGUMENT, "found layer %lld and head %lld, expected fewer than %lld and %lld",
            (long long)layer, (long long)head, (long long)model->layers, (long long)model->heads));
    lb_head_off *off = lb_alloc_zero(sizeof *off);
    if (!off) return lb_null(out_of_memory(error));
    if (clear_of(off, model, layer, head, error) == LB_OK) return off;
    lb_head_switch_on(off);
    return NULL;
}

void lb_head_switch_on(lb_head_off *off)
{
    if (!off) return;
    for (size_t i = off->count; i > 0; i--) {
        copy_columns(&off->part[i - 1], true);
        lb_release(off->part[i - 1].held);
    }
    lb_release(off->part);
    lb_release(off);
}
