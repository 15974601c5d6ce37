/* Evaluation of models on the pairs of a file. It takes seconds. */
#include "data/pairs/pairs.h"
#include "lookback/metrics.h"
#include "lookback/train.h"
#include "models/built_in.h"
#include "models/decode/model.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/batches/evaluate.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 700, LINE = 64, LIMIT = 100 };

static lb_error error;
static lb_pairs *pairs;
static lb_vocabulary *source, *target;
static lb_params *params;
static lb_tape *tape;
static lb_seq2seq model;

static const lb_pair_format format = {0};

/* Opens the pairs, and makes an untrained model for them. */
static void begin(const char *text)
{
    support_write_file(support_path("pairs.tsv"), text, strlen(text));
    error = (lb_error){0};
    pairs = lb_pairs_open(support_path("pairs.tsv"), format, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    source = lb_vocabulary_new_reserved(NULL);
    target = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_pairs_tally_symbols(pairs, source, target, &error), LB_OK);
    lb_vocabulary_sort(source, 1);
    lb_vocabulary_sort(target, 2);
    tape = lb_tape_new();
    params = lb_params_new(5);
    lb_seq2seq_config config = {.source_vocab = lb_vocabulary_size(source),
                                .target_vocab = lb_vocabulary_size(target),
                                .embed = 4,
                                .hidden = 6,
                                .embedding_deviation = 3,
                                .dropout = (lb_real)0.5};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
}

static void finish(void)
{
    lb_params_free(params);
    lb_tape_free(tape);
    lb_vocabulary_free(source);
    lb_vocabulary_free(target);
    lb_pairs_close(pairs);
}

/* By the definition: each pair is decoded separately. */
static double decode_each(const lb_pair_sample *sample)
{
    int64_t right = 0;
    for (int64_t i = 0; i < sample->possible; i++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_pair_batch(pairs, source, target, tape, &sample->pair[i], 1);
        lb_decoded decoded = lb_greedy(&model.base, batch.source, LIMIT);
        lb_tokens wanted = batch.target_out;
        int32_t length = *wanted.lengths - 1; /* without LB_EOS */
        right += *decoded.finished && *decoded.lengths == length &&
                 memcmp(decoded.id, wanted.id, (size_t)length * sizeof *wanted.id) == 0;
    }
    return (double)right / (double)sample->count;
}

/* The edits between the texts: what the model does not know is another symbol than what it writes for it. */
static int64_t count_edits(const lb_decoded *decoded, int64_t pair)
{
    const lb_pair_line *line;
    int32_t reference[LINE];
    int64_t distance;
    ck_assert_int_eq(lb_pairs_read(pairs, pair, &line, &error), LB_OK);
    size_t count = line->target.count;
    for (size_t i = 0; i < count && i < LINE; i++) {
        reference[i] = lb_vocabulary_id(target, line->target.symbol[i]);
        if (reference[i] == LB_UNK) reference[i] = 1000;
    }
    ck_assert_int_eq(lb_edit_distance((lb_sequence){decoded->id, *decoded->lengths},
                                      (lb_sequence){reference, (int64_t)count}, &distance, &error),
                     LB_OK);
    return distance;
}

/* Symbol error and loss, computed pair by pair. */
static lb_evaluation measure_each(const lb_pair_sample *sample)
{
    int64_t edits = 0, symbols = 0, tokens = 0;
    double loss = 0;
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    for (int64_t i = 0; i < sample->count; i++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_pair_batch(pairs, source, target, tape, &sample->pair[i], 1);
        int64_t length = *batch.target_out.lengths;
        lb_tensor *logits = lb_model_forward(&model.base, batch.source, batch.target_in);
        double each = (double)lb_item(lb_cross_entropy(logits, batch.target_out, LB_PAD));
        loss += (double)length * each;
        tokens += length;
        lb_decoded decoded = lb_greedy(&model.base, batch.source, lb_output_limit(0, batch.source.length));
        edits += count_edits(&decoded, sample->pair[i]);
        symbols += length - 1;
    }
    lb_tape_set_mode(tape, LB_MODE_TRAIN);
    return (lb_evaluation){.symbol_error = (double)edits / (double)symbols, .loss = loss / (double)tokens};
}

static void write_many(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < PAIRS; i++)
        used += (size_t)snprintf(text + used, size - used, "%d\t%.*s\n", i, i % 3 + 1, i % 2 ? "yyy" : "xxx");
}

START_TEST(test_pair_evaluate_share_is_that_of_decoding_each_pair)
{
    static char text[PAIRS * LINE];
    write_many(text, sizeof text);
    begin(text);
    lb_pair_sample sample;
    lb_evaluation found = {.exact_match = -1, .symbol_error = -1, .loss = -1};
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, PAIRS, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.count, PAIRS);
    ck_assert_int_eq(sample.possible, PAIRS);
    /* Among the untrained models with these seeds, one is sometimes right. */
    double decoded = 0;
    for (uint64_t seed = 0; seed < 40 && !(decoded > 0); seed++) {
        lb_params_free(params);
        params = lb_params_new(seed);
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "", model.config), LB_OK);
        decoded = decode_each(&sample);
    }
    ck_assert_double_gt(decoded, 0);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq(found.exact_match, decoded);
    ck_assert_int_eq(lb_tape_mode(tape), LB_MODE_TRAIN);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_evaluate_symbol_error_and_loss_are_those_of_each_pair)
{
    static char text[PAIRS * LINE];
    write_many(text, sizeof text);
    begin(text);
    lb_pair_sample sample;
    lb_evaluation found;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, PAIRS, &sample, &error), LB_OK);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    lb_evaluation expected = measure_each(&sample);
    ck_assert_double_gt(expected.symbol_error, 0.1);
    ck_assert_double_eq_tol(found.symbol_error, expected.symbol_error, 1e-12);
    ck_assert_double_eq_tol(found.loss, expected.loss, 1e-4);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

/* By the definition: each source is decoded once, and compared with all of its targets. */
static lb_evaluation measure_sources(int64_t sources, int64_t targets)
{
    int64_t right = 0, edits = 0, symbols = 0;
    for (int64_t source_number = 0; source_number < sources; source_number++) {
        int64_t nearest = source_number, fewest = INT64_MAX;
        lb_tape_reset(tape);
        lb_batch batch = lb_pair_batch(pairs, source, target, tape, &nearest, 1);
        lb_decoded decoded = lb_greedy(&model.base, batch.source, lb_output_limit(0, batch.source.length));
        for (int64_t i = 0; i < targets; i++) {
            int64_t pair = source_number + i * sources, found = count_edits(&decoded, pair);
            if (found < fewest) nearest = pair;
            fewest = found < fewest ? found : fewest;
        }
        right += fewest == 0 && *decoded.finished;
        edits += fewest;
        symbols += lb_pairs_target_length(pairs, nearest);
    }
    return (lb_evaluation){.exact_match = (double)right / (double)sources,
                           .symbol_error = (double)edits / (double)symbols};
}

/* Pair i has the source i % sources. The last target has a symbol that the model does not know. */
static void write_several(char *text, size_t size, int sources, int targets)
{
    size_t used = 0;
    for (int i = 0; i < sources * targets; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%d\t%.*s%s\n", i % sources, i % 11 + 1,
                             i % 2 ? "yyyyyyyyyyy" : "xxxxxxxxxxx", i + 1 == sources * targets ? "z" : "");
}

START_TEST(test_pair_evaluate_any_target_of_a_source_is_right)
{
    enum { SOURCES = 100, TARGETS = 3 };
    static char text[SOURCES * TARGETS * LINE];
    write_several(text, sizeof text, SOURCES, TARGETS);
    begin(text);
    lb_pair_sample sample;
    lb_evaluation each, found, expected = {0};
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, SOURCES * TARGETS, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.possible, SOURCES * TARGETS - 1);
    for (uint64_t seed = 0; seed < 40 && !(expected.exact_match > 0); seed++) {
        lb_params_free(params);
        params = lb_params_new(seed);
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "", model.config), LB_OK);
        expected = measure_sources(SOURCES, TARGETS);
    }
    ck_assert_double_gt(expected.exact_match, 0);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &each), LB_OK);
    ck_assert_int_eq(lb_pair_sample_any_target(&sample, pairs, &error), LB_OK);
    ck_assert_int_eq(lb_pair_sample_judged(&sample), SOURCES);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq(found.exact_match, expected.exact_match);
    ck_assert_double_eq(found.symbol_error, expected.symbol_error);
    ck_assert_double_gt(found.exact_match, each.exact_match);
    ck_assert_double_eq(found.loss, each.loss);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_sample_any_target_has_all_pairs_of_its_sources)
{
    begin("a\tx\nb\tx\na\ty\nb\ty\nc\tx\na\txy\n");
    lb_pair_sample sample;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 2, &sample, &error),
                     LB_OK); /* pairs 0 and 3 */
    ck_assert_int_eq(lb_pair_sample_any_target(&sample, pairs, &error), LB_OK);
    ck_assert_int_eq(lb_pair_sample_judged(&sample), 2);
    ck_assert_int_eq(sample.sources->count, 5);
    for (int64_t i = 0; i < 5; i++) ck_assert_int_ne(sample.sources->pair[i], 4);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_sample_is_evenly_spaced_and_sorted_by_length)
{
    static char text[PAIRS * LINE];
    write_many(text, sizeof text);
    begin(text);
    lb_pair_sample sample;
    bool taken[PAIRS] = {false};
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, PAIRS / 7, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.count, PAIRS / 7);
    for (int64_t i = 0; i < sample.possible; i++) {
        taken[sample.pair[i]] = true;
        if (i > 0)
            ck_assert_int_ge(lb_pairs_target_length(pairs, sample.pair[i]),
                             lb_pairs_target_length(pairs, sample.pair[i - 1]));
    }
    for (int i = 0; SUPPORT_ROW(i, taken); i++) ck_assert_int_eq(taken[i], i % 7 == 0);
    lb_pair_sample_free(&sample);
    memset(&sample, 1, sizeof sample); /* after an error, there is nothing to free */
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 0, &sample, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_null(sample.pair);
    finish();
}
END_TEST

/* "z" occurs only once, so it is unknown: a model that writes LB_UNK is not right. */
START_TEST(test_pair_evaluate_targets_that_cannot_be_written_count_as_wrong)
{
    begin("a\tz\nb\txx\nc\tx\n");
    lb_tensor *bias = lb_params_find(params, "output.bias");
    lb_pair_sample sample;
    lb_evaluation found = {.exact_match = -1, .symbol_error = -1, .loss = -1};
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.count, 3);
    ck_assert_int_eq(sample.possible, 2);
    bias->data[LB_UNK] = 1000;
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq(found.exact_match, 0);
    ck_assert_double_eq(found.symbol_error, 30.0 / 4); /* it writes 10 symbols for each, all of them wrong */
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_evaluate_what_cannot_be_written_is_an_edit_and_unknown_in_the_loss)
{
    static char text[PAIRS * LINE];
    size_t used = 0;
    for (int i = 0; i < PAIRS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d\t%.*s%s\n", i, i % 3 + 1,
                                 i % 2 ? "yyy" : "xxx",
                                 i % 250 ? ""
                                 : i     ? "qx"
                                         : "z");
    begin(text);
    lb_pair_sample sample;
    lb_evaluation found;
    lb_vocabulary_sort(target, 4); /* q occurs twice, z once */
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, PAIRS, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.possible, PAIRS - 3);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    lb_evaluation expected = measure_each(&sample);
    ck_assert_double_eq_tol(found.symbol_error, expected.symbol_error, 1e-12);
    ck_assert_double_eq_tol(found.loss, expected.loss, 1e-4);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_evaluate_of_nothing_that_can_be_written_has_the_loss_of_unknown_symbols)
{
    begin("a\tx\nb\tx\n");
    lb_vocabulary *none = lb_vocabulary_new_reserved(&error);
    lb_vocabulary *all = target;
    lb_pair_sample sample;
    lb_evaluation found = {.loss = -1};
    target = none;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.possible, 0);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq_tol(found.loss, measure_each(&sample).loss, 1e-6);
    ck_assert_double_eq(found.exact_match, 0);
    ck_assert_int_eq(lb_pair_sample_any_target(&sample, pairs, &error), LB_OK);
    double loss = found.loss;
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq_tol(found.loss, loss, 1e-6);
    target = all;
    lb_pair_sample_free(&sample);
    lb_vocabulary_free(none);
    finish();
}
END_TEST

/* A model that copies writes q, which the source has, but not z. */
START_TEST(test_pair_sample_batch_marks_what_cannot_be_written)
{
    begin("a\tzx\nbq\tqxz\ncx\txx\n");
    for (int copies = 0; copies < 2; copies++) {
        lb_pair_sample sample;
        lb_vocabulary *letters = lb_vocabulary_new_reserved(&error);
        const char *x = "x";
        ck_assert_int_eq(lb_vocabulary_add(letters, &x, 1, &error), LB_OK);
        ck_assert_int_eq(lb_pair_sample_make(pairs, letters, copies, 10, &sample, &error), LB_OK);
        ck_assert_int_eq(sample.possible, 1);
        ck_assert_int_eq(lb_pair_sample_alike(&sample, 0), 1);
        ck_assert_int_eq(lb_pair_sample_alike(&sample, 1), 2);
        lb_tape_reset(tape);
        lb_tokens one = lb_pair_sample_batch(&sample, pairs, source, letters, tape, 0, 1).target_out;
        ck_assert_mem_eq(one.id, ((int32_t[]){LB_FIRST_TOKEN, LB_FIRST_TOKEN, LB_EOS}), 3 * sizeof *one.id);
        lb_tokens two = lb_pair_sample_batch(&sample, pairs, source, letters, tape, 1, 2).target_out;
        const int32_t expected[] = {
            LB_UNWRITABLE,  LB_FIRST_TOKEN, LB_EOS, LB_PAD, copies ? LB_UNK : LB_UNWRITABLE,
            LB_FIRST_TOKEN, LB_UNWRITABLE,  LB_EOS};
        ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
        ck_assert_int_eq(two.length, 4);
        ck_assert_mem_eq(two.id, expected, sizeof expected);
        lb_pair_sample_free(&sample);
        lb_vocabulary_free(letters);
    }
    finish();
}
END_TEST

/* What is unknown in a target can be copied if the source has it. */
START_TEST(test_pair_sample_of_a_model_that_copies_has_targets_whose_unknown_symbols_are_in_the_source)
{
    begin("a\tz\nbq\tqx\nc\txx\n");
    lb_pair_sample sample;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.possible, 1);
    lb_pair_sample_free(&sample);
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, true, 10, &sample, &error), LB_OK);
    ck_assert_int_eq(sample.possible, 2);
    ck_assert_int_eq(sample.pair[1], 1);
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

START_TEST(test_pair_evaluate_very_long_pairs_are_taken_one_at_a_time)
{
    static char text[8 * 4000];
    size_t used = 0;
    for (int i = 0; i < 8; i++) {
        for (int side = 0; side < 2; side++) {
            memset(text + used, 'x', 999);
            used += 999;
            text[used++] = side ? '\n' : '\t';
        }
    }
    begin(text);
    lb_pair_sample sample;
    lb_evaluation found;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_OK);
    ck_assert_int_eq(lb_pair_evaluate(&model.base, pairs, source, target, &sample, tape, NULL, &found),
                     LB_OK);
    ck_assert_double_eq(found.exact_match, decode_each(&sample));
    lb_pair_sample_free(&sample);
    finish();
}
END_TEST

/* The logits of all pairs together would take 160 MB, and the evaluation more than four times that. */
START_TEST(test_pair_evaluate_many_classes_are_taken_few_pairs_at_a_time)
{
    enum { CLASSES = 80000, COUNT = 250, SHORT = sizeof "a\tx\n" - 1 };
    static char text[COUNT * SHORT + 1];
    for (size_t i = 0; i < COUNT; i++) snprintf(text + i * SHORT, SHORT + 1, "a\tx\n");
    support_watch_allocations();
    begin(text);
    lb_seq2seq large;
    lb_seq2seq_config config = model.config;
    config.target_vocab = CLASSES;
    ck_assert_int_eq(lb_seq2seq_init(&large, params, "large", config), LB_OK);
    double loss[2];
    for (int all = 0; all < 2; all++) {
        lb_pair_sample sample;
        lb_evaluation found;
        ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, all ? COUNT : 1, &sample, &error), LB_OK);
        ck_assert_int_eq(lb_pair_evaluate(&large.base, pairs, source, target, &sample, tape, NULL, &found),
                         LB_OK);
        loss[all] = found.loss;
        lb_pair_sample_free(&sample);
    }
    ck_assert_double_eq_tol(loss[1], loss[0], 1e-5);
    ck_assert_int_lt(support_most_bytes(), 4L * COUNT * CLASSES * (long)sizeof(lb_real));
    finish();
}
END_TEST

START_TEST(test_pair_sample_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    begin("a\tx\nb\txx\nc\tx\n");
    long live = support_live_allocations(), before = support_allocation_count();
    lb_pair_sample sample;
    ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_OK);
    lb_pair_sample_free(&sample);
    long all = support_allocation_count() - before;
    ck_assert_int_gt(all, 0);
    for (long n = 1; n <= all; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_pair_sample_make(pairs, target, false, 10, &sample, &error), LB_ERROR_MEMORY);
        ck_assert_ptr_null(sample.pair);
        /* the pairs keep their read buffer */
        ck_assert_int_le(support_live_allocations(), live + 4);
    }
    finish();
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
