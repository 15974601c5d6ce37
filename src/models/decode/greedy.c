#include "lookback/models.h"

#include "autograd/tape.h"
#include "lookback/op.h"
#include "models/decode/model.h"

#include <string.h>

enum { FIRST_ROOM = 64 }; /* tokens of an output; there is more as they are written */

/* Attention maps per row. */
static int64_t maps_of(const lb_decoded *all)
{
    return all->layers * all->heads;
}

/* Makes room for `room` tokens in each row, which had `before`. It grows with the outputs, not with the limit. False if
 * the tape has failed. */
static bool make_room(lb_tape *tape, lb_decoded *all, int64_t before, int64_t room)
{
    int64_t maps = maps_of(all), width = all->source_length;
    size_t cells = (size_t)(all->batch * room), row = (size_t)(maps * width);
    int32_t *id = lb_tape_alloc_lasting(tape, cells * sizeof *id);
    lb_real *weights = row ? lb_tape_alloc_lasting(tape, cells * row * sizeof *weights) : NULL;
    if (lb_tape_status(tape)) return false;
    memset(id, 0, cells * sizeof *id);
    for (int64_t i = 0; i < all->batch && before; i++)
        memcpy(id + i * room, all->id + i * before, (size_t)before * sizeof *id);
    for (int64_t m = 0; m < all->batch * maps && before && weights; m++)
        memcpy(weights + m * room * width, all->weights + m * before * width,
               (size_t)(before * width) * sizeof *weights);
    all->id = id;
    all->weights = weights;
    return true;
}

/* Takes the token of one step for every unfinished row. Returns how many rows continue. */
static int64_t take_tokens(lb_decoded *all, int64_t room, int64_t t, const lb_model_step *step, int32_t *next)
{
    int64_t classes = lb_dim(step->logits, -1), maps = maps_of(all), writing = 0;
    for (int64_t row = 0; row < all->batch; row++) {
        for (int64_t m = row * maps; all->weights && m < (row + 1) * maps; m++)
            memcpy(all->weights + (m * room + t) * all->source_length,
                   step->weights->data + m * all->source_length,
                   (size_t)all->source_length * sizeof(lb_real));
        next[row] = lb_model_likeliest(step->logits->data + row * classes, classes);
        all->finished[row] |= next[row] == LB_EOS;
        if (all->finished[row]) continue;
        all->id[row * room + t] = next[row];
        all->lengths[row]++;
        writing++;
    }
    return writing;
}

/* Closes the gaps between rows, which were `room` apart, because the longest length was not known yet. */
static void close_gaps(lb_decoded *all, int64_t room)
{
    for (int64_t row = 1; row < all->batch; row++)
        memmove(all->id + row * all->length, all->id + row * room, (size_t)all->length * sizeof *all->id);
    int64_t map = all->length * all->source_length;
    for (int64_t m = 1; all->weights && m < all->batch * maps_of(all); m++)
        memmove(all->weights + m * map, all->weights + m * room * all->source_length,
                (size_t)map * sizeof *all->weights);
}

/* Puts outputs into reading order. */
static void reverse_outputs(lb_decoded *all)
{
    int64_t map = all->length * all->source_length;
    for (int64_t row = 0; row < all->batch; row++) {
        lb_reverse(all->id + row * all->length, all->lengths[row], sizeof *all->id);
        for (int64_t m = row * maps_of(all); all->weights && m < (row + 1) * maps_of(all); m++)
            lb_rows_reverse(all->weights + m * map, all->lengths[row], all->source_length);
    }
}

static lb_decoded decode_all(const lb_model *model, lb_tokens source, int64_t limit)
{
    lb_tape *tape = source.tape;
    lb_decoded all = {.source_length = source.length, .layers = model->layers, .heads = model->heads};
    lb_writing w = lb_writing_begin(model, source, false, source.batch, 1);
    w.all_go_on = true;
    all.lengths = lb_tape_alloc_zero(tape, source.batch, sizeof *all.lengths);
    all.finished = lb_tape_alloc_zero(tape, source.batch, sizeof *all.finished);
    if (lb_tape_status(tape) == LB_OK) all.batch = source.batch;
    int64_t room = 0, writing = source.batch;
    while (writing > 0 && all.length < limit && lb_writing_step(&w, source.batch, NULL, NULL)) {
        if (all.length == room) {
            int64_t wanted = room ? 2 * room : FIRST_ROOM, next_room = wanted < limit ? wanted : limit;
            if (!make_room(tape, &all, room, next_room)) break;
            room = next_room;
        }
        writing = take_tokens(&all, room, all.length++, &w.step, w.token);
    }
    lb_writing_end(&w);
    if (lb_tape_status(tape) || !all.id) return (lb_decoded){0};
    close_gaps(&all, room);
    return all;
}

lb_decoded lb_greedy(const lb_model *model, lb_tokens source, int64_t limit)
{
    if (limit < 1) {
        lb_tape_fail(source.tape, LB_ERROR_ARGUMENT, "lb_greedy: found limit %lld, expected at least 1",
                     (long long)limit);
        return (lb_decoded){0};
    }
    lb_decoded all = decode_all(model, source, lb_model_limit(model, limit));
    if (model->from_end) reverse_outputs(&all);
    return all;
}
