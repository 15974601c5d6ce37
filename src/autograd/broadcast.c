#include "autograd/broadcast.h"

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

lb_broadcast lb_broadcast_new(lb_shape a, lb_shape b)
{
    lb_broadcast broadcast = {.width = 1};
    lb_shape_broadcast(a, b, &broadcast.shape);
    strides_within(a, broadcast.shape, broadcast.stride_a);
    strides_within(b, broadcast.shape, broadcast.stride_b);
    int last = broadcast.shape.ndim - 1;
    if (last >= 0) {
        broadcast.width = broadcast.shape.dim[last];
        broadcast.step_a = broadcast.stride_a[last];
        broadcast.step_b = broadcast.stride_b[last];
    }
    broadcast.rows = broadcast.width ? lb_shape_count(broadcast.shape) / broadcast.width : 0;
    return broadcast;
}

void lb_broadcast_row(const lb_broadcast *broadcast, int64_t row, int64_t *offset_a, int64_t *offset_b)
{
    *offset_a = *offset_b = 0;
    for (int d = broadcast->shape.ndim - 2; d >= 0; d--) {
        int64_t index = row % broadcast->shape.dim[d];
        row /= broadcast->shape.dim[d];
        *offset_a += index * broadcast->stride_a[d];
        *offset_b += index * broadcast->stride_b[d];
    }
}
