#include "train/shards.h"

#include "base/instruction_set.h"
#include "tensor/arrays.h"

lb_status lb_group_agree_on(const lb_group *group, const lb_build *build, lb_error *error)
{
    lb_status status = lb_group_agree(group, "version", build->version, error);
    if (!status) status = lb_group_agree(group, "kernel", build->kernel, error);
    return status ? status : lb_group_agree(group, "instruction set", build->instruction_set, error);
}

lb_status lb_group_agree_on_build(const lb_group *group, lb_error *error)
{
    const lb_build here = {lb_version(), lb_kernel_name(), lb_instruction_set_name()};
    return lb_group_agree_on(group, &here, error);
}

/* ---- Shards. ---- */

lb_status lb_shards_init(lb_shards *s, lb_params *params, int count, lb_error *error)
{
    *s = (lb_shards){.params = params, .count = count};
    size_t bytes = (size_t)lb_params_size(params) * sizeof(lb_real);
    for (int level = 0; 1 << level < count; level++) {
        s->grads[level] = lb_alloc(bytes);
        if (!s->grads[level])
            return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %d shards", count);
    }
    return LB_OK;
}

void lb_shards_free(lb_shards *s)
{
    for (int level = 0; level < LB_SHARD_LEVELS; level++) lb_release(s->grads[level]);
}

/* The last part of a step finds all others waiting. */
void lb_shards_add(lb_shards *s, lb_shard_totals *part)
{
    lb_real *grads = lb_params_grads(s->params);
    int64_t size = lb_params_size(s->params);
    int level = 0;
    for (; s->done >> level & 1; level++) {
        lb_add_to(size, s->grads[level], grads);
        part->loss += s->totals[level].loss;
        part->tokens += s->totals[level].tokens;
    }
    s->done = (s->done + 1) % s->count;
    if (s->done == 0) return;
    s->totals[level] = *part;
    lb_copy_to(size, grads, s->grads[level]);
    lb_set_zero(size, grads);
}
