#include "lookback/models.h"
#include "tensor/shape.h"

#include <string.h>

lb_tensor *lb_model_forward(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    return model->kind->decode(model, model->kind->encode(model, source), target_in).logits;
}

lb_tensor *lb_select_rows(lb_tape *tape, const lb_tensor *x, const int64_t *row, int64_t count)
{
    if (!x) return NULL;
    lb_shape shape = x->shape;
    size_t length = (size_t)lb_shape_stride(shape, 0);
    shape.dim[0] = count;
    lb_tensor *selected = lb_tensor_new(tape, shape, NULL);
    for (int64_t i = 0; i < count && lb_is_sound(selected); i++)
        memcpy(selected->data + (size_t)i * length, x->data + (size_t)row[i] * length,
               length * sizeof *x->data);
    return selected;
}
