/* The parameters and the state of an optimiser in a file, from which a loop of a program's own goes on. */
#include "io/path.h"
#include "models/file/model_formats.h"
#include "train/optimizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char KIND[] = "lookback.optimizer", STEPS[] = "lookback.steps";

lb_status lb_optimizer_load_state(lb_optimizer *o, const lb_safetensors *file, lb_error *error)
{
    lb_safetensors_tensor slab[LB_OPTIMIZER_SLABS];
    int count = lb_optimizer_state(o, slab);
    lb_status status = LB_OK;
    for (int i = 0; i < count && !status; i++)
        status = lb_checkpoint_read(file, slab[i].name, slab[i].shape, o->slab[i], error);
    return status;
}

lb_status lb_optimizer_save(const lb_optimizer *o, const char *path, lb_error *error)
{
    if (!o) return lb_error_set(error, LB_ERROR_MEMORY, "%s: the optimiser is missing: out of memory", path);
    if (lb_optimizer_check(o, error)) return LB_ERROR_ARGUMENT;
    char steps[32];
    lb_safetensors_tensor slab[LB_OPTIMIZER_SLABS];
    int count = lb_optimizer_state(o, slab);
    snprintf(steps, sizeof steps, "%lld", (long long)lb_optimizer_about(o).steps);
    const lb_safetensors_metadata metadata[] = {{KIND, lb_optimizer_name(o)}, {STEPS, steps}};
    lb_checkpoint_extra extra = {slab, count, metadata, 2};
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
    lb_status status = load_training(o, file, &found);
    lb_safetensors_close(file);
    return status ? lb_name_file(path, &found, error) : LB_OK;
}
