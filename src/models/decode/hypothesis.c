/* Hypotheses while they are written, for each kind of search, and rows in the order in which a model writes them. */
#include "models/decode/model.h"

#include "autograd/tape.h"
#include "base/bytes.h"
#include "lookback/op.h"
#include "lookback/ops.h"

#include <string.h>

/* ---- Reading order. ---- */

lb_tokens lb_tokens_reversed(lb_tokens rows)
{
    int32_t *id, *lengths;
    lb_tokens turned = lb_tokens_copy(rows, &id, &lengths);
    for (int64_t row = 0; row < turned.batch; row++)
        lb_reverse(id + row * rows.length, lengths[row], sizeof *id);
    return turned;
}

lb_tensor *lb_embedded_reversed(lb_tensor *x, lb_tokens rows)
{
    int32_t *id, *lengths;
    lb_tokens place = lb_tokens_copy(rows, &id, &lengths);
    for (int64_t i = 0; i < place.batch * place.length; i++) id[i] = (int32_t)i;
    if (!lb_is_sound(x) || place.batch == 0) return x;
    return lb_embedding_lookup(lb_tokens_reversed(place),
                               lb_reshape(x, LB_SHAPE(place.batch * place.length, lb_dim(x, 2))));
}

lb_tensor *lb_weights_reversed(const lb_tensor *weights, const lb_tensor *mask)
{
    int64_t rows = lb_dim(mask, 0), keys = lb_dim(mask, 1), each = lb_dim(weights, 1);
    lb_tensor *copy = lb_tensor_new(weights->tape, weights->shape, weights->data);
    for (int64_t row = 0; row < rows && lb_is_sound(copy); row++) {
        int64_t length = 0;
        while (length < keys && mask->data[row * keys + length] != 0) length++;
        for (int64_t t = row * each; t < (row + 1) * each; t++)
            lb_rows_reverse(copy->data + t * keys, length, 1);
    }
    return copy;
}

/* ---- Hypotheses while they are written. ---- */

lb_writing lb_writing_begin(const lb_model *model, lb_tokens source, bool without_weights, int64_t room,
                            int64_t each)
{
    lb_tape *tape = source.tape;
    lb_writing w = {.model = model, .tape = tape, .source = source, .mode = lb_tape_mode(tape)};
    if (!without_weights) w.maps = model->layers * model->heads;
    w.origin = lb_tape_alloc_zero(tape, room, sizeof *w.origin);
    w.token = lb_tape_alloc_zero(tape, room, sizeof *w.token);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    if (lb_tape_status(tape)) return w;
    for (int64_t i = 0; i < room; i++) {
        w.origin[i] = i / each;
        w.token[i] = LB_BOS;
    }
    w.step.state = lb_model_encode(model, source);
    return w;
}

bool lb_writing_step(lb_writing *w, int64_t rows, bool (*stop)(void *context), void *context)
{
    int32_t *id, *lengths;
    if (lb_tape_status(w->tape)) return false;
    if (stop && stop(context)) {
        lb_tape_fail(w->tape, LB_ERROR_INTERRUPTED, "interrupted between two steps of the outputs");
        return false;
    }
    lb_tape_begin_step(w->tape, w->all_go_on);
    lb_decoder_state state = w->model->kind->select(w->model, w->tape, w->step.state, w->origin, rows);
    lb_tokens next = lb_tokens_new(w->tape, rows, 1, &id, &lengths);
    for (int64_t i = 0; i < next.batch; i++) {
        id[i] = w->token[i];
        lengths[i] = 1;
    }
    w->step = lb_model_decode(w->model, state, next, w->source.length);
    if (!w->all_go_on) w->log_probabilities = lb_model_log_probabilities(w->model, w->step.logits);
    return lb_tape_status(w->tape) == LB_OK;
}

const lb_back_pointer *lb_writing_add(const lb_writing *w, const lb_back_pointer *before, int64_t row,
                                      int32_t token)
{
    int64_t map = w->maps * w->source.length;
    lb_back_pointer *made = lb_tape_alloc_lasting(w->tape, sizeof *made);
    lb_real *weights = map ? lb_tape_alloc_lasting(w->tape, (size_t)map * sizeof *weights) : NULL;
    if (!made || (map && !weights)) return NULL;
    if (map) memcpy(weights, w->step.weights->data + row * map, (size_t)map * sizeof *weights);
    *made = (lb_back_pointer){before, token, 0, weights};
    if (!w->all_go_on)
        made->log_probability = (double)w->log_probabilities->data[row * w->model->target_vocab + token];
    return made;
}

void lb_writing_end(const lb_writing *w)
{
    lb_tape_end_steps(w->tape);
    lb_tape_set_mode(w->tape, w->mode);
}

void lb_writing_fill(const lb_writing *w, const lb_back_pointer *last, lb_hypothesis *h)
{
    int64_t length = w->source.length, t = h->steps - 1, maps = h->weights ? w->maps : 0;
    for (const lb_back_pointer *at = last; at; at = at->before, t--) {
        if (t < h->length) h->id[t] = at->token;
        if (h->log_probability) h->log_probability[t] = at->log_probability;
        for (int64_t map = 0; map < maps; map++)
            memcpy(h->weights + (map * h->steps + t) * length, at->weights + map * length,
                   (size_t)length * sizeof *h->weights);
    }
    if (!w->model->from_end) return;
    /* The end stays the last step. */
    lb_reverse(h->id, h->length, sizeof *h->id);
    if (h->log_probability) lb_reverse(h->log_probability, h->length, sizeof *h->log_probability);
    for (int64_t map = 0; map < maps; map++)
        lb_rows_reverse(h->weights + map * h->steps * length, h->length, length);
}

lb_hypothesis lb_writing_trace(const lb_writing *w, const lb_back_pointer *last, lb_hypothesis h)
{
    lb_tape *tape = w->tape;
    int64_t weights = w->maps * h.steps * w->source.length;
    h.length = h.steps - (h.finished ? 1 : 0);
    h.id = lb_tape_alloc_zero(tape, h.length, sizeof *h.id);
    h.log_probability = lb_tape_alloc_zero(tape, h.steps, sizeof *h.log_probability);
    if (w->maps) h.weights = lb_tape_alloc_zero(tape, weights, sizeof *h.weights);
    if (lb_tape_status(tape) == LB_OK) lb_writing_fill(w, last, &h);
    return h;
}
