#include "data/pair_index.h"

#include "base/buffer.h"
#include "data/pairs.h"

char *lb_pair_index_path(const char *path)
{
    lb_buffer index = {0};
    lb_buffer_print(&index, "%s.index", path);
    return lb_buffer_end(&index);
}

lb_status lb_indexed_pairs_read(lb_indexed_pairs *pairs, lb_pairs *train, int32_t share, lb_error *error)
{
    *pairs = (lb_indexed_pairs){.train = train};
    if (!pairs->train) return error->status;
    if (share > 0) {
        pairs->held_out = lb_pairs_hold_out(pairs->train, share, error);
        if (!pairs->held_out) return error->status;
    }
    pairs->source = lb_vocabulary_new_reserved(error);
    pairs->target = lb_vocabulary_new_reserved(error);
    if (!pairs->source || !pairs->target) return LB_ERROR_MEMORY;
    return lb_pairs_tally_symbols(pairs->train, pairs->source, pairs->target, error);
}

void lb_indexed_pairs_free(lb_indexed_pairs *pairs)
{
    lb_vocabulary_free(pairs->source);
    lb_vocabulary_free(pairs->target);
    lb_pairs_close(pairs->held_out);
    lb_pairs_close(pairs->train);
    lb_scratch_free(&pairs->file);
    *pairs = (lb_indexed_pairs){0};
}
