#include "train/examples.h"

#include "base/bytes.h"
#include "lookback/op.h"

#include <math.h>
#include <string.h>

static lb_status check_answers(const lb_examples *e, lb_error *error)
{
    int answers = (e->labels != NULL) + (e->tags != NULL) + (e->values != NULL) + e->next;
    if (e->count < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found %lld examples, expected at least one",
                            (long long)e->count);
    if (!e->numbers && !e->ids)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found nothing to read, expected numbers or ids");
    if (answers != 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found %d answers, expected one of labels, tags, values and next", answers);
    if ((e->next || e->tags) && !e->ids)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found no ids, expected some",
                            e->next ? "next" : "tags");
    return LB_OK;
}

/* The fields that say how long a row is. */
static lb_status check_sizes(const lb_examples *e, lb_error *error)
{
    const struct {
        const char *field;
        bool needed;
        int64_t size;
    } sizes[] = {{"width", e->numbers != NULL, e->width},
                 {"length", e->ids != NULL, e->length},
                 {"vocabulary", e->ids != NULL, e->vocabulary},
                 {"classes", e->labels || e->tags, e->classes},
                 {"outputs", e->values != NULL, e->outputs}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].needed && sizes[i].size < 1)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %lld, expected at least 1: is it set?",
                                sizes[i].field, (long long)sizes[i].size);
    return LB_OK;
}

static lb_status check_numbers(const char *what, const lb_real *numbers, int64_t count, int64_t width,
                               lb_error *error)
{
    for (int64_t i = 0; numbers && i < count * width; i++)
        if (!isfinite(numbers[i]))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "example %lld: %s %lld is %g, expected a number",
                                (long long)(i / width), what, (long long)(i % width), (double)numbers[i]);
    return LB_OK;
}

static int32_t length_of(const lb_examples *e, int64_t number)
{
    return e->lengths ? e->lengths[number] : (int32_t)e->length;
}

static lb_status check_ids(const lb_examples *e, int64_t number, lb_error *error)
{
    int32_t length = length_of(e, number);
    if (length < 0 || length > e->length)
        return lb_error_set(error, LB_ERROR_INDEX, "example %lld: length %d, expected 0 to %lld",
                            (long long)number, (int)length, (long long)e->length);
    for (int32_t i = 0; i < length; i++) {
        int32_t id = e->ids[number * e->length + i];
        if (id < 0 || id >= e->vocabulary)
            return lb_error_set(error, LB_ERROR_INDEX,
                                "example %lld: id %d at position %d, expected 0 to %lld", (long long)number,
                                (int)id, (int)i, (long long)e->vocabulary - 1);
        int32_t tag = e->tags ? e->tags[number * e->length + i] : LB_NO_LABEL;
        if (tag != LB_NO_LABEL && (tag < 0 || tag >= e->classes))
            return lb_error_set(error, LB_ERROR_INDEX,
                                "example %lld: tag %d at position %d, expected 0 to %lld, or %d for none",
                                (long long)number, (int)tag, (int)i, (long long)e->classes - 1,
                                (int)LB_NO_LABEL);
    }
    return LB_OK;
}

lb_status lb_examples_check(const lb_examples *e, lb_error *error)
{
    lb_status status = check_answers(e, error);
    if (!status) status = check_sizes(e, error);
    if (!status) status = check_numbers("number", e->numbers, e->count, e->width, error);
    if (!status) status = check_numbers("value", e->values, e->count, e->outputs, error);
    for (int64_t i = 0; e->ids && i < e->count && !status; i++) status = check_ids(e, i, error);
    for (int64_t i = 0; e->labels && i < e->count && !status; i++)
        if (e->labels[i] < 0 || e->labels[i] >= e->classes)
            status = lb_error_set(error, LB_ERROR_INDEX, "example %lld: label %d, expected 0 to %lld",
                                  (long long)i, (int)e->labels[i], (long long)e->classes - 1);
    return status;
}

static uint64_t hash_array(uint64_t hash, const void *array, int64_t count, size_t size)
{
    return lb_hash(hash, array, array ? (size_t)count * size : 0);
}

uint64_t lb_examples_hash(const lb_examples *e)
{
    const int64_t sizes[] = {e->count,
                             e->numbers ? e->width : 0,
                             e->ids ? e->length : 0,
                             e->vocabulary,
                             e->labels || e->tags ? e->classes : 0,
                             e->values ? e->outputs : 0,
                             e->next};
    uint64_t hash = lb_hash(LB_HASH, sizes, sizeof sizes);
    hash = hash_array(hash, e->numbers, e->count * e->width, sizeof *e->numbers);
    for (int64_t i = 0; e->ids && i < e->count; i++) { /* what follows in a row may be anything */
        int32_t length = length_of(e, i);
        hash = lb_hash(hash, &length, sizeof length);
        hash = lb_hash(hash, e->ids + i * e->length, (size_t)length * sizeof *e->ids);
        if (e->tags) hash = lb_hash(hash, e->tags + i * e->length, (size_t)length * sizeof *e->tags);
    }
    hash = hash_array(hash, e->labels, e->count, sizeof *e->labels);
    return hash_array(hash, e->values, e->count * e->outputs, sizeof *e->values);
}

static lb_tensor *rows_of(lb_tape *tape, const lb_real *rows, int64_t width, const int64_t *number,
                          int64_t count)
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(count, width), NULL);
    for (int64_t row = 0; row < count && lb_is_sound(x); row++)
        memcpy(x->data + row * width, rows + number[row] * width, (size_t)width * sizeof *rows);
    return x;
}

/* With `next`, the model reads all ids but the last, and answers all but the first. */
static void add_tokens(const lb_examples *e, lb_tape *tape, const int64_t *number, int64_t count,
                       lb_example_batch *batch)
{
    const int32_t *answers = e->next ? e->ids + 1 : e->tags; /* of each id; NULL: the rows have one */
    int32_t longest = 1, *id, *lengths, *label, *label_lengths;
    for (int64_t row = 0; row < count; row++) {
        int32_t length = length_of(e, number[row]) - e->next;
        longest = length > longest ? length : longest;
    }
    batch->input.tokens = lb_tokens_new(tape, count, longest, &id, &lengths);
    if (answers) batch->labels = lb_tokens_new(tape, count, longest, &label, &label_lengths);
    if (lb_tape_status(tape)) return;
    for (int64_t row = 0; row < count; row++) {
        int64_t at = number[row] * e->length;
        int32_t length = length_of(e, number[row]) - e->next;
        lengths[row] = length > 0 ? length : 0;
        memcpy(id + row * longest, e->ids + at, (size_t)lengths[row] * sizeof *id);
        for (int32_t i = 0; answers && i < longest; i++)
            label[row * longest + i] = i < length ? answers[at + i] : LB_NO_LABEL;
        if (answers) label_lengths[row] = lengths[row];
    }
}

static lb_tokens labels_of(const lb_examples *e, lb_tape *tape, const int64_t *number, int64_t count)
{
    int32_t *label, *lengths;
    lb_tokens labels = lb_tokens_new(tape, count, 1, &label, &lengths);
    for (int64_t row = 0; row < labels.batch; row++) {
        label[row] = e->labels[number[row]];
        lengths[row] = 1;
    }
    return labels;
}

lb_example_batch lb_examples_batch(const lb_examples *e, lb_tape *tape, const int64_t *number, int64_t count)
{
    lb_example_batch batch = {.input = {.tape = tape, .tokens = {.tape = tape}}, .labels = {.tape = tape}};
    if (e->numbers) batch.input.numbers = rows_of(tape, e->numbers, e->width, number, count);
    if (e->ids) add_tokens(e, tape, number, count, &batch);
    if (e->labels) batch.labels = labels_of(e, tape, number, count);
    if (e->values) batch.values = rows_of(tape, e->values, e->outputs, number, count);
    return batch;
}

/* ---- For teacher forcing: lookback/train.h. ---- */

lb_batch lb_tokens_batch(lb_tokens source, lb_tokens target)
{
    lb_tape *tape = source.tape;
    const lb_tokens none = {.tape = tape};
    int32_t *id, *lengths, *in, *in_lengths, *out, *out_lengths;
    if (source.batch != target.batch)
        lb_tape_fail(tape, LB_ERROR_SHAPE, "lb_tokens_batch: found %lld sources and %lld targets",
                     (long long)source.batch, (long long)target.batch);
    if (lb_tape_status(tape)) return (lb_batch){none, none, none, NULL};
    const int64_t width = target.length + 1;
    lb_batch batch = {.source = lb_tokens_new(tape, source.batch, source.length, &id, &lengths),
                      .target_in = lb_tokens_new(tape, target.batch, width, &in, &in_lengths),
                      .target_out = lb_tokens_new(tape, target.batch, width, &out, &out_lengths)};
    if (lb_tape_status(tape)) return (lb_batch){none, none, none, NULL};
    for (int64_t row = 0; row < batch.source.batch; row++) {
        const int64_t symbols = target.lengths[row], first = row * width;
        lengths[row] = source.lengths[row];
        memcpy(id + row * source.length, source.id + row * source.length, (size_t)lengths[row] * sizeof *id);
        in[first] = LB_BOS;
        memcpy(in + first + 1, target.id + row * target.length, (size_t)symbols * sizeof *in);
        memcpy(out + first, target.id + row * target.length, (size_t)symbols * sizeof *out);
        out[first + symbols] = LB_EOS;
        in_lengths[row] = out_lengths[row] = (int32_t)symbols + 1;
    }
    return batch;
}
