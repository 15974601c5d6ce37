/* Models of any kind that copy. Kinds do not refer to these functions, so that linking one does not link the others. */
#include "models/attention/copying.h"
#include "models/built_in.h"

#include <math.h>

/* The pointer of the model itself, not of its members. */
static const lb_copying *own_copying(const lb_model *model)
{
    const lb_copying *found = NULL;
    if (model->kind == &lb_seq2seq_kind) found = &((const lb_seq2seq *)model)->copying;
    if (model->kind == &lb_transformer_kind) found = &((const lb_transformer *)model)->copying;
    return found && found->symbols ? found : NULL;
}

const lb_copying *lb_copying_of(const lb_model *model)
{
    if (!lb_is_ensemble(model)) return own_copying(model);
    const lb_ensemble *ensemble = (const lb_ensemble *)model;
    for (int i = 0; i < ensemble->count; i++) {
        const lb_copying *found = lb_copying_of(ensemble->member[i]);
        if (found) return found;
    }
    return NULL;
}

static lb_status refuse_symbol(lb_status status, int64_t source, double symbol, const lb_model *model,
                               lb_error *error)
{
    return lb_error_set(error, status,
                        "the source symbol %lld is copied as %.9g, expected a target symbol from 0 to %lld",
                        (long long)source, symbol, (long long)model->target_vocab - 1);
}

lb_status lb_model_set_copies(lb_model *model, const int32_t *target, lb_error *error)
{
    const lb_copying *copying = own_copying(model);
    if (!copying)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found a model that does not copy, expected one that does");
    for (int64_t i = 0; i < model->source_vocab; i++)
        if (target[i] < 0 || target[i] >= model->target_vocab)
            return refuse_symbol(LB_ERROR_ARGUMENT, i, target[i], model, error);
    for (int64_t i = 0; i < model->source_vocab; i++) copying->symbols->data[i] = (lb_real)target[i];
    return LB_OK;
}

lb_status lb_copying_check(const lb_model *model, lb_error *error)
{
    lb_status status = LB_OK;
    if (lb_is_ensemble(model)) {
        const lb_ensemble *ensemble = (const lb_ensemble *)model;
        for (int i = 0; i < ensemble->count && !status; i++)
            status = lb_copying_check(ensemble->member[i], error);
        return status;
    }
    const lb_copying *copying = own_copying(model);
    for (int64_t i = 0; copying && i < lb_count(copying->symbols) && !status; i++) {
        double symbol = (double)copying->symbols->data[i];
        if (!(symbol >= 0 && symbol < (double)model->target_vocab && symbol == floor(symbol)))
            status = refuse_symbol(LB_ERROR_FORMAT, i, symbol, model, error);
    }
    return status;
}
