#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

bool lb_shape_equal(lb_shape a, lb_shape b)
{
    if (a.ndim != b.ndim) return false;
    for (int d = 0; d < a.ndim; d++)
        if (a.dim[d] != b.dim[d]) return false;
    return true;
}

int lb_shape_axis(lb_shape shape, int axis)
{
    if (axis < 0) axis += shape.ndim;
    return axis >= 0 && axis < shape.ndim ? axis : -1;
}

int64_t lb_shape_dim(lb_shape shape, int axis)
{
    int d = lb_shape_axis(shape, axis);
    assert(d >= 0);
    return shape.dim[d];
}

int64_t lb_shape_stride(lb_shape shape, int axis)
{
    int64_t stride = 1;
    for (int d = shape.ndim - 1; d > lb_shape_axis(shape, axis); d--) stride *= shape.dim[d];
    return stride;
}

bool lb_shape_broadcast(lb_shape a, lb_shape b, lb_shape *result)
{
    lb_shape out = {.ndim = a.ndim > b.ndim ? a.ndim : b.ndim};
    for (int d = 0; d < out.ndim; d++) {
        int in_a = d - (out.ndim - a.ndim), in_b = d - (out.ndim - b.ndim);
        int64_t length_a = in_a < 0 ? 1 : a.dim[in_a], length_b = in_b < 0 ? 1 : b.dim[in_b];
        if (length_a != length_b && length_a != 1 && length_b != 1) return false;
        out.dim[d] = length_a == 1 ? length_b : length_a;
    }
    *result = out;
    return true;
}

char *lb_shape_format(lb_shape shape, char text[LB_SHAPE_TEXT])
{
    int used = snprintf(text, LB_SHAPE_TEXT, "[");
    for (int d = 0; d < shape.ndim && used < LB_SHAPE_TEXT; d++)
        used +=
            snprintf(text + used, (size_t)(LB_SHAPE_TEXT - used), "%s%" PRId64, d ? "," : "", shape.dim[d]);
    if (used < LB_SHAPE_TEXT) snprintf(text + used, (size_t)(LB_SHAPE_TEXT - used), "]");
    return text;
}
