/* A transformer that writes step by step: what it keeps of its tokens, and that nothing of it ever changes. This test
 * runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "base/transcendental.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 9, ROWS = 3, SOURCE = 5, LONG = 40 };

static const double TOLERANCE = sizeof(lb_real) == sizeof(double) ? 1e-11 : 2e-4;

typedef struct made {
    lb_params *params;
    lb_tape *tape;
    lb_transformer model;
} made;

static made make(lb_transformer_config config)
{
    made m = {.params = lb_params_new(5), .tape = lb_tape_new()};
    config.source_vocab = config.target_vocab = VOCABULARY;
    config.width = 48;
    config.heads = 2;
    config.feed_forward = 16;
    lb_transformer_init(&m.model, m.params, "", config);
    ck_assert_msg(lb_params_status(m.params) == LB_OK, "%s", lb_params_error(m.params));
    lb_tape_set_mode(m.tape, LB_MODE_EVALUATE);
    return m;
}

static void drop(made *m)
{
    lb_tape_free(m->tape);
    lb_params_free(m->params);
}

/* Symbols of some rows; the sources differ in length. */
static lb_tokens draw(lb_tape *tape, int64_t rows, int64_t length, bool ragged, uint32_t stream)
{
    int32_t *id, *lengths;
    lb_tokens tokens = lb_tokens_new(tape, rows, length, &id, &lengths);
    lb_rng rng = {.seed = 8, .stream = stream};
    for (int64_t row = 0; row < rows; row++) {
        lengths[row] = (int32_t)(ragged ? 1 + (length + row) % length : length);
        for (int64_t i = 0; i < lengths[row]; i++)
            id[row * length + i] =
                LB_FIRST_TOKEN +
                (int32_t)(lb_rng_uniform(rng, (uint64_t)(row * length + i)) * (VOCABULARY - 4));
    }
    return tokens;
}

/* Tokens `first` to `first + count - 1` of rows row[0], row[1], ... */
static lb_tokens part_of(lb_tokens all, const int64_t *row, int64_t rows, int64_t first, int64_t count)
{
    int32_t *id, *lengths;
    lb_tokens part = lb_tokens_new(all.tape, rows, count, &id, &lengths);
    for (int64_t i = 0; i < rows; i++) {
        memcpy(id + i * count, all.id + row[i] * all.length + first, (size_t)count * sizeof *id);
        lengths[i] = (int32_t)count;
    }
    return part;
}

static const int64_t in_order[] = {0, 1, 2};

static void expect_logits(const lb_tensor *found, const lb_tensor *whole, int64_t first)
{
    int64_t count = lb_dim(found, 1), length = lb_dim(whole, 1);
    for (int64_t row = 0; row < lb_dim(found, 0); row++)
        for (int64_t i = 0; i < count * VOCABULARY; i++)
            SUPPORT_CHECK(fabs((double)found->data[row * count * VOCABULARY + i] -
                               (double)whole->data[(row * length + first) * VOCABULARY + i]) < TOLERANCE,
                          "row %d, token %d", (int)row, (int)(first + i / VOCABULARY));
}

/* All tokens at once, from a state that has selected `row` of the sources. */
static const lb_tensor *decode_whole(const made *m, lb_tokens source, const int64_t *row, lb_tokens target)
{
    const lb_model *model = &m->model.base;
    lb_decoder_state state = lb_model_encode(model, source);
    state = model->kind->select(model, m->tape, state, row, target.batch);
    lb_model_step step = lb_model_decode(model, state, target, source.length);
    ck_assert_msg(lb_is_sound(step.logits), "%s", lb_tape_error(m->tape));
    return step.logits;
}

static const int windows[] = {0, 1, 7}; /* 0: a token sees all before it */

START_LOOP_TEST(test_long_outputs_step_by_step_are_those_at_once, LB_LENGTH(windows))
{
    made m = make((lb_transformer_config){.layers = 2, .window = windows[_i]});
    const lb_model *model = &m.model.base;
    lb_tokens source = draw(m.tape, ROWS, SOURCE, true, 1), target = draw(m.tape, ROWS, LONG, false, 2);
    const lb_tensor *whole = decode_whole(&m, source, in_order, target);
    lb_decoder_state state = lb_model_encode(model, source);
    for (int64_t t = 0; t < LONG; t++) {
        lb_model_step step =
            lb_model_decode(model, state, part_of(target, in_order, ROWS, t, 1), source.length);
        ck_assert_msg(lb_is_sound(step.logits), "%s", lb_tape_error(m.tape));
        expect_logits(step.logits, whole, t);
        for (int64_t i = 0; i < lb_count(step.weights); i++) /* nothing of the padding */
            if (i % SOURCE >= source.lengths[i / SOURCE / (2 * 2)]) ck_assert(step.weights->data[i] == 0);
        state = step.state;
    }
    drop(&m);
}
END_TEST

/* A tree: `before` tokens that all have, then branches from the same state that take turns, each with rows of its own.
 * Neither sees what the others write. */
static void check_branches(int64_t before, bool at_once)
{
    enum { BRANCHES = 3, MORE = 5, MOST = 4 };
    static const int64_t rows[BRANCHES][MOST] = {{0, 1, 2}, {2, 2, 0}, {1, 1, 1, 0}},
                         wide[BRANCHES] = {3, 3, 4};
    made m = make((lb_transformer_config){.layers = 2, .positions = LB_POSITIONAL_ROTARY});
    const lb_model *model = &m.model.base;
    lb_tokens source = draw(m.tape, ROWS, SOURCE, true, 1), first = draw(m.tape, ROWS, before, false, 2);
    lb_decoder_state parent = lb_model_encode(model, source), state[BRANCHES];
    for (int64_t t = 0; t < before; t += at_once ? before : 1)
        parent =
            lb_model_decode(model, parent, part_of(first, in_order, ROWS, t, at_once ? before : 1), SOURCE)
                .state;
    const lb_tensor *whole[BRANCHES];
    lb_tokens target[BRANCHES];
    for (int b = 0; b < BRANCHES; b++) {
        lb_tokens own = draw(m.tape, wide[b], MORE, false, 10 + (uint32_t)b);
        int32_t *id, *lengths;
        target[b] = lb_tokens_new(m.tape, wide[b], before + MORE, &id, &lengths);
        for (int i = 0; i < wide[b]; i++) {
            lengths[i] = (int32_t)(before + MORE);
            memcpy(id + i * (before + MORE), first.id + rows[b][i] * before, (size_t)before * sizeof *id);
            memcpy(id + i * (before + MORE) + before, own.id + (int64_t)i * MORE, MORE * sizeof *id);
        }
        whole[b] = decode_whole(&m, source, rows[b], target[b]);
        state[b] = model->kind->select(model, m.tape, parent, rows[b], wide[b]);
    }
    static const int64_t each[] = {0, 1, 2, 3};
    for (int64_t t = before; t < before + MORE; t++)
        for (int b = 0; b < BRANCHES; b++) {
            lb_model_step step =
                lb_model_decode(model, state[b], part_of(target[b], each, wide[b], t, 1), SOURCE);
            ck_assert_msg(lb_is_sound(step.logits), "%s", lb_tape_error(m.tape));
            expect_logits(step.logits, whole[b], t);
            state[b] = step.state;
        }
    drop(&m);
}

START_LOOP_TEST(test_states_that_go_on_from_one_state_do_not_see_each_other, 5)
{
    static const int64_t before[] = {1, 3, 15, 16, 17};
    check_branches(before[_i], false);
    check_branches(before[_i], true);
}
END_TEST

/* Steps that are recorded after steps that are not, and the other way round. */
START_TEST(test_a_state_goes_on_in_the_other_mode)
{
    made m = make((lb_transformer_config){.layers = 2, .kv_heads = 1});
    const lb_model *model = &m.model.base;
    lb_tokens source = draw(m.tape, ROWS, SOURCE, true, 1), target = draw(m.tape, ROWS, 9, false, 2);
    const lb_tensor *whole = decode_whole(&m, source, in_order, target);
    for (int first = LB_MODE_TRAIN; first <= LB_MODE_EVALUATE; first++) {
        lb_decoder_state state = lb_model_encode(model, source);
        for (int64_t t = 0; t < 9; t++) {
            bool records = (t / 2 % 2 == 0) == (first == LB_MODE_TRAIN);
            lb_tape_set_mode(m.tape, records ? LB_MODE_TRAIN : LB_MODE_EVALUATE);
            lb_model_step step = lb_model_decode(model, state, part_of(target, in_order, ROWS, t, 1), SOURCE);
            ck_assert_msg(lb_is_sound(step.logits), "%s", lb_tape_error(m.tape));
            expect_logits(step.logits, whole, t);
            ck_assert_int_eq(step.logits->requires_grad, records);
            state = step.state;
        }
        lb_tape_set_mode(m.tape, LB_MODE_EVALUATE);
    }
    drop(&m);
}
END_TEST

START_TEST(test_rows_of_targets_that_are_not_those_of_the_state_are_an_error)
{
    made m = make((lb_transformer_config){0});
    lb_decoder_state state = lb_model_encode(&m.model.base, draw(m.tape, ROWS, SOURCE, true, 1));
    lb_model_decode(&m.model.base, state, draw(m.tape, ROWS + 1, 1, false, 2), SOURCE);
    ck_assert_int_eq(lb_tape_status(m.tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(m.tape), "found 4 rows of targets, expected 3");
    drop(&m);
}
END_TEST

/* What a search writes, as one number after the other. */
static int64_t search(const made *m, int64_t *id, double *score)
{
    lb_tape_reset(m->tape);
    lb_tokens source = draw(m->tape, 61, 12, true, 1);
    lb_beam found = lb_beam_search(&m->model.base, source, (lb_beam_config){.beam = 3, .limit = 20});
    lb_decoded greedy = lb_greedy(&m->model.base, source, 20);
    ck_assert_msg(lb_tape_status(m->tape) == LB_OK, "%s", lb_tape_error(m->tape));
    int64_t count = 0;
    *score = 0;
    for (int64_t h = 0; h < found.batch * found.n_best; h++) {
        *score += found.hypothesis[h].score;
        for (int64_t i = 0; i < found.hypothesis[h].length; i++) id[count++] = found.hypothesis[h].id[i];
    }
    for (int64_t i = 0; i < greedy.batch * greedy.length; i++) id[count++] = greedy.id[i];
    return count;
}

START_TEST(test_decoding_gives_the_same_bits_on_any_number_of_threads_and_allocates_nothing)
{
    enum { MOST = 61 * 4 * 20 };
    static const int threads[] = {1, 2, 3, 16};
    static int64_t first[MOST], again[MOST];
    double score, other;
    support_watch_allocations();
    made m = make((lb_transformer_config){.layers = 2});
    m.model.output.bias->data[LB_EOS] = -3;
    lb_set_threads(1);
    int64_t count = search(&m, first, &score);
    search(&m, again, &other); /* the second time, the tape has all memory in one piece */
    for (int i = 0; SUPPORT_ROW(i, threads); i++) {
        lb_set_threads(threads[i]);
        long before = support_allocation_count();
        ck_assert_int_eq(search(&m, again, &other), count);
        ck_assert_int_eq(support_allocation_count() - before, 0);
        ck_assert_mem_eq(first, again, (size_t)count * sizeof *first);
        ck_assert_mem_eq(&score, &other, sizeof score);
    }
    drop(&m);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

/* Rows of the table, and what is beyond it. */
START_TEST(test_positions_from_a_table_are_those_of_the_formula)
{
    enum { WIDTH = 7, LENGTH = 10 };
    static const int64_t first[] = {0, 3, 90, 16380, (int64_t)1 << 40, 0};
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_positional positional;
    lb_positional_init(&positional, params, "p", (lb_positional_config){.width = WIDTH});
    for (int i = 0; SUPPORT_ROW(i, first); i++) {
        lb_tape_reset(tape);
        lb_tensor *zeros = lb_tensor_new(tape, LB_SHAPE(1, LENGTH, WIDTH), NULL);
        const lb_tensor *found = lb_positional_forward(&positional, zeros, first[i]);
        ck_assert_msg(lb_is_sound(found), "%s", lb_tape_error(tape));
        for (int64_t k = 0; k < LENGTH * WIDTH; k++) {
            int64_t column = k % WIDTH, pair = column - column % 2;
            double angle = (double)(first[i] + k / WIDTH) * lb_pow64(10000, -(double)pair / WIDTH);
            ck_assert_double_eq_tol((double)found->data[k], column % 2 ? cos(angle) : sin(angle), 1e-6);
        }
    }
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST
