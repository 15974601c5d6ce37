#include "train/tally.h"

#include "lookback/metrics.h"
#include "lookback/op.h"
#include "train/evaluate.h"

#include <string.h>

/* The rows of the batch that are not right, as sources on their own; `row` receives their numbers. */
static lb_tokens select_wrong(lb_batch batch, const lb_tensor *logits, int64_t *row)
{
    int32_t *id, *lengths;
    int64_t count = 0, width = batch.source.length;
    for (int64_t i = 0; i < batch.source.batch; i++)
        if (!lb_row_is_right(logits, batch.target_out, i)) row[count++] = i;
    lb_tokens wrong = lb_tokens_new(batch.source.tape, count, width, &id, &lengths);
    for (int64_t i = 0; i < wrong.batch; i++) {
        memcpy(id + i * width, batch.source.id + row[i] * width, (size_t)width * sizeof *id);
        lengths[i] = batch.source.lengths[row[i]];
    }
    return wrong;
}

/* An output that does not end would count without limit: it is cut off at twice its target's length. */
static int64_t most_symbols(lb_tokens target, int64_t row)
{
    return 2 * (int64_t)target.lengths[row];
}

static lb_status add_edits(lb_tally *tally, const lb_decoded *decoded, lb_tokens target, const int64_t *row)
{
    for (int64_t i = 0; i < decoded->batch; i++) {
        int64_t distance = 0, most = most_symbols(target, row[i]), length = decoded->lengths[i];
        lb_sequence output = {decoded->id + i * decoded->length, length < most ? length : most},
                    reference = {target.id + row[i] * target.length, target.lengths[row[i]] - 1};
        if (lb_edit_distance(output, reference, &distance, NULL))
            lb_tape_fail(target.tape, LB_ERROR_MEMORY, "out of memory for an edit distance");
        tally->edits += distance;
    }
    return lb_tape_status(target.tape);
}

static lb_status decode_wrong(lb_tally *tally, const lb_model *model, lb_batch batch, const lb_tensor *logits)
{
    lb_tape *tape = batch.source.tape;
    int64_t *row = lb_tape_alloc(tape, (size_t)batch.source.batch * sizeof *row);
    if (!row) return lb_tape_status(tape);
    lb_tokens wrong = select_wrong(batch, logits, row);
    if (wrong.batch == 0) return lb_tape_status(tape);
    int64_t limit = 0;
    for (int64_t i = 0; i < wrong.batch; i++)
        limit =
            most_symbols(batch.target_out, row[i]) > limit ? most_symbols(batch.target_out, row[i]) : limit;
    lb_decoded decoded = lb_greedy(model, wrong, limit);
    lb_status status = lb_tape_status(tape);
    return status ? status : add_edits(tally, &decoded, batch.target_out, row);
}

lb_status lb_tally_add(lb_tally *tally, const lb_model *model, lb_batch batch, bool edits)
{
    lb_tensor *logits = lb_model_forward(model, batch.source, batch.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    if (!lb_is_sound(loss)) return lb_tape_status(batch.source.tape);
    int64_t tokens = 0, rows = batch.target_out.batch;
    for (int64_t i = 0; i < rows; i++) tokens += batch.target_out.lengths[i];
    int64_t right = lb_exact_matches_forced(logits, batch.target_out);
    tally->loss += (double)lb_item(loss) * (double)tokens;
    tally->tokens += tokens;
    tally->symbols += tokens - rows;
    tally->rows += rows;
    tally->right += right;
    return right == rows || !edits ? LB_OK : decode_wrong(tally, model, batch, logits);
}

static double share(double part, int64_t of)
{
    return of > 0 ? part / (double)of : 0;
}

lb_evaluation lb_tally_evaluation(const lb_tally *tally, int64_t count)
{
    return (lb_evaluation){.exact_match = share((double)tally->right, count),
                           .symbol_error = share((double)tally->edits, tally->symbols),
                           .loss = share(tally->loss, tally->tokens)};
}
