/* Evaluations batch by batch: the share of right outputs, their edits, and the loss. */
#include "translate/batches/evaluate.h"

#include "base/alloc.h"
#include "lookback/metrics.h"
#include "lookback/op.h"

#include <math.h>
#include <string.h>

/* ---- Limits. ---- */

/* How far the lengths of the training count for a source: they come from the file, and a small file could ask for
 * minutes with them. It grows by doubling, so that sources of similar lengths have the same limit: they are decoded
 * together. */
static int64_t most_of_training(int64_t source_length)
{
    int64_t most = LB_TEXT_MODEL_TRUSTED;
    while (most < LB_TEXT_MODEL_RATIO * source_length) most *= 2;
    return most;
}

int64_t lb_output_limit(int64_t longest, int64_t source_length)
{
    int64_t most = most_of_training(source_length);
    if (longest > most) longest = most;
    return 2 * (longest > source_length ? longest : source_length) + 8;
}

/* ---- One batch. ---- */

bool lb_row_is_right(const lb_tensor *logits, lb_tokens target_out, int64_t row)
{
    const int64_t classes = lb_dim(logits, -1), first = row * target_out.length;
    const int32_t end = classes > LB_EOS ? LB_EOS : 0; /* nothing before it is written */
    for (int64_t t = first; t < first + target_out.lengths[row]; t++) {
        const lb_real *written = logits->data + t * classes + end;
        if (end + lb_argmax(written, classes - end) != target_out.id[t]) return false;
    }
    return true;
}

/* The edits that correct an output. */
static int64_t edits_of(lb_sequence output, lb_tokens target, int64_t row)
{
    int64_t distance = 0;
    lb_sequence reference = {target.id + row * target.length, target.lengths[row] - 1};
    if (lb_edit_distance(output, reference, &distance, NULL))
        lb_tape_fail(target.tape, LB_ERROR_MEMORY, "out of memory for an edit distance");
    return distance;
}

static lb_tokens select_rows(lb_tokens tokens, const int64_t *row, int64_t count)
{
    int32_t *id, *lengths;
    lb_tokens selected = lb_tokens_new(tokens.tape, count, tokens.length, &id, &lengths);
    for (int64_t i = 0; i < selected.batch; i++) {
        memcpy(id + i * tokens.length, tokens.id + row[i] * tokens.length,
               (size_t)tokens.length * sizeof *id);
        lengths[i] = tokens.lengths[row[i]];
    }
    return selected;
}

/* The greedy outputs of some rows. */
static lb_decoded decode_rows(const lb_model *model, lb_batch batch, const int64_t *row, int64_t count,
                              int64_t longest)
{
    int64_t limit = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t most = lb_output_limit(longest, batch.source.lengths[row[i]]);
        limit = most > limit ? most : limit;
    }
    return lb_greedy(model, select_rows(batch.source, row, count), limit);
}

/* An output, cut where it would end without the others of its batch. */
static lb_sequence output_of(const lb_decoded *decoded, int64_t i, int64_t most)
{
    int64_t length = decoded->lengths[i];
    return (lb_sequence){decoded->id + i * decoded->length, length < most ? length : most};
}

lb_status lb_tally_add_edits(lb_tally *tally, const lb_model *model, lb_batch batch, const int64_t *row,
                             int64_t count, int64_t longest)
{
    if (count == 0 || lb_tape_status(batch.source.tape)) return lb_tape_status(batch.source.tape);
    lb_decoded decoded = decode_rows(model, batch, row, count, longest);
    if (lb_tape_status(batch.source.tape)) return lb_tape_status(batch.source.tape);
    for (int64_t i = 0; i < count; i++) {
        int64_t most = lb_output_limit(longest, batch.source.lengths[row[i]]);
        tally->edits += edits_of(output_of(&decoded, i, most), batch.target_out, row[i]);
    }
    return lb_tape_status(batch.source.tape);
}

/* The targets as a model reads them: LB_UNK stands for what it cannot write. */
static lb_batch readable(lb_batch batch)
{
    lb_batch_rows rows;
    int64_t all = batch.target_out.batch * batch.target_out.length, at = 0;
    while (at < all && batch.target_out.id[at] != LB_UNWRITABLE) at++;
    if (at == all) return batch;
    batch = lb_batch_copy(batch, &rows);
    for (; at < all && lb_tape_status(batch.source.tape) == LB_OK; at++)
        if (rows.target_out[at] == LB_UNWRITABLE) rows.target_out[at] = LB_UNK;
    return batch;
}

/* The loss of a batch in the order of writing, and its logits; NULL after an error. */
static lb_tensor *add_loss(lb_tally *tally, const lb_model *model, lb_batch written)
{
    written = readable(written);
    lb_tensor *logits = lb_model_forward(model, written.source, written.target_in);
    lb_tensor *loss = lb_model_loss(model, logits, written.target_out, NULL, LB_PAD, 0);
    int64_t tokens = 0;
    if (!lb_is_sound(loss)) return NULL;
    for (int64_t i = 0; i < written.target_out.batch; i++) tokens += written.target_out.lengths[i];
    tally->loss += (double)lb_item(loss) * (double)tokens;
    tally->tokens += tokens;
    return logits;
}

lb_status lb_tally_add_loss(lb_tally *tally, const lb_model *model, lb_batch batch)
{
    add_loss(tally, model, lb_batch_for(model, batch));
    return lb_tape_status(batch.source.tape);
}

int64_t lb_tally_add_forced(lb_tally *tally, const lb_model *model, lb_batch batch, int64_t *wrong)
{
    lb_batch written = lb_batch_for(model, batch);
    int64_t before = tally->tokens, rows = batch.target_out.batch, count = 0;
    lb_tensor *logits = add_loss(tally, model, written);
    if (!logits) return 0;
    for (int64_t i = 0; i < rows; i++)
        if (!lb_row_is_right(logits, written.target_out, i)) wrong[count++] = i;
    tally->symbols += tally->tokens - before - rows;
    tally->rows += rows;
    tally->right += rows - count;
    return count;
}

lb_status lb_tally_add(lb_tally *tally, const lb_model *model, lb_batch batch, bool edits, int64_t longest)
{
    lb_tape *tape = batch.source.tape;
    int64_t *wrong = lb_tape_alloc(tape, (size_t)batch.source.batch * sizeof *wrong);
    if (!wrong) return lb_tape_status(tape);
    const int64_t count = lb_tally_add_forced(tally, model, batch, wrong);
    return edits ? lb_tally_add_edits(tally, model, batch, wrong, count, longest) : lb_tape_status(tape);
}

/* Adds an output whose right answers are `count` rows of targets. */
static void add_output(lb_tally *tally, lb_sequence output, bool finished, lb_tokens target, int64_t first,
                       int64_t count)
{
    int64_t nearest = first, fewest = edits_of(output, target, first);
    for (int64_t row = first + 1; row < first + count; row++) {
        int64_t edits = edits_of(output, target, row);
        if (edits >= fewest) continue;
        nearest = row;
        fewest = edits;
    }
    tally->edits += fewest;
    tally->right += finished && fewest == 0;
    tally->symbols += target.lengths[nearest] - 1;
    tally->rows++;
}

static int64_t rows_of(const int64_t *same, int64_t row)
{
    return same ? same[row] : 1;
}

lb_status lb_tally_add_outputs(lb_tally *tally, const lb_model *model, lb_batch batch, const int64_t *same,
                               const lb_beam_config *search, int64_t longest)
{
    lb_tokens target = batch.target_out;
    lb_beam found = {0};
    lb_decoded decoded = {0};
    int64_t count = 0, *row = lb_tape_alloc(target.tape, (size_t)target.batch * sizeof *row);
    if (lb_tape_status(target.tape)) return lb_tape_status(target.tape);
    for (int64_t i = 0; i < target.batch; i += rows_of(same, i)) row[count++] = i;
    if (search)
        found = lb_beam_search(model, select_rows(batch.source, row, count), *search);
    else
        decoded = decode_rows(model, batch, row, count, longest);
    if (lb_tape_status(target.tape)) return lb_tape_status(target.tape);
    for (int64_t i = 0; i < count; i++) {
        int64_t most = lb_output_limit(longest, batch.source.lengths[row[i]]), rows = rows_of(same, row[i]);
        const lb_hypothesis *best = search ? &found.hypothesis[i * found.n_best] : NULL;
        bool finished = search ? best->finished && best->length <= most
                               : decoded.finished[i] && decoded.lengths[i] <= most;
        lb_sequence output = search ? (lb_sequence){best->id, best->length < most ? best->length : most}
                                    : output_of(&decoded, i, most);
        add_output(tally, output, finished, target, row[i], rows);
    }
    return lb_tape_status(target.tape);
}

lb_status lb_tally_add_search(lb_tally *tally, const lb_model *model, lb_batch batch, lb_beam_config config,
                              int64_t longest)
{
    if (lb_tally_add_outputs(tally, model, batch, NULL, &config, longest))
        return lb_tape_status(batch.source.tape);
    lb_tokens target = readable(batch).target_out;
    const lb_tensor *forced = lb_forced_decode(model, batch.source, target).log_probabilities;
    for (int64_t row = 0; row < target.batch && forced; row++) {
        tally->tokens += target.lengths[row];
        for (int64_t t = row * target.length; t < row * target.length + target.lengths[row]; t++)
            tally->loss -= (double)forced->data[t * model->target_vocab + target.id[t]];
    }
    return lb_tape_status(target.tape);
}

/* ---- Many batches, shared by the processes of a group. ---- */

lb_tally *lb_tallies_next(lb_tallies *t, lb_tape *tape)
{
    if (!lb_alloc_more(&t->batch, (size_t)t->count, &t->room, sizeof *t->batch)) {
        lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory for an evaluation");
        return NULL;
    }
    t->batch[t->count] = (lb_tally){0};
    return &t->batch[t->count++];
}

bool lb_tallies_mine(const lb_tallies *t)
{
    return !t->group || (t->count - 1) % t->group->size == t->group->rank;
}

/* Adds the tally of the process that has the batch. The numbers of others are zeros, so that sums over the group are
 * exact, in any order. */
static lb_status add_tally(const lb_group *group, const lb_tally *t, lb_tally *sum, lb_error *error)
{
    double n[] = {(double)t->rows, (double)t->right,   (double)t->tokens,
                  t->loss,         (double)t->symbols, (double)t->edits};
    lb_status status = lb_group_add_doubles(group, n, sizeof n / sizeof *n, error);
    sum->rows += (int64_t)n[0];
    sum->right += (int64_t)n[1];
    sum->tokens += (int64_t)n[2];
    sum->loss += n[3];
    sum->symbols += (int64_t)n[4];
    sum->edits += (int64_t)n[5];
    return status;
}

lb_status lb_tallies_sum(lb_tallies *t, lb_tape *tape, lb_tally *sum)
{
    *sum = (lb_tally){0};
    for (int64_t i = 0; i < t->count && lb_tape_status(tape) == LB_OK; i++) {
        lb_error error = {0};
        if (add_tally(t->group, &t->batch[i], sum, &error))
            lb_tape_fail(tape, error.status, "%s", error.message);
    }
    const lb_tallies again = {.group = t->group, .in_parts = t->in_parts};
    lb_tallies_free(t);
    *t = again;
    return lb_tape_status(tape);
}

void lb_tallies_free(lb_tallies *t)
{
    lb_release(t->batch);
    lb_release(t->wrong);
}

static double share(double part, int64_t of)
{
    return of > 0 ? part / (double)of : 0;
}

lb_evaluation lb_tally_evaluation(const lb_tally *tally, int64_t count)
{
    return (lb_evaluation){.exact_match = share((double)tally->right, count),
                           .symbol_error = share((double)tally->edits, tally->symbols),
                           .loss = tally->tokens > 0 ? tally->loss / (double)tally->tokens : NAN};
}
