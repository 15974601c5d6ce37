/* The points of models, as a watcher reads and replaces them. This test runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/models.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "models/ensemble/ensemble.h"
#include "support/own_kinds.h"
#include "support/suite.h"
#include "support/watched_models.h"

#include <math.h>

static const int32_t other_id[] = {6, 7, 4, 5, 6, 0};

/* Watched and unwatched runs are equal but for rounding. */
static const double ROUNDING = sizeof(lb_real) == sizeof(double) ? 1e-12 : 1e-6;
/* Of differences, and how far they are from a gradient at most. */
static const double NUDGE = sizeof(lb_real) == sizeof(double) ? 1e-6 : 1e-2;
static const double SLOPE = sizeof(lb_real) == sizeof(double) ? 1e-5 : 2e-2;

/* Puts the values of the recording in place of those of the run, but for what comes of them. */
static lb_tensor *play(void *context, const lb_watch_point *point, lb_tensor *value)
{
    recording *r = context;
    int at = r->played++;
    ck_assert_str_eq(r->point[at].name, point->name);
    if (strcmp(point->name, "logits") == 0 || (r->hard && strcmp(point->name, "cross.weights") == 0))
        return NULL;
    return lb_tensor_new(value->tape, value->shape, r->value[at]);
}

/* Of the steps that the rows have. */
static double difference(const lb_real *a, const lb_real *b)
{
    double most = 0;
    for (int i = 0; i < LOGITS; i++) {
        bool there = i / VOCABULARY % STEPS < in_lengths[i / VOCABULARY / STEPS];
        double d = there && a[i] != b[i] ? fabs((double)a[i] - (double)b[i]) : 0;
        most = d > most ? d : most;
    }
    return most;
}

/* ---- Tests. ---- */

static void check_equal(const subject *s)
{
    lb_real plain[LOGITS], watched[LOGITS];
    recording seen = {0};
    run(s->model, source_id, (lb_watcher){0}, plain);
    run(s->model, source_id, (lb_watcher){record, &seen}, watched);
    ck_assert_msg(difference(plain, watched) < ROUNDING, "%s: %g", s->name, difference(plain, watched));
    ck_assert_int_gt(seen.count, 4);
    for (int i = 0; i < seen.count; i++) ck_assert_ptr_eq(seen.point[i].model, s->model);
    end_recording(&seen);
}

START_TEST(test_watch_changes_no_output)
{
    for_each_model(check_equal);
}
END_TEST

/* Step by step, with a state that goes on from one to the next. */
static void check_decoding(const subject *s)
{
    lb_decoded found[2];
    lb_tape *tape[] = {lb_tape_new(), lb_tape_new()};
    recording seen = {0};
    lb_watch(tape[1], (lb_watcher){record, &seen});
    for (int i = 0; i < 2; i++) {
        lb_tokens source = {tape[i], BATCH, SOURCE, source_id, source_lengths};
        found[i] = lb_greedy(s->model, source, 4);
        ck_assert_msg(found[i].batch == BATCH, "%s: %s", s->name, lb_tape_error(tape[i]));
    }
    ck_assert_int_eq(found[0].length, found[1].length);
    ck_assert_mem_eq(found[0].id, found[1].id, (size_t)(BATCH * found[0].length) * sizeof(int32_t));
    int64_t weights =
        found[0].weights ? BATCH * found[0].layers * found[0].heads * found[0].length * SOURCE : 0;
    for (int64_t i = 0; i < weights; i++)
        ck_assert_double_eq_tol((double)found[0].weights[i], (double)found[1].weights[i], ROUNDING);
    ck_assert_str_eq(seen.point[seen.count - 1].name, "logits");
    ck_assert_int_eq(seen.point[seen.count - 1].step, found[0].length - 1);
    for (int i = 0; i < 2; i++) lb_tape_free(tape[i]);
    end_recording(&seen);
}

START_TEST(test_watch_of_decoding_step_by_step_changes_no_output)
{
    for_each_model(check_decoding);
}
END_TEST

/* Of another source, with all that a model has found on the way of the first one. */
static void check_playing(const subject *s)
{
    lb_real clean[LOGITS], corrupted[LOGITS], restored[LOGITS];
    bool seq2seq = s->model->kind == &lb_seq2seq_kind;
    recording seen = {.hard = seq2seq && lb_hard_attention_of(&s->seq2seq.attention)};
    run(s->model, source_id, (lb_watcher){record, &seen}, clean);
    run(s->model, other_id, (lb_watcher){0}, corrupted);
    ck_assert_msg(difference(clean, corrupted) > 1e-4, "%s", s->name);
    run(s->model, other_id, (lb_watcher){play, &seen}, restored);
    ck_assert_int_eq(seen.played, seen.count);
    /* What a model copies are the symbols themselves, which are no point. */
    if (!s->model->copies)
        ck_assert_msg(difference(clean, restored) == 0, "%s: %g", s->name, difference(clean, restored));
    end_recording(&seen);
}

START_TEST(test_watch_that_replaces_all_points_restores_the_run)
{
    for_each_model(check_playing);
}
END_TEST

/* ---- A head that is switched off. ---- */

typedef struct head {
    int64_t layer, number;
    int met;
} head;

static lb_tensor *switch_off(void *context, const lb_watch_point *point, lb_tensor *value)
{
    head *off = context;
    if (strcmp(point->name, "cross.context") != 0 || point->layer != off->layer || point->head != off->number)
        return NULL;
    off->met++;
    return lb_tensor_new(value->tape, value->shape, NULL);
}

static void clear_columns(lb_tensor *weight, int64_t first, int64_t count)
{
    for (int64_t row = 0; row < lb_dim(weight, 0); row++)
        memset(weight->data + row * lb_dim(weight, 1) + first, 0, (size_t)count * sizeof *weight->data);
}

/* Clears what reads the context of the head, by hand. */
static void clear_readers(const subject *s, int64_t layer, int64_t number)
{
    const lb_seq2seq *m = &s->seq2seq;
    const lb_multi_head *heads = NULL;
    if (s->model->kind == &lb_transformer_kind)
        heads = &s->transformer.decoder.layer[layer].cross;
    else if (m->config.attention == LB_ATTENTION_MULTI_HEAD)
        heads = m->attention.own;
    if (heads) {
        clear_columns(heads->output.weight, number * 2, 2);
        return;
    }
    int64_t depth = m->attention.depth;
    clear_columns(m->combine.weight ? m->combine.weight : m->output.weight, m->config.hidden, depth);
    lb_tensor *input = m->decoder.cell->weight_ih;
    if (lb_dim(input, 1) == m->config.embed + depth) clear_columns(input, m->config.embed, depth);
    if (m->copying.symbols) clear_columns(m->copying.gate.weight, 0, depth);
}

static void check_switched_off(const subject *s)
{
    lb_real whole[LOGITS], without[LOGITS], by_hand[LOGITS];
    size_t bytes = (size_t)lb_params_size(s->params) * sizeof(lb_real);
    lb_real *before = memcpy(malloc(bytes), lb_params_values(s->params), bytes);
    run(s->model, source_id, (lb_watcher){0}, whole);
    for (int64_t i = 0; i < s->model->layers * s->model->heads; i++) {
        head off = {i / s->model->heads, i % s->model->heads, 0};
        run(s->model, source_id, (lb_watcher){switch_off, &off}, without);
        ck_assert_int_gt(off.met, 0);
        ck_assert_mem_eq(before, lb_params_values(s->params), bytes);
        clear_readers(s, off.layer, off.number);
        run(s->model, source_id, (lb_watcher){0}, by_hand);
        memcpy(lb_params_values(s->params), before, bytes);
        ck_assert_msg(difference(whole, without) > 1e-5, "%s", s->name);
        ck_assert_msg(difference(by_hand, without) < ROUNDING, "%s: %g", s->name,
                      difference(by_hand, without));
    }
    free(before);
}

START_TEST(test_watch_that_clears_a_context_is_as_if_nothing_read_it)
{
    for_each_model(check_switched_off);
}
END_TEST

START_TEST(test_watch_of_an_ensemble_sees_each_member)
{
    subject s[2];
    lb_ensemble both;
    lb_real logits[LOGITS];
    recording seen = {0};
    make_seq2seq(&s[0], (lb_seq2seq_config){.attention = LB_ATTENTION_DOT}, false);
    make_transformer(&s[1], (lb_transformer_config){.layers = 1});
    const lb_model *const members[] = {&s[0].seq2seq.base, &s[1].transformer.base};
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    run(&both.base, source_id, (lb_watcher){record, &seen}, logits);
    int of[2] = {0, 0};
    for (int i = 0; i < seen.count; i++) {
        ck_assert(seen.point[i].model == members[0] || seen.point[i].model == members[1]);
        of[seen.point[i].model == members[1]] += strcmp(seen.point[i].name, "cross.context") == 0;
    }
    ck_assert_int_eq(of[0], 1);
    ck_assert_int_eq(of[1], 4);
    end_recording(&seen);
    for (int i = 0; i < 2; i++) lb_params_free(s[i].params);
}
END_TEST

START_TEST(test_watch_of_members_that_vote_sees_both_directions)
{
    subject s[2];
    lb_ensemble both;
    recording seen = {0};
    make_seq2seq(&s[0], (lb_seq2seq_config){.attention = LB_ATTENTION_DOT}, false);
    make_seq2seq(&s[1], (lb_seq2seq_config){.attention = LB_ATTENTION_DOT}, true);
    const lb_model *const members[] = {&s[0].seq2seq.base, &s[1].seq2seq.base};
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    lb_tape *tape = lb_tape_new();
    lb_watch(tape, (lb_watcher){record, &seen});
    lb_tokens source = {tape, 1, SOURCE, source_id, source_lengths};
    ck_assert_int_eq(
        lb_beam_search(&both.base, source, (lb_beam_config){.beam = 2, .n_best = 1, .limit = 2}).batch, 1);
    bool of[2] = {false, false};
    for (int i = 0; i < seen.count; i++) of[seen.point[i].model == members[1]] = true;
    ck_assert(of[0] && of[1]);
    lb_tape_free(tape);
    end_recording(&seen);
    for (int i = 0; i < 2; i++) lb_params_free(s[i].params);
}
END_TEST

/* ---- The place of a tape. ---- */

/* What is announced outside is of no model, whatever has run before. */
static void expect_outside(lb_tape *tape, recording *seen, const char *after)
{
    lb_announce(lb_tensor_new(tape, LB_SHAPE(1, 1), NULL), "own", -1);
    const lb_watch_point *own = &seen->point[seen->count - 1];
    ck_assert_msg(strcmp(own->name, "own") == 0 && !own->model && own->layer == LB_NO_LAYER, "%s: found %s",
                  after, own->name);
}

static void check_places(const subject *s)
{
    lb_tape *tape = lb_tape_new();
    recording seen = {0};
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_watch(tape, (lb_watcher){record, &seen});
    lb_tokens source = {tape, BATCH, SOURCE, source_id, source_lengths},
              in = {tape, BATCH, 1, (const int32_t[]){LB_BOS, LB_BOS}, (const int32_t[]){1, 1}};
    lb_decoder_state state = lb_model_encode(s->model, source);
    expect_outside(tape, &seen, s->name);
    ck_assert(lb_is_sound(lb_model_decode(s->model, state, in, SOURCE).logits));
    expect_outside(tape, &seen, s->name);
    lb_tape_free(tape);
    end_recording(&seen);
}

START_TEST(test_watch_place_is_left_after_each_part_of_a_model)
{
    for_each_model(check_places);
}
END_TEST

/* ---- Errors. ---- */

static lb_tensor *replace_badly(void *context, const lb_watch_point *point, lb_tensor *value)
{
    bool asked = strcmp(point->name, context) == 0;
    return asked ? lb_tensor_new(value->tape, LB_SHAPE(1, 2), NULL) : NULL;
}

static void check_error(const lb_model *model, const char *point, lb_status status, const char *message)
{
    lb_tape *tape = lb_tape_new();
    char name[LB_POINT_NAME];
    snprintf(name, sizeof name, "%s", point);
    lb_watch(tape, (lb_watcher){replace_badly, name});
    lb_tokens source = {tape, BATCH, SOURCE, source_id, source_lengths},
              in = {tape, BATCH, STEPS, in_id, in_lengths};
    ck_assert(!lb_is_sound(lb_model_forward(model, source, in)));
    ck_assert_int_eq(lb_tape_status(tape), status);
    ck_assert_str_eq(lb_tape_error(tape), message);
    lb_tape_free(tape);
}

START_TEST(test_watch_refuses_other_shapes_and_points_that_are_fixed)
{
    subject s;
    make_seq2seq(&s, (lb_seq2seq_config){.attention = LB_ATTENTION_HARD}, false);
    check_error(&s.seq2seq.base, "cross.weights", LB_ERROR_ARGUMENT,
                "the point cross.weights can only be read, not replaced");
    check_error(&s.seq2seq.base, "encoder.state", LB_ERROR_SHAPE,
                "encoder: the point encoder.state was replaced by [1,2], expected [2,3,4] on its tape");
    lb_params_free(s.params);
}
END_TEST

/* A custom attention announces what it likes; its context is always a point. */
START_TEST(test_watch_of_custom_attention_sees_keys_and_context)
{
    subject s = {.params = lb_params_new(5)};
    char found[4096];
    lb_seq2seq_config config = {
        .source_vocab = 8, .target_vocab = 8, .embed = 3, .hidden = 6, .own_attention = &support_paired};
    ck_assert_int_eq(lb_seq2seq_init(&s.seq2seq, s.params, "", config), LB_OK);
    list(&s.seq2seq.base, found, sizeof found);
    ck_assert_msg(strstr(found, "cross.keys 0 -1 0 [2,3,6]\ncross.values 0 -1 0 [2,3,6]\n") != NULL, "%s",
                  found);
    ck_assert_msg(strstr(found, "cross.context 0 -1 0 [2,4,6]\n") != NULL, "%s", found);
    lb_params_free(s.params);
}
END_TEST

/* ---- Gradients. ---- */

/* What is replaced by a leaf: the embeddings of the source. */
typedef struct leaf {
    lb_real *values; /* NULL: those of the run */
    lb_tensor *made;
} leaf;

static lb_tensor *put_leaf(void *context, const lb_watch_point *point, lb_tensor *value)
{
    leaf *l = context;
    if (strcmp(point->name, "encoder.embedding") != 0) return NULL;
    l->made = lb_tensor_new(value->tape, value->shape, l->values ? l->values : value->data);
    l->made->requires_grad = true;
    return l->made;
}

/* The sum of some logits; `gradient` receives that of the embeddings. */
static double sum_of_logits(const lb_model *model, lb_real *values, lb_real *gradient)
{
    leaf l = {values, NULL};
    lb_tape *tape = lb_tape_new();
    lb_error error = {0};
    lb_tape_set_mode(tape, LB_MODE_EXPLAIN);
    lb_watch(tape, (lb_watcher){put_leaf, &l});
    lb_tokens source = {tape, BATCH, SOURCE, source_id, source_lengths},
              in = {tape, BATCH, STEPS, in_id, in_lengths};
    lb_tensor *found = lb_model_forward(model, source, in);
    lb_real cotangent[LOGITS] = {0};
    double sum = 0;
    for (int i = 0; i < 3 * VOCABULARY; i++) {
        cotangent[i] = (lb_real)(i % 5 - 2);
        sum += (double)cotangent[i] * (double)found->data[i];
    }
    ck_assert_msg(lb_backward_from(found, cotangent, &error) == LB_OK, "%s", error.message);
    if (gradient) memcpy(gradient, l.made->grad, (size_t)lb_count(l.made) * sizeof *gradient);
    if (!values)
        memcpy(gradient + lb_count(l.made), l.made->data, (size_t)lb_count(l.made) * sizeof *gradient);
    lb_tape_free(tape);
    return sum;
}

/* Of the source, equal to differences; parameters have none, and dropout drops nothing. */
static void check_gradient(const subject *s)
{
    enum { ROOM = BATCH * SOURCE * 8 };
    lb_real found[2 * ROOM], *values;
    memset(lb_params_grads(s->params), 0, (size_t)lb_params_size(s->params) * sizeof(lb_real));
    int64_t width =
        s->model->kind == &lb_seq2seq_kind ? s->seq2seq.config.embed : s->transformer.config.width;
    int64_t count = BATCH * SOURCE * width;
    sum_of_logits(s->model, NULL, found);
    values = found + count;
    for (int64_t i = 0; i < lb_params_size(s->params); i++)
        ck_assert_double_eq((double)lb_params_grads(s->params)[i], 0);
    double size = 0;
    for (int64_t i = 0; i < SOURCE * width; i++) {
        lb_real kept = values[i];
        values[i] = kept + (lb_real)NUDGE;
        double above = sum_of_logits(s->model, values, NULL);
        values[i] = kept - (lb_real)NUDGE;
        double below = sum_of_logits(s->model, values, NULL);
        values[i] = kept;
        double expected = (above - below) / (2 * NUDGE);
        size += fabs(expected);
        ck_assert_msg(fabs((double)found[i] - expected) <= SLOPE * (1 + fabs(expected)), "%s: %d: %g %g",
                      s->name, (int)i, (double)found[i], expected);
    }
    ck_assert_double_gt(size, 1e-3);
}

START_TEST(test_explaining_gives_gradients_to_what_is_replaced_and_to_nothing_else)
{
    for_each_model(check_gradient);
}
END_TEST
