/* Greedy decoding: independence of rows, early stop, the limit, the mode.
 * This test runs in both precisions. */
#include "lookback/models.h"
#include "support/sorting.h"
#include "support/suite.h"
#include <lookback/op.h>

#include <math.h>
#include <string.h>

static const lb_sort_task task = {.max_value = 5, .min_length = 1, .max_length = 4, .seed = 3};

/* A model trained enough to end most rows. */
static void open_trained(support_sorting *s, support_sorter sorter)
{
    ck_assert_int_eq(support_sorting_open(s, task, sorter), LB_OK);
    lb_real loss = 0;
    for (int step = 0; step < 120; step++) ck_assert_int_eq(support_sorting_step(s, 16, step, &loss), LB_OK);
    ck_assert(loss < (lb_real)1.5);
    lb_tape_reset(s->tape);
}

static const support_sorter plain = {.seq2seq = {.embed = 8, .hidden = 16}};
static const support_sorter deep = {
    .seq2seq = {.embed = 8, .hidden = 16, .layers = 2, .bidirectional = true, .dropout = (lb_real)0.1}};
static const support_sorter transformer = {.transformer = {.width = 16, .heads = 2}};

START_TEST(test_greedy_batch_equals_row_by_row)
{
    const support_sorter sorters[] = {plain, deep, transformer};
    for (int c = 0; SUPPORT_ROW(c, sorters); c++) {
        enum { ROWS = 11, LIMIT = 7 };
        support_sorting s;
        open_trained(&s, sorters[c]);
        lb_tokens source = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, ROWS, 0).source;
        lb_decoded all = lb_greedy(s.model, source, LIMIT);
        ck_assert_msg(all.batch == ROWS, "%s", lb_tape_error(s.tape));
        int finished = 0;
        for (int64_t row = 0; row < ROWS; row++) {
            int32_t *id, *lengths;
            lb_tokens alone = lb_tokens_new(s.tape, 1, source.lengths[row], &id, &lengths);
            memcpy(id, source.id + row * source.length, (size_t)source.lengths[row] * sizeof *id);
            lengths[0] = source.lengths[row];
            lb_decoded one = lb_greedy(s.model, alone, LIMIT);
            ck_assert_int_eq(one.lengths[0], all.lengths[row]);
            ck_assert_int_eq(one.finished[0], all.finished[row]);
            finished += one.finished[0];
            ck_assert_int_eq(one.length, one.lengths[0] + one.finished[0]);
            ck_assert_mem_eq(one.id, all.id + row * all.length, (size_t)one.lengths[0] * sizeof *id);
            int64_t maps = all.layers * all.heads;
            ck_assert_int_ge(maps, 1);
            for (int64_t i = 0; i < maps * one.length * source.length; i++) {
                int64_t map = i / (one.length * source.length), t = i / source.length % one.length,
                        k = i % source.length;
                double found = (double)all.weights[((row * maps + map) * all.length + t) * source.length + k];
                double expected =
                    k < alone.length ? (double)one.weights[(map * one.length + t) * alone.length + k] : 0;
                ck_assert_double_eq_tol(found, expected, 1e-5);
            }
            for (int64_t t = all.lengths[row]; t < all.length; t++)
                ck_assert_int_eq(all.id[row * all.length + t], LB_PAD);
        }
        ck_assert_int_gt(finished, ROWS / 2);
        support_sorting_close(&s);
    }
}
END_TEST

START_TEST(test_greedy_stops_when_every_row_has_ended)
{
    support_sorting s;
    open_trained(&s, plain);
    lb_tokens source = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, 3, 0).source;
    lb_decoded found = lb_greedy(s.model, source, 500);
    int32_t longest = 0;
    for (int row = 0; row < 3; row++) {
        ck_assert(found.finished[row]);
        longest = found.lengths[row] > longest ? found.lengths[row] : longest;
    }
    ck_assert_int_eq(found.length, longest + 1);
    ck_assert_int_lt(found.length, 20);
    support_sorting_close(&s);
}
END_TEST

START_TEST(test_greedy_never_writes_beyond_the_limit)
{
    support_sorting s;
    open_trained(&s, plain);
    /* Makes LB_EOS impossible, so that only the limit stops decoding. */
    lb_params_find(s.params, "sort.output.bias")->data[LB_EOS] = (lb_real)-1e6;
    lb_tokens source = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, 4, 0).source;
    for (int64_t limit = 1; limit <= 9; limit += 4) {
        lb_decoded found = lb_greedy(s.model, source, limit);
        ck_assert_int_eq(found.length, limit);
        for (int row = 0; row < 4; row++) {
            ck_assert_int_eq(found.lengths[row], limit);
            ck_assert(!found.finished[row]);
        }
    }
    support_sorting_close(&s);
}
END_TEST

/* Room for outputs grows as they are written; a beam search has another way to keep them. */
START_TEST(test_greedy_long_outputs_are_those_of_a_beam_of_one)
{
    enum { ROWS = 3, LIMIT = 300 };
    const support_sorter sorters[] = {plain, transformer};
    for (int c = 0; SUPPORT_ROW(c, sorters); c++) {
        support_sorting s;
        open_trained(&s, sorters[c]);
        lb_params_find(s.params, "sort.output.bias")->data[LB_EOS] = (lb_real)-1e6;
        lb_tokens source = lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, ROWS, 0).source;
        lb_decoded found = lb_greedy(s.model, source, LIMIT);
        lb_beam one = lb_beam_search(s.model, source, (lb_beam_config){.beam = 1, .limit = LIMIT});
        ck_assert_msg(one.batch == ROWS && found.length == LIMIT, "%s", lb_tape_error(s.tape));
        int64_t map = LIMIT * source.length, maps = found.layers * found.heads;
        for (int64_t row = 0; row < ROWS; row++) {
            const lb_hypothesis *h = &one.hypothesis[row];
            ck_assert_mem_eq(h->id, found.id + row * LIMIT, LIMIT * sizeof *h->id);
            for (int64_t i = 0; i < maps * map; i++)
                SUPPORT_CHECK(fabs((double)(h->weights[i] - found.weights[row * maps * map + i])) < 1e-5,
                              "row %d, weight %d", (int)row, (int)i);
        }
        support_sorting_close(&s);
    }
}
END_TEST

START_TEST(test_greedy_end_at_once_gives_empty_rows)
{
    support_sorting s;
    open_trained(&s, plain);
    lb_params_find(s.params, "sort.output.bias")->data[LB_EOS] = (lb_real)1e6;
    lb_decoded found = lb_greedy(s.model, lb_sort_batch_from(&task, LB_SPLIT_TEST, s.tape, 4, 0).source, 30);
    ck_assert_int_eq(found.length, 1);
    for (int row = 0; row < 4; row++) {
        ck_assert_int_eq(found.lengths[row], 0);
        ck_assert(found.finished[row]);
        ck_assert_int_eq(found.id[row], LB_PAD);
    }
    support_sorting_close(&s);
}
END_TEST

START_TEST(test_greedy_restores_the_mode_and_records_nothing)
{
    support_sorting s;
    open_trained(&s, deep);
    lb_batch batch = lb_sort_batch(&task, s.tape, 4, 0);
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    lb_decoded first = lb_greedy(s.model, batch.source, 6), second = lb_greedy(s.model, batch.source, 6);
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    /* No dropout: the same twice. */
    ck_assert_int_eq(first.length, second.length);
    ck_assert_mem_eq(first.weights, second.weights,
                     (size_t)(4 * first.length * batch.source.length) * sizeof(lb_real));
    lb_tape_set_mode(s.tape, LB_MODE_EVALUATE);
    lb_greedy(s.model, batch.source, 6);
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_EVALUATE);
    lb_tape_set_mode(s.tape, LB_MODE_TRAIN);
    /* After an error as well. */
    lb_tape_fail(s.tape, LB_ERROR_DIVERGED, "on purpose");
    ck_assert_int_eq(lb_greedy(s.model, batch.source, 6).batch, 0);
    ck_assert_int_eq(lb_tape_mode(s.tape), LB_MODE_TRAIN);
    support_sorting_close(&s);
}
END_TEST

enum { RAW_ROWS = 5, RAW_STEPS = 8 };

/* The likeliest token of each step, ignoring LB_EOS. */
static void decode_raw(const lb_seq2seq *model, lb_tokens source, int32_t likeliest[RAW_ROWS][RAW_STEPS])
{
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, source);
    lb_tensor **state = encoded.initial;
    int32_t *id, *lengths;
    lb_tokens next = lb_tokens_new(source.tape, RAW_ROWS, 1, &id, &lengths);
    for (int row = 0; row < RAW_ROWS; row++) {
        id[row] = LB_BOS;
        lengths[row] = 1;
    }
    for (int t = 0; t < RAW_STEPS; t++) {
        lb_seq2seq_decoded step = lb_seq2seq_decode(model, &encoded, state, next);
        int64_t classes = lb_dim(step.logits, -1);
        for (int row = 0; row < RAW_ROWS; row++) {
            const lb_real *logits = step.logits->data + row * classes;
            id[row] = LB_EOS; /* LB_PAD and LB_BOS are never written */
            for (int32_t i = LB_UNK; i < classes; i++)
                if (logits[i] > logits[id[row]]) id[row] = i;
            likeliest[row][t] = id[row];
        }
        state = step.final;
    }
}

/* Untrained models with large weights write random tokens, also after LB_EOS. */
START_TEST(test_greedy_row_that_has_ended_stays_ended)
{
    int resumed = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        lb_params *params = lb_params_new(seed);
        lb_tape *tape = lb_tape_new();
        lb_seq2seq model;
        lb_seq2seq_config config = {.source_vocab = 10, .target_vocab = 7, .embed = 4, .hidden = 6};
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
        for (int64_t i = 0; i < lb_params_size(params); i++) lb_params_values(params)[i] *= 4;
        lb_tokens source = lb_sort_batch(&task, tape, RAW_ROWS, 0).source;
        int32_t raw[RAW_ROWS][RAW_STEPS];
        decode_raw(&model, source, raw);
        lb_decoded found = lb_greedy(&model.base, source, RAW_STEPS);
        for (int row = 0; row < RAW_ROWS; row++) {
            int length = 0;
            while (length < RAW_STEPS && raw[row][length] != LB_EOS) length++;
            ck_assert_int_eq(found.lengths[row], length);
            ck_assert_int_eq(found.finished[row], length < RAW_STEPS);
            for (int t = 0; t < found.length; t++) {
                ck_assert_int_eq(found.id[row * found.length + t], t < length ? raw[row][t] : LB_PAD);
                resumed += t > length && raw[row][t] != LB_EOS;
            }
        }
        lb_tape_free(tape);
        lb_params_free(params);
    }
    ck_assert_int_gt(resumed, 3);
}
END_TEST

START_TEST(test_greedy_limit_below_one_is_an_error)
{
    support_sorting s;
    ck_assert_int_eq(support_sorting_open(&s, task, plain), LB_OK);
    lb_tokens source = lb_sort_batch(&task, s.tape, 2, 0).source;
    ck_assert_int_eq(lb_greedy(s.model, source, 0).batch, 0);
    ck_assert_int_eq(lb_tape_status(s.tape), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(s.tape), "lb_greedy: found limit 0, expected at least 1");
    support_sorting_close(&s);
}
END_TEST
