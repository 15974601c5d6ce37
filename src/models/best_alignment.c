/* The likeliest alignment of a target under hard attention: the algorithm of Viterbi. */
#include "models/attention/decoder_attention.h"
#include "models/built_in.h"
#include "models/decode/model.h"

#include "autograd/op.h"
#include "base/bytes.h"
#include "base/transcendental.h"

#include <math.h>

/* One row of a batch, and the memory for it. */
typedef struct chain {
    const lb_hard_attention *attention;
    lb_hard_view view;
    const lb_tensor *mask;
    int64_t row, steps, keys, classes;
    double *best, *next; /* [keys] log-probability of the likeliest path that ends at each position */
    double *move;        /* [keys] log-probability of the moves from one position */
    int32_t *from;       /* [steps, keys] where that path came from */
} chain;

static double log_sum(const double *x, int64_t count)
{
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    if (isinf(largest)) return largest;
    for (int64_t i = 0; i < count; i++) sum += lb_exp64(x[i] - largest);
    return largest + lb_log64(sum);
}

/* ln p(symbol | position j at step t) */
static double emission(const chain *c, int64_t t, int64_t j, int32_t symbol)
{
    const lb_real *x = c->view.logits->data + ((c->row * c->steps + t) * c->keys + j) * c->classes;
    double largest = -INFINITY, sum = 0;
    for (int64_t v = 0; v < c->classes; v++) largest = (double)x[v] > largest ? (double)x[v] : largest;
    for (int64_t v = 0; v < c->classes; v++) sum += lb_exp64((double)x[v] - largest);
    return (double)x[symbol] - largest - lb_log64(sum);
}

/* Fills in c->move: the moves at step t from position i. */
static void find_moves(chain *c, int64_t t, int64_t i)
{
    const lb_tensor *jumps = c->view.jumps;
    int64_t at = c->row * c->steps + t, reach = jumps ? lb_dim(jumps, -1) - 1 : 0;
    bool monotonic = c->attention->order != LB_HARD_FREE;
    for (int64_t j = 0; j < c->keys; j++) {
        bool open = c->mask->data[c->row * c->keys + j] != 0 && (!monotonic || j >= i);
        int64_t jump = j - i < reach ? j - i : reach;
        c->move[j] = open ? (double)c->view.scores->data[at * c->keys + j] : -INFINITY;
        if (open && jumps) c->move[j] += (double)jumps->data[at * (reach + 1) + jump];
    }
    double normal = log_sum(c->move, c->keys);
    for (int64_t j = 0; j < c->keys && !isinf(normal); j++) c->move[j] -= normal;
}

static void step(chain *c, int64_t t, int32_t symbol)
{
    int32_t *from = c->from + t * c->keys;
    for (int64_t j = 0; j < c->keys; j++) {
        c->next[j] = -INFINITY;
        from[j] = 0;
    }
    for (int64_t i = 0; i < c->keys; i++) {
        if (isinf(c->best[i])) continue;
        find_moves(c, t, i);
        for (int64_t j = 0; j < c->keys; j++) {
            if (c->best[i] + c->move[j] <= c->next[j]) continue;
            c->next[j] = c->best[i] + c->move[j];
            from[j] = (int32_t)i;
        }
    }
    for (int64_t j = 0; j < c->keys; j++)
        c->best[j] = isinf(c->next[j]) ? c->next[j] : c->next[j] + emission(c, t, j, symbol);
}

/* Follows the path back that ends at the likeliest position. */
static double trace(const chain *c, int64_t length, int32_t *position)
{
    int32_t at = 0;
    for (int64_t j = 1; j < c->keys; j++)
        if (c->best[j] > c->best[at]) at = (int32_t)j;
    double log_probability = c->keys ? c->best[at] : 0;
    for (int64_t t = c->steps - 1; t >= 0; t--) {
        position[t] = t < length ? at : -1;
        if (t < length) at = c->from[t * c->keys + at];
    }
    return log_probability;
}

/* Puts the steps into reading order, and the positions, too, unless `source_length` is 0. */
static void turn(int32_t *position, int64_t symbols, int64_t length, int64_t source_length)
{
    for (int64_t t = 0; source_length && t < length; t++)
        position[t] = (int32_t)source_length - 1 - position[t];
    lb_reverse(position, symbols, sizeof *position);
}

/* `backward`: the model writes from the end, and reads from the end if it is monotonic. */
static double align_row(chain *c, lb_tokens source, lb_tokens target_out, bool backward, int32_t *position)
{
    int64_t length = target_out.lengths[c->row], symbols = lb_symbols_before_end(target_out, c->row);
    const int32_t *id = target_out.id + c->row * c->steps;
    for (int64_t j = 0; j < c->keys; j++) c->best[j] = j == 0 ? 0 : -INFINITY;
    for (int64_t t = 0; t < length; t++) step(c, t, backward && t < symbols ? id[symbols - 1 - t] : id[t]);
    double log_probability = trace(c, length, position);
    bool reads_back = backward && c->attention->order != LB_HARD_FREE;
    if (backward) turn(position, symbols, length, reads_back ? source.lengths[c->row] : 0);
    return log_probability;
}

static bool check_targets(const lb_model *model, lb_tokens source, lb_tokens out)
{
    for (int64_t i = 0; i < out.batch * out.length; i++)
        if (out.id[i] < 0 || out.id[i] >= model->target_vocab) {
            lb_tape_fail(source.tape, LB_ERROR_INDEX,
                         "lb_model_best_alignment: found target %d, expected 0 to %lld", (int)out.id[i],
                         (long long)model->target_vocab - 1);
            return false;
        }
    return true;
}

static lb_best_alignment align(const lb_seq2seq *model, lb_tokens source, lb_tokens target_out)
{
    lb_tape *tape = source.tape;
    lb_tokens target_in = lb_model_target_in(&model->base, target_out);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    lb_tensor *states = lb_seq2seq_decode(model, &encoded, encoded.initial, target_in).top;
    chain c = {.attention = lb_hard_attention_of(&model->attention),
               .mask = encoded.memory.mask,
               .steps = target_out.length,
               .keys = source.length,
               .classes = model->base.target_vocab};
    size_t cells = (size_t)(target_out.batch * target_out.length), keys = (size_t)c.keys;
    lb_best_alignment found = {.batch = target_out.batch, .length = target_out.length};
    c.best = lb_tape_alloc(tape, keys * sizeof *c.best);
    c.next = lb_tape_alloc(tape, keys * sizeof *c.next);
    c.move = lb_tape_alloc(tape, keys * sizeof *c.move);
    c.from = lb_tape_alloc(tape, (size_t)c.steps * keys * sizeof *c.from);
    found.position = lb_tape_alloc(tape, cells * sizeof *found.position);
    found.log_probability = lb_tape_alloc(tape, (size_t)found.batch * sizeof *found.log_probability);
    if (lb_tape_status(tape)) return (lb_best_alignment){0};
    c.view = lb_hard_attention_look(&model->attention, states, &encoded.memory);
    if (lb_tape_status(tape)) return (lb_best_alignment){0};
    for (c.row = 0; c.row < found.batch; c.row++)
        found.log_probability[c.row] =
            align_row(&c, source, target_out, model->base.from_end, found.position + c.row * c.steps);
    return found;
}

lb_best_alignment lb_model_best_alignment(const lb_model *model, lb_tokens source, lb_tokens target_out)
{
    const lb_seq2seq *seq2seq = (const lb_seq2seq *)model;
    if (model->kind != &lb_seq2seq_kind || !lb_hard_attention_of(&seq2seq->attention))
        return (lb_best_alignment){0};
    if (!check_targets(model, source, target_out)) return (lb_best_alignment){0};
    lb_mode mode = lb_tape_mode(source.tape);
    lb_tape_set_mode(source.tape, LB_MODE_EVALUATE);
    lb_best_alignment found = align(seq2seq, source, target_out);
    lb_tape_set_mode(source.tape, mode);
    return found;
}
