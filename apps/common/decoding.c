#include "common/decoding.h"

int64_t app_decoding_reals(const lb_model *model, int64_t beam, int64_t longest, int64_t limit)
{
    int64_t maps = model->layers * model->heads;
    /* As if each step kept a state of its own: beams and transformers do. */
    return limit * beam *
           (maps * longest + model->target_vocab + model->step_reals + longest * model->state_reals);
}

lb_status app_check_decoding(const lb_model *model, const char *path, int64_t beam, const char *attention,
                             lb_error *error)
{
    if (beam > model->target_vocab)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--beam: the model has only %lld symbols to choose from, not %lld",
                            (long long)model->target_vocab, (long long)beam);
    if (attention && model->heads == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the model has no attention that could be written",
                            path);
    return LB_OK;
}

lb_status app_write_attention(const char *path, const lb_real *weights, lb_shape shape, lb_error *error)
{
    int64_t count = lb_shape_count(shape);
    double *values = lb_alloc((size_t)count * sizeof *values);
    if (!values) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    for (int64_t i = 0; i < count; i++) values[i] = (double)weights[i];
    lb_status status = lb_npy_write(path, LB_DTYPE_F32, shape, values, error);
    lb_release(values);
    return status;
}
