#include "support/gather.h"

#include "base/alloc.h"

lb_ensemble *support_gather(lb_params *params, const lb_model *const *members, const lb_params *const *stores,
                            int count, const lb_extensions *own, lb_error *error)
{
    lb_ensemble_part *parts = lb_alloc_zero((size_t)(count > 0 ? count : 1) * sizeof *parts);
    if (!parts) {
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for an ensemble");
        return NULL;
    }
    for (int i = 0; i < count; i++) parts[i] = (lb_ensemble_part){.model = members[i], .params = stores[i]};
    lb_ensemble *ensemble = lb_ensemble_gather(params, parts, count, own, error);
    lb_release(parts);
    return ensemble;
}
