#include "train/hidden_symbols.h"

#include "base/alloc.h"
#include "data/symbols.h"
#include "models/attention/copying.h"
#include "train/batch.h"

#include <math.h>

lb_status lb_hidden_shares(const lb_model *model, const lb_vocabulary *source, double most, double **share,
                           lb_error *error)
{
    double sum = 0, copied = 0;
    int32_t size = lb_vocabulary_size(source);
    *share = NULL;
    if (!model->copies) return LB_OK;
    double *each = lb_alloc_zero((size_t)size * sizeof *each);
    if (!each) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++) {
        if (lb_model_copied_as(model, id) < LB_FIRST_TOKEN) continue;
        sum += (double)lb_vocabulary_count(source, id);
        copied++;
    }
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++)
        if (lb_model_copied_as(model, id) >= LB_FIRST_TOKEN)
            each[id] = most * fmin(1, sum / copied / fmax((double)lb_vocabulary_count(source, id), 1));
    *share = each;
    return LB_OK;
}

/* One row of a batch, writable. */
typedef struct row {
    int32_t *source, *target_in, *target_out;
    int32_t source_length, target_length;
} row;

/* Makes a symbol of the source unknown in the whole row, and in the target where it is copied as `target`. */
static void hide(const row *r, int32_t source, int32_t target)
{
    for (int32_t i = 0; i < r->source_length; i++)
        if (r->source[i] == source) r->source[i] = LB_UNK;
    for (int32_t i = 0; i < r->target_length; i++) {
        if (r->target_in[i] == target) r->target_in[i] = LB_UNK;
        if (r->target_out[i] == target) r->target_out[i] = LB_UNK;
    }
}

static bool has(const int32_t *id, int32_t length, int32_t wanted)
{
    for (int32_t i = 0; i < length; i++)
        if (id[i] == wanted) return true;
    return false;
}

static void hide_some(const lb_model *model, const row *r, const double *share, lb_rng rng, uint64_t first)
{
    for (int32_t i = 0; i < r->source_length; i++) {
        int32_t source = r->source[i], target = lb_model_copied_as(model, source);
        if (target < LB_FIRST_TOKEN || has(r->source, i, source)) continue; /* once per symbol */
        if (lb_rng_uniform(rng, first + (uint64_t)i) >= share[source]) continue;
        if (has(r->target_out, r->target_length, target)) hide(r, source, target);
    }
}

lb_batch lb_hide_symbols(const lb_model *model, lb_batch batch, const double *share, uint64_t seed,
                         int64_t step)
{
    if (!share || batch.source.batch == 0) return batch;
    lb_batch_rows to;
    lb_batch hidden = lb_batch_copy(batch, &to);
    lb_rng rng = {seed, lb_rng_stream("hidden symbols"), (uint32_t)step};
    for (int64_t i = 0; i < hidden.source.batch; i++) {
        int64_t source = i * to.source_width, target = i * to.target_width;
        row r = {to.source + source, to.target_in + target, to.target_out + target, to.source_lengths[i],
                 to.out_lengths[i]};
        hide_some(model, &r, share, rng, (uint64_t)source);
    }
    return hidden;
}
