/* The parameters and the state of an optimiser in a file, from which a loop of a program's own goes on. */
#include "io/path.h"
#include "io/safetensors.h"
#include "tensor/arrays.h"
#include "train/optimizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char KIND[] = "lookback.optimizer", STEPS[] = "lookback.steps";

lb_status lb_slab_load(const lb_safetensors *file, const char *name, int64_t size, lb_real *slab,
                       lb_error *error)
{
    lb_status status = lb_safetensors_read(file, name, LB_SHAPE(size), slab, error);
    int64_t bad = status ? -1 : lb_first_not_finite(slab, size);
    if (bad < 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "array '%s': found %g at index %lld, expected a number", name,
                        (double)slab[bad], (long long)bad);
}

lb_status lb_optimizer_load_state(lb_optimizer *o, const lb_safetensors *file, lb_error *error)
{
    lb_optimizer_slab slab[LB_OPTIMIZER_SLABS];
    int count = lb_optimizer_state(o, slab);
    lb_status status = LB_OK;
    for (int i = 0; i < count && !status; i++)
        status = lb_slab_load(file, slab[i].name, o->size, slab[i].numbers, error);
    return status == LB_ERROR_SHAPE ? LB_ERROR_FORMAT : status;
}

lb_status lb_optimizer_save(const lb_optimizer *o, const char *path, lb_error *error)
{
    if (!o) return lb_error_set(error, LB_ERROR_MEMORY, "%s: the optimiser is missing: out of memory", path);
    if (lb_optimizer_check(o, error)) return LB_ERROR_ARGUMENT;
    char steps[32];
    lb_optimizer_slab slab[LB_OPTIMIZER_SLABS];
    lb_safetensors_tensor tensors[LB_OPTIMIZER_SLABS];
    int count = lb_optimizer_state(o, slab);
    for (int i = 0; i < count; i++)
        tensors[i] = (lb_safetensors_tensor){slab[i].name, LB_DTYPE_REAL, LB_SHAPE(o->size), slab[i].numbers};
    snprintf(steps, sizeof steps, "%lld", (long long)lb_optimizer_about(o).steps);
    const lb_safetensors_metadata metadata[] = {{KIND, lb_optimizer_name(o)}, {STEPS, steps}};
    lb_checkpoint_extra extra = {tensors, count, metadata, 2};
    return lb_checkpoint_save(o->params, path, extra, error);
}

static lb_status load_training(lb_optimizer *o, const lb_safetensors *file, lb_error *error)
{
    const char *kind = lb_safetensors_metadata_value(file, KIND);
    const char *steps = lb_safetensors_metadata_value(file, STEPS);
    const char *ours = lb_optimizer_name(o);
    char *end = NULL;
    long long count = steps ? strtoll(steps, &end, 10) : -1;
    if (!kind || strcmp(kind, ours) != 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "found the state of %.40s, expected that of %s",
                            kind ? kind : "no optimiser", ours);
    if (count < 0 || *end)
        return lb_error_set(error, LB_ERROR_FORMAT, "found %.40s steps, expected a number",
                            steps ? steps : "no");
    lb_status status = lb_optimizer_load_state(o, file, error);
    if (!status) status = lb_checkpoint_load(file, o->params, error);
    if (!status) o->steps = count;
    return status;
}

lb_status lb_optimizer_load(lb_optimizer *o, const char *path, lb_error *error)
{
    lb_error found = {0};
    if (!o) return lb_error_set(error, LB_ERROR_MEMORY, "%s: the optimiser is missing: out of memory", path);
    if (lb_optimizer_check(o, error)) return LB_ERROR_ARGUMENT;
    lb_safetensors *file = lb_safetensors_open(path, error);
    if (!file) return error ? error->status : LB_ERROR_OPEN;
    found.status = load_training(o, file, &found); /* its own status, which is not that of a shape */
    lb_safetensors_close(file);
    return found.status ? lb_name_file(path, &found, error) : LB_OK;
}
