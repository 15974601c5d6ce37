#include "train/shards.h"

#include "base/alloc.h"
#include "tensor/arrays.h"

static lb_shard_totals sum_of(lb_shard_totals a, lb_shard_totals b)
{
    return (lb_shard_totals){a.loss + b.loss, a.tokens + b.tokens};
}

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

void lb_shards_put_aside(lb_shards *s, lb_shard_totals part)
{
    lb_real *grads = lb_params_grads(s->params);
    int64_t size = lb_params_size(s->params);
    int level = 0;
    for (; s->done >> level & 1; level++) {
        lb_add_to(size, s->grads[level], grads);
        part = sum_of(part, s->totals[level]);
    }
    s->totals[level] = part;
    lb_copy_to(size, grads, s->grads[level]);
    lb_set_zero(size, grads);
    s->done++;
}

lb_shard_totals lb_shards_end(lb_shards *s, lb_shard_totals part)
{
    for (int level = 0; 1 << level < s->count; level++) {
        lb_add_to(lb_params_size(s->params), s->grads[level], lb_params_grads(s->params));
        part = sum_of(part, s->totals[level]);
    }
    s->done = 0;
    return part;
}
