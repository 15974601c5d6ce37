/* A run of lb_fit: the examples of each step, the weights that are kept, its loss, and its end. */
#include "lookback/nn.h"
#include "lookback/train.h"
#include "support/fit_examples.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 5, TRAINED = COUNT - HELD, BATCH = 8, BATCHES = 7, EPOCHS = 3 };
enum { MOST_SEEN = 4 * COUNT, WEIGHTS = 64 };

static lb_error error;

/* A model whose first number is the number of the example: it notes what it reads. */
typedef struct reader {
    lb_params *params;
    lb_linear line;
    lb_embedding rows;
    int trained[MOST_SEEN], evaluated[MOST_SEEN];
    int trainings, evaluations;
    /* What it answers to the first and to all other examples while it is evaluated; NULL: what it computes. */
    const double (*script)[2];
    int64_t examples;        /* of one evaluation, for the script */
    lb_train_point point[8]; /* after each epoch */
    lb_real weights[8][WEIGHTS];
    int64_t epochs, stop; /* so far; questions until it shall stop */
} reader;

static reader *new_reader(int64_t outputs)
{
    reader *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->params = lb_params_new(2);
    r->stop = -1;
    lb_linear_init(&r->line, r->params, "line", (lb_linear_config){.inputs = 2, .outputs = outputs});
    lb_embedding_init(&r->rows, r->params, "rows", IDS, IDS, -1);
    return r;
}

static void free_reader(reader *r)
{
    lb_params_free(r->params);
    free(r);
}

/* Logits or values by the script of this epoch: one for the first example, one for all others. */
static void follow_script(reader *r, lb_tensor *out)
{
    int64_t width = lb_dim(out, -1), rows = lb_count(out) / width;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < width; k++)
            out->data[i * width + k] = (lb_real)(k == 0 ? r->script[r->epochs][r->examples + i > 0] : 0);
    r->examples += rows;
}

static lb_tensor *apply_line(void *model, lb_example_input input)
{
    reader *r = model;
    bool trains = lb_tape_mode(input.tape) == LB_MODE_TRAIN;
    for (int64_t i = 0; i < lb_dim(input.numbers, 0); i++) {
        int *seen = trains ? r->trained + r->trainings++ : r->evaluated + r->evaluations++;
        *seen = (int)input.numbers->data[2 * i];
    }
    lb_tensor *out = lb_linear_forward(&r->line, lb_scale(input.numbers, (lb_real)0.01));
    if (!trains && r->script) follow_script(r, out);
    return out;
}

/* The logits of the next id are a row of a table. */
static lb_tensor *apply_rows(void *model, lb_example_input input)
{
    reader *r = model;
    lb_tensor *out = lb_embedding_forward(&r->rows, input.tokens);
    if (lb_tape_mode(input.tape) == LB_MODE_EVALUATE && r->script) follow_script(r, out);
    return out;
}

static lb_status note(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    reader *r = context;
    const lb_train_history *history = event->history;
    if (event->kind != LB_EVENT_EVALUATED) return LB_OK;
    memcpy(r->weights[r->epochs], lb_params_values(r->params),
           (size_t)lb_params_size(r->params) * sizeof(lb_real));
    r->point[r->epochs++] = history->points[history->count - 1];
    r->examples = 0;
    return LB_OK;
}

static bool shall_stop(void *context)
{
    reader *r = context;
    return r->stop-- == 0;
}

static lb_fit_config config_of(reader *r)
{
    return (lb_fit_config){.model = r,
                           .apply = apply_line,
                           .batch = BATCH,
                           .epochs = EPOCHS,
                           .seed = 6,
                           .context = r,
                           .tell = note,
                           .stop = shall_stop};
}

static lb_evaluation fit(reader *r, lb_examples examples, lb_fit_config config)
{
    lb_evaluation found;
    ck_assert_msg(lb_fit(r->params, examples, config, &found, &error) == LB_OK, "%s", error.message);
    return found;
}

START_TEST(test_fit_trains_once_an_epoch_on_all_that_is_not_held_out)
{
    make_examples();
    reader *r = new_reader(1);
    fit(r, of_values(), config_of(r));
    ck_assert_int_eq(r->trainings, EPOCHS * TRAINED);
    ck_assert_int_eq(r->evaluations, EPOCHS * HELD);
    bool held[COUNT] = {false};
    for (int i = 0; i < EPOCHS * HELD; i++) held[r->evaluated[i]] = true;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        const int *trained = r->trained + epoch * TRAINED;
        bool seen[COUNT] = {false};
        int ascending = 0;
        for (int i = 0; i < TRAINED; i++) {
            ck_assert(!seen[trained[i]] && !held[trained[i]]);
            seen[trained[i]] = true;
            ascending += i > 0 && trained[i] > trained[i - 1];
        }
        ck_assert_int_lt(ascending, TRAINED * 3 / 4);
        ck_assert_mem_eq(r->evaluated + epoch * HELD, r->evaluated, HELD * sizeof(int));
        if (epoch) ck_assert_mem_ne(trained, r->trained, TRAINED * sizeof(int));
    }
    ck_assert(r->evaluated[0] != 0 || r->evaluated[1] != 1 || r->evaluated[2] != 2);
    free_reader(r);
}
END_TEST

START_TEST(test_fit_reads_the_same_examples_in_the_same_order_after_a_resume)
{
    make_examples();
    for (int64_t stop = 1; stop < (int64_t)EPOCHS * BATCHES; stop += 4) {
        reader *whole = new_reader(1), *paused = new_reader(1);
        fit(whole, of_values(), config_of(whole));
        lb_fit_config config = config_of(paused);
        config.checkpoint = support_path("order.safetensors");
        config.fresh = true;
        paused->stop = stop;
        ck_assert_int_eq(lb_fit(paused->params, of_values(), config, NULL, NULL), LB_ERROR_INTERRUPTED);
        config.fresh = false;
        fit(paused, of_values(), config);
        ck_assert_int_eq(paused->trainings, whole->trainings);
        ck_assert_mem_eq(paused->trained, whole->trained, (size_t)whole->trainings * sizeof(int));
        free_reader(whole);
        free_reader(paused);
    }
}
END_TEST

START_TEST(test_fit_falls_along_a_cosine_that_ends_with_the_last_step)
{
    make_examples();
    reader *r = new_reader(1);
    lb_fit_config config = config_of(r);
    config.optimizer.lr = (lb_real)0.5;
    fit(r, of_values(), config);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double done = (double)((epoch + 1) * BATCHES - 1) / (EPOCHS * BATCHES);
        ck_assert_double_eq_tol(r->point[epoch].lr, 0.25 * (1 + cos(3.14159265358979 * done)), 1e-9);
    }
    config.optimizer.lr = -1; /* zero, as for an optimiser */
    r->epochs = 0;
    fit(r, of_values(), config);
    ck_assert_double_eq(r->point[0].lr, 0);
    free_reader(r);
}
END_TEST

static void expect_kept(const reader *r, lb_evaluation found, int epoch)
{
    ck_assert_mem_eq(lb_params_values(r->params), r->weights[epoch],
                     (size_t)lb_params_size(r->params) * sizeof(lb_real));
    ck_assert(found.loss == r->point[epoch].dev.loss);
    ck_assert(found.exact_match == r->point[epoch].dev.exact_match);
}

START_TEST(test_fit_of_values_keeps_the_weights_of_the_lowest_loss_and_has_patience)
{
    static const double script[][2] = {{9, 9}, {5, 5}, {2, 2}, {2, 2}, {3, 3}, {1, 1}};
    make_examples();
    for (int i = 0; i < COUNT; i++) values[i] = 0;
    for (int patience = 0; patience < 4; patience++) {
        reader *r = new_reader(1);
        r->script = script;
        lb_fit_config config = config_of(r);
        config.epochs = 6;
        config.patience = patience;
        lb_evaluation found = fit(r, of_values(), config);
        bool ends_early = patience == 1 || patience == 2;
        ck_assert_int_eq(r->epochs, ends_early ? 3 + patience : 6);
        expect_kept(r, found, ends_early ? 2 : 5);
        ck_assert_double_eq(found.loss, ends_early ? 4 : 1);
        free_reader(r);
    }
}
END_TEST

START_TEST(test_fit_that_holds_nothing_out_keeps_the_last_weights)
{
    static const double script[][2] = {{1, 1}, {2, 2}, {3, 3}};
    make_examples();
    for (int i = 0; i < COUNT; i++) values[i] = 0;
    reader *r = new_reader(1);
    r->script = script;
    lb_fit_config config = config_of(r);
    config.held_out = -1;
    expect_kept(r, fit(r, of_values(), config), 2);
    free_reader(r);
}
END_TEST

START_TEST(test_fit_takes_as_many_steps_as_there_are_batches_and_counts_the_examples)
{
    static const struct {
        int64_t batch, steps, held;
        double held_out;
    } cases[] = {{BATCH, BATCHES, HELD, 0}, {TRAINED / 4, 4, HELD, 0}, {COUNT, 1, 1, 0.001}};
    make_examples();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        reader *r = new_reader(1);
        lb_fit_config config = config_of(r);
        config.batch = cases[i].batch;
        config.held_out = cases[i].held_out;
        fit(r, of_values(), config);
        ck_assert_int_eq(r->evaluations, EPOCHS * cases[i].held);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            ck_assert_int_eq(r->point[epoch].step, (epoch + 1) * cases[i].steps);
            ck_assert_double_eq(r->point[epoch].tokens, (double)((epoch + 1) * (COUNT - cases[i].held)));
        }
        free_reader(r);
    }
}
END_TEST

/* The script has the first logit of two: of the first example, and of the others. All labels are 0. */
START_TEST(test_fit_of_labels_keeps_the_weights_with_the_most_right_and_then_of_the_lowest_loss)
{
    static const double script[][2] = {{-0.1, 0.5}, {0.1, 0.1}, {0.2, 0.2}, {-0.1, 5}};
    make_examples();
    for (int i = 0; i < COUNT; i++) labels[i] = 0;
    reader *r = new_reader(CLASSES);
    r->script = script;
    lb_fit_config config = config_of(r);
    config.epochs = 4;
    lb_evaluation found = fit(r, of_labels(), config);
    ck_assert_double_eq_tol(r->point[3].dev.exact_match, 1 - 1.0 / HELD, 1e-12);
    ck_assert(r->point[3].dev.loss < r->point[2].dev.loss);
    expect_kept(r, found, 2);
    free_reader(r);
}
END_TEST

START_TEST(test_fit_of_tags_has_more_right_before_a_lower_loss_and_of_what_comes_next_not)
{
    static const double script[][2] = {{0.1, 0.1}, {-0.1, 5}, {0.2, 0.2}};
    make_examples();
    memset(ids, 0, sizeof ids);
    for (int i = 0; i < COUNT; i++) lengths[i] = LENGTH;
    for (int with_tags = 0; with_tags < 2; with_tags++) {
        reader *r = new_reader(1);
        r->script = script;
        lb_fit_config config = config_of(r);
        config.apply = apply_rows;
        lb_evaluation found = fit(r, with_tags ? of_tags() : of_ids(), config);
        ck_assert(r->point[1].dev.exact_match < 1 && r->point[2].dev.exact_match == 1);
        ck_assert(r->point[1].dev.loss < r->point[2].dev.loss);
        expect_kept(r, found, with_tags ? 2 : 1);
        free_reader(r);
    }
}
END_TEST

/* By the definition: the mean over all ids that have an answer, whatever the batches. */
static void expect_mean(lb_examples e)
{
    reader *r = new_reader(1);
    lb_fit_config config = config_of(r);
    config.apply = apply_rows;
    config.held_out = -1;
    lb_evaluation found = fit(r, e, config);
    const lb_real *table = lb_params_find(r->params, "rows.weight")->data;
    double sum = 0;
    int count = 0, right = 0;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k + e.next < lengths[i]; k++) {
            const lb_real *row = table + (size_t)ids[i][k] * IDS;
            int32_t answer = e.next ? ids[i][k + 1] : e.tags[i * LENGTH + k];
            double all = 0;
            if (answer < 0) continue;
            for (int c = 0; c < IDS; c++) all += exp((double)row[c]);
            sum += log(all) - (double)row[answer];
            right += lb_argmax(row, IDS) == answer;
            count++;
        }
    ck_assert_int_gt(count, COUNT);
    ck_assert_double_eq_tol(found.loss, sum / count, 1e-5);
    ck_assert_double_eq_tol(found.exact_match, (double)right / count, 1e-12);
    free_reader(r);
}

START_TEST(test_fit_of_tags_and_of_what_comes_next_has_the_loss_of_each_id_with_an_answer)
{
    make_examples();
    expect_mean(of_ids());
    expect_mean(of_tags());
    int32_t none[COUNT * LENGTH];
    lb_examples e = of_tags();
    e.tags = none;
    for (int i = 0; i < COUNT * LENGTH; i++) none[i] = -1;
    reader *r = new_reader(1);
    lb_fit_config config = config_of(r);
    config.apply = apply_rows;
    lb_evaluation found = fit(r, e, config);
    ck_assert(isnan(found.loss) && found.exact_match == 0);
    free_reader(r);
}
END_TEST

START_TEST(test_fit_of_values_has_the_mean_of_all_examples)
{
    make_examples();
    reader *r = new_reader(1);
    lb_fit_config config = config_of(r);
    config.held_out = -1;
    lb_evaluation found = fit(r, of_values(), config);
    const lb_real *weight = lb_params_find(r->params, "line.weight")->data,
                  *bias = lb_params_find(r->params, "line.bias")->data;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        double out = 0.01 * (double)(weight[0] * numbers[i][0] + weight[1] * numbers[i][1]) + (double)*bias;
        sum += pow(out - (double)values[i], 2);
    }
    ck_assert_double_eq_tol(found.loss, sum / COUNT, 1e-5);
    free_reader(r);
}
END_TEST
