#include "autograd/axis.h"

#include "tensor/shape.h"

lb_axis lb_axis_of(const lb_node *node, int axis)
{
    lb_shape shape = node->in[0]->shape;
    int index = lb_shape_axis(shape, axis);
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
