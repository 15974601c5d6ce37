#include "lookback/models.h"

#include "base/alloc.h"
#include "lookback/op.h"
#include "tensor/arrays.h"

lb_status lb_checkpoint_save(const lb_params *params, const char *path, lb_checkpoint_extra extra,
                             lb_error *error)
{
    int64_t count = lb_params_count(params), all_count = count + extra.tensor_count;
    lb_safetensors_tensor *all = lb_alloc((size_t)all_count * sizeof *all);
    if (!all) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    for (int64_t i = 0; i < count; i++) {
        const lb_tensor *tensor = lb_params_tensor(params, i);
        all[i] = (lb_safetensors_tensor){.name = lb_params_name(params, i),
                                         .dtype = LB_DTYPE_REAL,
                                         .shape = tensor->shape,
                                         .data = tensor->data};
    }
    for (int64_t i = 0; i < extra.tensor_count; i++) all[count + i] = extra.tensors[i];
    lb_status status =
        lb_safetensors_write(all, all_count, extra.metadata, extra.metadata_count, path, error);
    lb_release(all);
    return status;
}

/* Weights of a training that went wrong, or that were damaged: every output would be nonsense. */
static lb_status check_finite(const char *name, const lb_tensor *tensor, lb_error *error)
{
    int64_t bad = lb_first_not_finite(tensor->data, lb_count(tensor));
    if (bad < 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "array '%.80s': found %g at index %lld, expected a number",
                        name, (double)tensor->data[bad], (long long)bad);
}

lb_status lb_checkpoint_load(const lb_safetensors *file, lb_params *params, lb_error *error)
{
    lb_error found = {0};
    lb_status status = LB_OK;
    for (int i = 0; i < lb_params_count(params) && !status; i++) {
        lb_tensor *tensor = lb_params_tensor(params, i);
        const char *name = lb_params_name(params, i);
        status = lb_safetensors_read(file, name, tensor->shape, tensor->data, &found);
        if (!status) status = check_finite(name, tensor, &found);
    }
    if (!status) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s", found.message);
}

lb_tensor *lb_checkpoint_tensor(lb_tape *tape, const lb_safetensors *file, const char *name)
{
    lb_error error = {0};
    const lb_safetensors_tensor *array = lb_safetensors_find(file, name);
    lb_tensor *tensor = lb_tensor_new(tape, array ? array->shape : (lb_shape){0}, NULL);
    if (!lb_is_sound(tensor)) return tensor;
    lb_status status = lb_safetensors_read(file, name, tensor->shape, tensor->data, &error);
    return status ? lb_tape_fail(tape, status, "%s", error.message) : tensor;
}
