/* The pairs of a training's steps: parts of a batch are that batch. */
#include "data/review/pair_report.h"
#include "models/decode/model.h"
#include "support/suite.h"
#include "translate/input/data.h"

#include <math.h>
#include <string.h>

enum { BATCH = 8, STEPS = 3, SHARDS = 4 };

static lb_error error;

static bool is_same_row(lb_tokens a, int64_t row, lb_tokens b, int64_t other)
{
    return a.lengths[row] == b.lengths[other] &&
           memcmp(a.id + row * a.length, b.id + other * b.length, (size_t)a.lengths[row] * sizeof *a.id) == 0;
}

/* A batch has its lists in the order of their lengths. */
START_TEST(test_parts_of_a_batch_of_lists_have_its_lists)
{
    lb_training_data data = {
        .text = {.sorts = true, .task = {.max_value = 99, .min_length = 2, .max_length = 6}}};
    const lb_training_config config = {.batch = BATCH};
    lb_data_loader whole, parts;
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_data_loader_init(&whole, &data, &config, 3, 1, &error), LB_OK);
    ck_assert_int_eq(lb_data_loader_init(&parts, &data, &config, 3, SHARDS, &error), LB_OK);
    for (int64_t step = 0; step < STEPS; step++) {
        lb_batch all = lb_data_loader_batch(&whole, tape, step);
        bool found[BATCH] = {false};
        ck_assert_int_eq(all.source.batch, BATCH);
        for (int64_t i = 0; i < SHARDS; i++) {
            lb_batch part = lb_data_loader_batch(&parts, tape, step * SHARDS + i);
            ck_assert_int_eq(part.source.batch, BATCH / SHARDS);
            for (int64_t row = 0; row < part.source.batch; row++)
                for (int64_t k = 0; k < BATCH; k++)
                    found[k] = found[k] || is_same_row(part.source, row, all.source, k);
        }
        for (int64_t k = 0; SUPPORT_ROW(k, found); k++) ck_assert(found[k]);
    }
    lb_data_loader_free(&parts);
    lb_data_loader_free(&whole);
    lb_tape_free(tape);
}
END_TEST

/* ---- Equal pairs. ---- */

/* Three of "ab", and one with another target, two of "b" and one of "cab". */
static const char *const sources[] = {"ab", "b", "ab", "cab", "ab", "b", "ab"};
static const char *const targets[] = {"xyx", "y", "xyx", "zx", "yx", "y", "xyx"};
enum { LINES = 7, DIFFERENT = 4, WIDTH = 8 };

static void open_pairs(lb_training_data *data, bool weighed)
{
    const lb_pair_texts texts = {.count = LINES, .source = sources, .target = targets};
    *data = (lb_training_data){
        .train = lb_pairs_from_memory(texts, (lb_pair_format){0}, &error),
        .text = {.source = lb_vocabulary_new_reserved(&error), .target = lb_vocabulary_new_reserved(&error)}};
    data->train->format.weight_column = weighed;
    ck_assert_int_eq(lb_pairs_take_stock(data->train, data->text.source, data->text.target, &error), LB_OK);
    ck_assert_int_eq(lb_pairs_different(data->train), DIFFERENT);
    lb_vocabulary_sort(data->text.source, 1);
    lb_vocabulary_sort(data->text.target, 1);
}

START_TEST(test_equal_pairs_share_what_their_source_counts_unless_they_have_weights)
{
    static const float weights[2][LINES] = {{1.5F, 1, 0, 1, 0.5F, 0, 0}, {3, 2, 0, 1, 1, 0, 0}};
    lb_training_data data;
    for (int weighed = 0; SUPPORT_ROW(weighed, weights); weighed++) {
        open_pairs(&data, weighed);
        ck_assert_mem_eq(data.train->weights, weights[weighed], sizeof *weights);
        lb_training_data_close(&data);
    }
}
END_TEST

/* The loss of a step with all pairs, which has `parts` parts, and its tokens. */
static double loss_of(lb_training_data *data, const lb_model *model, int parts, int64_t *tokens)
{
    const lb_training_config config = {.batch = LINES};
    lb_data_loader loader;
    lb_tape *tape = lb_tape_new();
    double sum = 0;
    *tokens = 0;
    ck_assert_int_eq(lb_data_loader_init(&loader, data, &config, 3, parts, &error), LB_OK);
    for (int64_t part = 0; part < parts; part++) {
        lb_batch batch = lb_data_loader_batch(&loader, tape, part);
        int64_t own = 0;
        for (int64_t row = 0; row < batch.target_out.batch; row++) own += batch.target_out.lengths[row];
        lb_tensor *logits = lb_model_forward(model, batch.source, batch.target_in);
        sum += (double)own * (double)lb_item(lb_model_loss(model, logits, batch.target_out, batch.weights,
                                                           LB_PAD, (lb_real)0.1));
        *tokens += own;
        lb_tape_reset(tape);
    }
    lb_data_loader_free(&loader);
    lb_tape_free(tape);
    return sum / (double)*tokens;
}

START_TEST(test_loss_of_pairs_with_weights_is_that_of_their_lines)
{
    lb_training_data data;
    lb_params *params = lb_params_new(1);
    lb_seq2seq model;
    int64_t tokens;
    open_pairs(&data, true);
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "",
                                     (lb_seq2seq_config){.source_vocab = lb_vocabulary_size(data.text.source),
                                                         .target_vocab = lb_vocabulary_size(data.text.target),
                                                         .embed = WIDTH,
                                                         .hidden = WIDTH}),
                     LB_OK);
    for (model.base.output = LB_SOFTMAX; model.base.output <= LB_ENTMAX; model.base.output++) {
        const float *weights = data.train->weights;
        double whole = loss_of(&data, &model.base, 1, &tokens),
               parts = loss_of(&data, &model.base, 2, &tokens);
        ck_assert_int_eq(tokens, 4 + 2 + 3 + 3);
        data.train->weights = NULL;
        double lines = loss_of(&data, &model.base, 1, &tokens);
        data.train->weights = weights;
        ck_assert_int_eq(tokens, 3 * 4 + 2 * 2 + 3 + 3);
        SUPPORT_CHECK(fabs(whole - lines) < 1e-5 * lines, "%.9g and %.9g", whole, lines);
        SUPPORT_CHECK(fabs(parts - lines) < 1e-5 * lines, "%.9g and %.9g", parts, lines);
    }
    lb_params_free(params);
    lb_training_data_close(&data);
}
END_TEST
