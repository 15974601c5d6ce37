/* Splits and joins tensors along an axis. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"

#include <string.h>

static lb_status concat_shape(const lb_node *node, lb_shape *out)
{
    const lb_join_range *r = node->attributes;
    *out = node->in[0]->shape;
    int axis = lb_shape_axis(*out, r->axis);
    if (axis < 0) return lb_op_fail(node, LB_ERROR_ARGUMENT, "the first operand has no axis %d", r->axis);
    for (int i = 1; i < node->inputs; i++) {
        lb_shape next = node->in[i]->shape, aligned = next;
        if (next.ndim == out->ndim) aligned.dim[axis] = out->dim[axis];
        if (!lb_shape_equal(aligned, *out))
            return lb_op_misfit(node, "shapes differ outside the joined axis", 0, i);
        out->dim[axis] += next.dim[axis];
    }
    return LB_OK;
}

static lb_status slice_shape(const lb_node *node, lb_shape *out)
{
    const lb_join_range *r = node->attributes;
    *out = node->in[0]->shape;
    int axis = lb_shape_axis(*out, r->axis);
    if (axis < 0 || r->first < 0 || r->length < 0 || r->first > out->dim[axis] - r->length) {
        char text[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_ARGUMENT,
                          "cannot slice %lld elements from index %lld along axis %d of x%s",
                          (long long)r->length, (long long)r->first, r->axis, lb_shape_format(*out, text));
    }
    out->dim[axis] = r->length;
    return LB_OK;
}

/* Copies `outer` blocks of `count` numbers, or adds them if `add`. */
static void move_blocks(bool add, int64_t outer, int64_t count, const lb_real *from, int64_t from_step,
                        lb_real *to, int64_t to_step)
{
    for (int64_t o = 0; o < outer; o++)
        if (add)
            lb_add_to(count, from + o * from_step, to + o * to_step);
        else
            memcpy(to + o * to_step, from + o * from_step, (size_t)count * sizeof *to);
}

/* Along the axis, blocks of the operands are joined end to end. */
static void visit_parts(const lb_node *node, bool backward)
{
    int axis = ((const lb_join_range *)node->attributes)->axis;
    lb_tensor *whole = node->out[0];
    lb_axis a = lb_axis_of(node, axis);
    int64_t step = lb_dim(whole, axis) * a.inner, offset = 0;
    for (int i = 0; i < node->inputs; i++) {
        lb_tensor *part = node->in[i];
        int64_t block = lb_dim(part, axis) * a.inner;
        if (!backward)
            move_blocks(false, a.outer, block, part->data, block, whole->data + offset, step);
        else if (lb_wants_grad(part))
            move_blocks(true, a.outer, block, whole->grad + offset, step, part->grad, block);
        offset += block;
    }
}

LB_PASSES(concat_forward, concat_backward, visit_parts)

static void visit_range(const lb_node *node, bool backward)
{
    const lb_join_range *r = node->attributes;
    lb_tensor *x = node->in[0], *y = node->out[0];
    lb_axis a = lb_axis_of(node, r->axis);
    int64_t step = a.length * a.inner, block = r->length * a.inner, offset = r->first * a.inner;
    if (backward)
        move_blocks(true, a.outer, block, y->grad, block, x->grad + offset, step);
    else
        move_blocks(false, a.outer, block, x->data + offset, step, y->data, block);
}

LB_PASSES(slice_forward, slice_backward, visit_range)

static const lb_op concat_op = {
    .name = "concat",
    .operands = "x...",
    .formula = "y = [x_1; x_2; ...]",
    .derivative = "dx_k += the part of dy that is x_k's",
    .shape = concat_shape,
    .forward = concat_forward,
    .backward = LB_TRAINING(concat_backward),
};

static const lb_op slice_op = {
    .name = "slice",
    .operands = "x",
    .formula = "y_i = x_(first + i)",
    .derivative = "dx_(first + i) += dy_i",
    .shape = slice_shape,
    .forward = slice_forward,
    .backward = LB_TRAINING(slice_backward),
};

/** Joins any number of tensors along an existing axis; their shapes are equal except for it.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if there is no such axis. */
lb_tensor *lb_concat(lb_tensor *const *tensors, int count, int axis)
{
    if (count <= LB_MAX_INPUTS)
        return lb_op_apply(&concat_op, tensors, count, &(lb_join_range){.axis = axis}, sizeof(lb_join_range));
    lb_tensor *group[LB_MAX_INPUTS];
    int share = (count + LB_MAX_INPUTS - 1) / LB_MAX_INPUTS, groups = 0;
    for (int i = 0; i < count; i += share)
        group[groups++] = lb_concat(tensors + i, share < count - i ? share : count - i, axis);
    return lb_concat(group, groups, axis);
}

/* Whether all tensors have a shape, and at least one has a tape. */
static bool can_stack(lb_tensor *const *tensors, int count)
{
    for (int i = 0; i < count; i++)
        if (!lb_is_sound(tensors[i])) return false;
    return lb_operands_tape(tensors, count) != NULL;
}

/** Joins tensors of the same shape along a new axis: `count` tensors [2, 3] with axis 1 -> [2, count, 3].
 *  Errors: as lb_concat. */
lb_tensor *lb_stack(lb_tensor *const *tensors, int count, int axis)
{
    if (!can_stack(tensors, count)) return lb_concat(tensors, count, axis); /* which says why */
    lb_tape *tape = lb_operands_tape(tensors, count);
    lb_shape shape = tensors[0]->shape, thin = {.ndim = shape.ndim + 1};
    int at = axis < 0 ? axis + thin.ndim : axis;
    if (at < 0 || at > shape.ndim || thin.ndim > LB_MAX_DIMS)
        return lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_stack: invalid axis %d", axis);
    for (int d = 0; d < thin.ndim; d++) thin.dim[d] = d == at ? 1 : shape.dim[d < at ? d : d - 1];
    lb_tensor **parts = lb_tape_alloc(tape, (size_t)count * sizeof *parts);
    if (!parts) return lb_tape_fail(tape, LB_ERROR_MEMORY, "lb_stack: out of memory");
    for (int i = 0; i < count; i++)
        parts[i] = lb_reshape(tensors[i]->tape ? tensors[i] : lb_on_tape(tape, tensors[i]), thin);
    return lb_concat(parts, count, at);
}

/** `length` elements along the axis, starting at `first`. Shapes: [..., n, ...] -> [..., length, ...].
 *  Errors: LB_ERROR_ARGUMENT if the range is not within x. */
lb_tensor *lb_slice(lb_tensor *x, int axis, int64_t first, int64_t length)
{
    return lb_op_apply(&slice_op, LB_INPUTS(x), &(lb_join_range){axis, first, length}, sizeof(lb_join_range));
}

/** Cuts x into `count` parts along an axis, `length[i]` elements each, as torch.split does, and stores them in `parts`.
 *  Errors: LB_ERROR_ARGUMENT if the lengths do not add up to the axis, or x has no such axis; all parts are then
 *          poison. */
void lb_split_axis(lb_tensor *x, int axis, const int64_t *length, int count, lb_tensor **parts)
{
    int at = lb_is_sound(x) ? lb_shape_axis(x->shape, axis) : -1;
    int64_t whole = 0, shortest = 0, first = 0;
    for (int i = 0; i < count; whole += length[i++]) shortest = length[i] < shortest ? length[i] : shortest;
    lb_tensor *failed = NULL;
    if (at >= 0 && x->tape && (whole != x->shape.dim[at] || shortest < 0)) {
        char text[LB_SHAPE_TEXT];
        failed = lb_tape_fail(x->tape, LB_ERROR_ARGUMENT,
                              "lb_split_axis: found parts of %lld elements, expected those of axis %d of x%s",
                              (long long)whole, axis, lb_shape_format(x->shape, text));
    }
    for (int i = 0; i < count; first += length[i++])
        parts[i] = failed ? failed : lb_slice(x, axis, first, length[i]);
}
