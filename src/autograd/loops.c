#include "autograd/loops.h"

#include "base/threads.h"

/* ---- Along an axis. ---- */

lb_axis lb_axis_of(const lb_node *node, int axis)
{
    lb_shape shape = node->in[0]->shape;
    int index = lb_shape_axis(shape, axis);
    assert(index >= 0);
    lb_axis a = {.outer = 1, .length = shape.dim[index], .inner = 1};
    for (int d = 0; d < index; d++) a.outer *= shape.dim[d];
    for (int d = index + 1; d < shape.ndim; d++) a.inner *= shape.dim[d];
    return a;
}

int lb_axis_check(const lb_node *node, int axis)
{
    int index = lb_shape_axis(node->in[0]->shape, axis);
    char text[LB_SHAPE_TEXT];
    if (index < 0)
        lb_op_fail(node, LB_ERROR_ARGUMENT, "x%s has no axis %d", lb_shape_format(node->in[0]->shape, text),
                   axis);
    return index;
}

lb_status lb_axis_removed(const lb_node *node, int axis, bool keep, lb_shape *out)
{
    lb_shape shape = node->in[0]->shape;
    int index = lb_axis_check(node, axis);
    if (index < 0) return LB_ERROR_ARGUMENT;
    out->ndim = 0;
    for (int d = 0; d < shape.ndim; d++) {
        if (d != index) out->dim[out->ndim++] = shape.dim[d];
        if (d == index && keep) out->dim[out->ndim++] = 1;
    }
    return LB_OK;
}

/* ---- Operands that broadcast. ---- */

static void strides_within(lb_shape operand, lb_shape result, int64_t stride[LB_MAX_DIMS])
{
    int64_t length = 1;
    for (int d = result.ndim - 1; d >= 0; d--) {
        int own = d - (result.ndim - operand.ndim);
        int64_t size = own < 0 ? 1 : operand.dim[own];
        stride[d] = size == 1 ? 0 : length;
        length *= size;
    }
}

lb_broadcast lb_broadcast_new(const lb_shape *operand, int count)
{
    lb_broadcast all = {.width = 1};
    assert(count <= LB_BROADCAST);
    for (int i = 0; i < count; i++) lb_shape_broadcast(operand[i], all.shape, &all.shape);
    int last = all.shape.ndim - 1;
    if (last >= 0) all.width = all.shape.dim[last];
    all.rows = all.width ? lb_shape_count(all.shape) / all.width : 0;
    for (int i = 0; i < count; i++) {
        strides_within(operand[i], all.shape, all.stride[i]);
        if (last >= 0) all.step[i] = all.stride[i][last];
    }
    return all;
}

void lb_broadcast_row(const lb_broadcast *broadcast, int64_t row, int64_t at[LB_BROADCAST])
{
    assert(row < broadcast->rows);
    for (int i = 0; i < LB_BROADCAST; i++) at[i] = 0;
    for (int d = broadcast->shape.ndim - 2; d >= 0; d--) {
        int64_t index = row % broadcast->shape.dim[d];
        row /= broadcast->shape.dim[d];
        for (int i = 0; i < LB_BROADCAST; i++) at[i] += index * broadcast->stride[i][d];
    }
}

/* ---- Ops of two operands. ---- */

enum {
    CHUNK = 1 << 13, /* elements that a thread takes at a time, at most */
    LINE = 16,       /* neighbours that belong to one thread: a line of the cache */
    ALONE = 1 << 16  /* elements that are not worth a second thread */
};

lb_status lb_pair_shape(const lb_node *node, lb_shape *out)
{
    if (lb_shape_broadcast(node->in[0]->shape, node->in[1]->shape, out)) return LB_OK;
    return lb_op_misfit(node, "shapes do not broadcast", 0, 1);
}

static lb_pair_row row_of(const lb_node *node, int i, int64_t offset, int64_t step)
{
    const lb_tensor *operand = node->in[i];
    return (lb_pair_row){operand->data + offset, lb_wants_grad(operand) ? operand->grad + offset : NULL,
                         step};
}

/* A chunk of an operand that is as large as the result. */
static lb_pair_row chunk_of(const lb_node *node, bool backward, int i, int64_t first, int64_t count)
{
    if (backward && lb_wants_grad(node->in[i])) lb_op_begin_grad(node, i, first, count);
    return row_of(node, i, first, 1);
}

static void apply_row(const lb_node *node, bool backward, lb_pair_row a, lb_pair_row b, int64_t offset,
                      int64_t width)
{
    const lb_pair_kernels *op = node->attributes;
    if (backward)
        op->backward(width, a, b, node->out[0]->grad + offset);
    else
        op->forward(width, a, b, node->out[0]->data + offset);
}

/* Operands of the same shape: rows can have any length, and no two rows overlap. */
static void apply_to_same_shape(const lb_node *node, bool backward)
{
    int64_t count = lb_count(node->out[0]), each = lb_chunk_for_threads(count, LINE, CHUNK);
#pragma omp parallel for schedule(static) if (count > ALONE)
    for (int64_t first = 0; first < count; first += each) {
        int64_t length = count - first < each ? count - first : each;
        lb_pair_row a = chunk_of(node, backward, 0, first, length),
                    b = chunk_of(node, backward, 1, first, length);
        apply_row(node, backward, a, b, first, length);
    }
}

static void apply_to_rows(lb_node *node, bool backward)
{
    if (lb_shape_equal(node->in[0]->shape, node->in[1]->shape)) {
        apply_to_same_shape(node, backward);
        return;
    }
    for (int i = 0; i < 2 && backward; i++)
        if (lb_wants_grad(node->in[i])) lb_op_begin_grad(node, i, 0, lb_count(node->in[i]));
    lb_broadcast all = lb_broadcast_new((lb_shape[]){node->in[0]->shape, node->in[1]->shape}, 2);
    for (int64_t r = 0; r < all.rows; r++) {
        int64_t at[LB_BROADCAST];
        lb_broadcast_row(&all, r, at);
        apply_row(node, backward, row_of(node, 0, at[0], all.step[0]), row_of(node, 1, at[1], all.step[1]),
                  r * all.width, all.width);
    }
}

lb_status lb_pair_forward(lb_node *node)
{
    apply_to_rows(node, false);
    return LB_OK;
}

void lb_pair_backward(lb_node *node)
{
    apply_to_rows(node, true);
}

double lb_pair_operand(const lb_tensor *operand, lb_shape result, int64_t i)
{
    int64_t offset = 0;
    for (int axis = -1; axis >= -operand->shape.ndim; axis--) {
        int64_t index = i / lb_shape_stride(result, axis) % lb_shape_dim(result, axis);
        if (lb_dim(operand, axis) > 1) offset += index * lb_shape_stride(operand->shape, axis);
    }
    return (double)operand->data[offset];
}
