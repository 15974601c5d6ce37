/* The film of a training: outputs and attention for a few held-out pairs at each evaluation, as lines of JSON. */
#include "translate/run/stepper.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "data/text/symbols.h"
#include "io/file.h"
#include "io/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NO_SYMBOL[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* The bytes of the lines of earlier evaluations, up to the first that is something else. */
static size_t count_earlier(const char *text, const lb_train_history *history)
{
    bool known = true;
    const char *at = text, *end;
    while (known && (end = strchr(at, '\n')) != NULL) {
        cJSON *json;
        const bool read = lb_json_parse(at, (size_t)(end - at), NULL, &json) == LB_OK;
        const double step = lb_json_member(json, "step", -1);
        known = false;
        for (int64_t i = 0; i < history->count && read && !known; i++)
            known = (double)history->points[i].step == step;
        if (known) at = end + 1;
        cJSON_Delete(json);
    }
    return (size_t)(at - text);
}

lb_status lb_attention_history_begin(lb_attention_history *shown, const lb_train_history *history,
                                     lb_error *error)
{
    void *text;
    size_t count;
    if (shown->continued) return LB_OK;
    shown->continued = true;
    /* Weights from elsewhere have been evaluated before the first step. */
    if (shown->begun || history->count == 0 || lb_file_is_missing(shown->path)) return LB_OK;
    lb_status status = lb_file_read_own(shown->path, 0, &text, &count, error);
    if (status) return status;
    shown->size = count_earlier(text, history);
    lb_release(text);
    return LB_OK;
}

static void print_symbols(lb_buffer *json, const char *key, const lb_vocabulary *vocabulary,
                          const int32_t *id, int32_t length)
{
    lb_json_open(json, key, "[");
    for (int32_t i = 0; i < length; i++) {
        const char *symbol = id[i] < LB_FIRST_TOKEN ? NO_SYMBOL : lb_vocabulary_symbol(vocabulary, id[i]);
        lb_json_string(json, NULL, lb_symbol_name(symbol));
    }
    lb_buffer_print(json, "]");
}

/* The mean over the heads of the last layer for one step and position of a row. */
static double weight_of(const lb_decoded *all, int64_t row, int64_t step, int64_t position)
{
    double sum = 0;
    int64_t first = ((row + 1) * all->layers - 1) * all->heads;
    for (int64_t head = first; head < first + all->heads; head++)
        sum += (double)all->weights[(head * all->length + step) * all->source_length + position];
    return sum / (double)all->heads;
}

static void print_weights(lb_buffer *json, const lb_decoded *all, int64_t row, int64_t length)
{
    int64_t steps = all->lengths[row] + all->finished[row];
    size_t count = (size_t)(steps * length), letters = lb_base64_length(count);
    unsigned char *bytes = lb_alloc(count + 1);
    char *text = lb_alloc(letters + 1);
    json->failed = json->failed || !bytes || !text;
    if (bytes && text) {
        for (int64_t i = 0; i < steps * length; i++)
            bytes[i] = (unsigned char)lround(255 * weight_of(all, row, i / length, i % length));
        lb_base64_encode(bytes, count, text);
        lb_buffer_print(json, "%.*s", (int)letters, text);
    }
    lb_release(bytes);
    lb_release(text);
}

static void print_pair(lb_buffer *json, const lb_text_model *model, const lb_batch *batch,
                       const lb_decoded *all, int64_t row, int64_t pair, int64_t step)
{
    int32_t length = batch->source.lengths[row];
    lb_json_open(json, NULL, "{");
    lb_json_whole(json, "step", step);
    lb_json_whole(json, "pair", pair);
    print_symbols(json, "source", model->source, batch->source.id + row * batch->source.length, length);
    print_symbols(json, "expected", model->target, batch->target_out.id + row * batch->target_out.length,
                  batch->target_out.lengths[row] - 1);
    print_symbols(json, "output", model->target, all->id + row * all->length, all->lengths[row]);
    lb_json_bool(json, "finished", all->finished[row]);
    lb_json_open(json, "weights", "\"");
    if (all->weights) print_weights(json, all, row, length);
    lb_buffer_print(json, "\"}\n");
}

/* Decodes the pairs and prints their lines. `number` has room for theirs. */
static lb_status decode_pairs(lb_attention_history *shown, lb_data_loader *loader, const lb_text_model *model,
                              int pairs, int64_t *number, int64_t step, lb_error *error)
{
    lb_tape_reset(shown->tape);
    lb_batch batch = lb_data_loader_held_out(loader, shown->tape, pairs, number);
    lb_decoded all = lb_greedy(model->model, batch.source, lb_text_model_limit(model, batch.source.length));
    for (int64_t row = 0; row < all.batch; row++)
        print_pair(&shown->pending, model, &batch, &all, row, number[row], step);
    lb_status status = lb_tape_status(shown->tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(shown->tape));
    return shown->pending.failed ? lb_out_of_memory_for(shown->path, error) : LB_OK;
}

static lb_status drop_old(lb_attention_history *shown, const lb_train_history *history, lb_error *error)
{
    bool own = shown->begun || history->count > 1;
    shown->begun = true;
    if (own || remove(shown->path) == 0 || errno == ENOENT) return LB_OK;
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot remove: %s", shown->path, strerror(errno));
}

lb_status lb_attention_history_add(lb_attention_history *shown, lb_data_loader *loader,
                                   const lb_text_model *model, int pairs, const lb_train_history *history,
                                   lb_error *error)
{
    if (pairs <= 0) return drop_old(shown, history, error);
    shown->begun = true;
    if (!shown->tape) shown->tape = lb_tape_new();
    int64_t *number = lb_alloc((size_t)pairs * sizeof *number);
    lb_status status = !number || !shown->tape ? lb_out_of_memory_for(shown->path, error)
                                               : decode_pairs(shown, loader, model, pairs, number,
                                                              lb_train_last(history)->step, error);
    lb_release(number);
    return status ? status : lb_attention_history_save(shown, error);
}

lb_status lb_attention_history_save(lb_attention_history *shown, lb_error *error)
{
    const lb_buffer *lines = &shown->pending;
    if (lines->length == 0) return LB_OK;
    bool appends = shown->size > 0 && !lb_file_is_missing(shown->path);
    lb_status status =
        appends ? lb_file_append(shown->path, shown->size, lines->text, lines->length, error)
                : lb_file_write_own(shown->path, &(lb_bytes){lines->text, lines->length}, 1, error);
    if (status) return status;
    shown->size = (appends ? shown->size : 0) + lines->length;
    shown->pending.length = 0;
    return LB_OK;
}

void lb_attention_history_free(lb_attention_history *shown)
{
    lb_tape_free(shown->tape);
    lb_release(shown->pending.text);
    lb_release(shown->path);
}
