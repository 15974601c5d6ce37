#include "apply/decoding.h"

#include <float.h>

lb_status app_check_beam(const lb_translator_facts *model, int64_t beam, int64_t n_best, lb_error *error)
{
    int64_t widest = beam > n_best ? beam : n_best, most = model->model->target_vocab;
    if (widest <= most) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--%s: the model has only %lld symbols to choose from, not %lld",
                        n_best > most ? "n-best" : "beam", (long long)most, (long long)widest);
}

lb_status app_check_copy(const lb_translator_facts *model, lb_error *error)
{
    if (model->model->heads > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: --copy-unknown needs a model with attention",
                        model->path);
}

double app_length_penalty(double given)
{
    return given > 0 ? given : -1;
}

double app_temperature(double given)
{
    return given > 0 ? given : DBL_MIN; /* divided by it, any other logit is minus infinity */
}

lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error)
{
    const lb_output *output = found->text->output;
    lb_shape shape = LB_SHAPE(found->layers, found->heads, output->steps, found->text->length);
    int64_t count = lb_shape_count(shape);
    double *values = lb_alloc((size_t)count * sizeof *values);
    if (!values) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    for (int64_t i = 0; i < count; i++) values[i] = (double)output->weights[i];
    lb_status status = lb_npy_write(path, LB_DTYPE_F32, shape, values, error);
    lb_release(values);
    return status;
}
