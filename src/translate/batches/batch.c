#include "translate/batches/batch.h"

#include "base/bytes.h"
#include "lookback/op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lb_batch lb_batch_empty(lb_tape *tape)
{
    lb_tokens none = {.tape = tape};
    return (lb_batch){none, none, none, NULL};
}

lb_batch lb_batch_new(lb_tape *tape, int64_t size, int64_t source_longest, int64_t target_longest,
                      lb_batch_rows *rows)
{
    *rows = (lb_batch_rows){.source_width = source_longest, .target_width = target_longest + 1};
    lb_batch batch = {
        .source = lb_tokens_new(tape, size, rows->source_width, &rows->source, &rows->source_lengths),
        .target_in = lb_tokens_new(tape, size, rows->target_width, &rows->target_in, &rows->in_lengths),
        .target_out = lb_tokens_new(tape, size, rows->target_width, &rows->target_out, &rows->out_lengths),
    };
    return lb_tape_status(tape) ? lb_batch_empty(tape) : batch;
}

static lb_tokens copy_tokens(lb_tokens tokens, int32_t **id, int32_t **lengths)
{
    lb_tokens copy = lb_tokens_new(tokens.tape, tokens.batch, tokens.length, id, lengths);
    if (copy.batch == 0) return copy;
    memcpy(*id, tokens.id, (size_t)(tokens.batch * tokens.length) * sizeof **id);
    memcpy(*lengths, tokens.lengths, (size_t)tokens.batch * sizeof **lengths);
    return copy;
}

lb_batch lb_batch_copy(lb_batch batch, lb_batch_rows *rows)
{
    *rows = (lb_batch_rows){.source_width = batch.source.length, .target_width = batch.target_out.length};
    lb_batch copy = {
        .source = copy_tokens(batch.source, &rows->source, &rows->source_lengths),
        .target_in = copy_tokens(batch.target_in, &rows->target_in, &rows->in_lengths),
        .target_out = copy_tokens(batch.target_out, &rows->target_out, &rows->out_lengths),
        .weights = batch.weights,
    };
    return lb_tape_status(batch.source.tape) ? lb_batch_empty(batch.source.tape) : copy;
}

void lb_batch_set_source(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length)
{
    int32_t *to = rows->source + row * rows->source_width;
    for (int32_t i = 0; i < length; i++) to[i] = id[i];
    rows->source_lengths[row] = length;
}

void lb_batch_set_target(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length)
{
    int32_t *in = rows->target_in + row * rows->target_width,
            *out = rows->target_out + row * rows->target_width;
    in[0] = LB_BOS;
    for (int32_t i = 0; i < length; i++) in[i + 1] = out[i] = id[i];
    out[length] = LB_EOS;
    rows->in_lengths[row] = rows->out_lengths[row] = length + 1;
}

lb_batch lb_batch_for(const lb_model *model, lb_batch batch)
{
    lb_batch_rows rows;
    if (!model->from_end || batch.source.batch == 0) return batch;
    lb_batch turned = lb_batch_copy(batch, &rows);
    for (int64_t row = 0; row < turned.source.batch; row++) {
        const int64_t first = row * rows.target_width, symbols = rows.out_lengths[row] - 1;
        lb_reverse(rows.target_in + first + 1, symbols, sizeof *rows.target_in);
        lb_reverse(rows.target_out + first, symbols, sizeof *rows.target_out);
    }
    return turned;
}

lb_tokens lb_target_in_of(const lb_model *model, lb_tokens target_out)
{
    int32_t *id, *lengths;
    lb_tokens in = lb_tokens_new(target_out.tape, target_out.batch, target_out.length, &id, &lengths);
    for (int64_t row = 0; row < in.batch; row++) {
        const int32_t *out = target_out.id + row * target_out.length;
        const int64_t length = target_out.lengths[row],
                      symbols = length - (length > 0 && out[length - 1] == LB_EOS);
        lengths[row] = (int32_t)length;
        id[row * in.length] = LB_BOS;
        for (int64_t t = 1; t < length; t++)
            id[row * in.length + t] = model->from_end ? out[symbols - t] : out[t - 1];
    }
    return in;
}

/* Log-probabilities, with the logits of what is never written at -inf. */
lb_tensor *lb_written_log_probabilities(const lb_model *model, lb_tensor *logits)
{
    lb_tensor *mask =
        lb_is_sound(logits) ? lb_tensor_new(logits->tape, LB_SHAPE(lb_dim(logits, -1)), NULL) : logits;
    if (!lb_is_sound(mask)) return mask;
    const int64_t classes = lb_count(mask);
    for (int64_t i = classes > LB_EOS ? LB_EOS : 0; i < classes; i++) mask->data[i] = 1;
    logits = lb_masked_fill(logits, mask, -(lb_real)INFINITY);
    return model->output == LB_SOFTMAX     ? lb_log_softmax(logits)
           : model->output == LB_SPARSEMAX ? lb_log(lb_sparsemax(logits))
                                           : lb_log(lb_entmax15(logits));
}

lb_status lb_batch_order(lb_tape *tape, int64_t size, const int32_t *lengths, int64_t *row)
{
    lb_row_tiles tiles = lb_row_tiles_of(size);
    uint64_t *rank = lb_tape_alloc(tape, (size_t)size * sizeof *rank);
    if (!rank) return lb_tape_status(tape);
    for (int64_t list = 0; list < size; list++) /* longest first, and lists of the same length in order */
        rank[list] = (uint64_t)(INT32_MAX - lengths[list]) << 32 | (uint64_t)list;
    qsort(rank, (size_t)size, sizeof *rank, lb_compare_whole);
    int64_t next = 0;
    for (int64_t place = 0; place < tiles.rows; place++)
        for (int64_t tile = 0; tile < tiles.count; tile++)
            if (place < lb_row_tile_height(tiles, tile, size))
                row[rank[next++] & UINT32_MAX] = tile * tiles.rows + place;
    return LB_OK;
}
