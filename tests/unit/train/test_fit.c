/* Training on arrays in one call: what it learns, resuming, and every kind of bad input. */
#include "lookback/nn.h"
#include "lookback/train.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "train/examples.h"

#include <math.h>
#include <string.h>

enum { COUNT = 200, LENGTH = 6, IDS = 5, HIDDEN = 12 };

static lb_real numbers[COUNT][2], sums[COUNT];
static int32_t ids[COUNT][LENGTH], tags[COUNT][LENGTH], lengths[COUNT], labels[COUNT];
static lb_error error;

/* A model that reads numbers or ids, with what it has been asked. */
typedef struct net {
    lb_params *params;
    lb_embedding embedding;
    lb_gru gru;
    lb_linear inner, outer;
    int applied;
} net;

static lb_tensor *apply_numbers(void *model, lb_example_input input)
{
    net *n = model;
    n->applied++;
    return lb_linear_forward(&n->outer, lb_tanh(lb_linear_forward(&n->inner, input.numbers)));
}

static lb_tensor *apply_last_state(void *model, lb_example_input input)
{
    net *n = model;
    n->applied++;
    lb_gru_result read = lb_gru_forward_tokens(&n->gru, &n->embedding, input.tokens, NULL);
    return lb_linear_forward(&n->outer, lb_dropout(read.final ? read.final[0] : read.outputs, (lb_real)0.1));
}

static lb_tensor *apply_each(void *model, lb_example_input input)
{
    net *n = model;
    return lb_linear_forward(&n->outer,
                             lb_gru_forward_tokens(&n->gru, &n->embedding, input.tokens, NULL).outputs);
}

static net new_net(int64_t outputs)
{
    net n = {.params = lb_params_new(3)};
    lb_embedding_init(&n.embedding, n.params, "embedding", IDS, 4, 0);
    lb_gru_init(&n.gru, n.params, "gru", (lb_gru_config){.input = 4, .hidden = HIDDEN});
    lb_linear_init(&n.inner, n.params, "inner", (lb_linear_config){.inputs = 2, .outputs = HIDDEN});
    lb_linear_init(&n.outer, n.params, "outer", (lb_linear_config){.inputs = HIDDEN, .outputs = outputs});
    return n;
}

/* Two numbers and their sum; ids that count up from a start, and which of the starts it was. */
static void make_examples(void)
{
    for (int i = 0; i < COUNT; i++) {
        lb_rng rng = {.seed = 5, .step = (uint32_t)i};
        for (int k = 0; k < 2; k++) numbers[i][k] = (lb_real)(2 * lb_rng_uniform(rng, (uint64_t)k) - 1);
        sums[i] = numbers[i][0] + numbers[i][1];
        labels[i] = (int32_t)lb_rng_below(rng, 2, 3);
        lengths[i] = 2 + (int32_t)lb_rng_below(rng, 3, LENGTH - 1);
        for (int k = 0; k < LENGTH; k++) ids[i][k] = k < lengths[i] ? (labels[i] + k) % IDS : 77;
    }
}

static lb_examples number_examples(void)
{
    return (lb_examples){.count = COUNT, .numbers = numbers[0], .width = 2, .values = sums, .outputs = 1};
}

static lb_examples label_examples(void)
{
    return (lb_examples){.count = COUNT,
                         .ids = ids[0],
                         .lengths = lengths,
                         .length = LENGTH,
                         .vocabulary = IDS,
                         .labels = labels,
                         .classes = 3};
}

static lb_examples next_examples(void)
{
    lb_examples e = label_examples();
    e.labels = NULL;
    e.classes = 0;
    e.next = true;
    return e;
}

/* Whether an id is larger than the one before it. The first one has no tag; what follows the last does not count. */
static lb_examples tag_examples(void)
{
    lb_examples e = label_examples();
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < LENGTH; k++)
            tags[i][k] = k >= lengths[i] ? 99 : k == 0 ? -1 : ids[i][k] > ids[i][k - 1];
    e.labels = NULL;
    e.tags = tags[0];
    e.classes = 2;
    return e;
}

static lb_evaluation fit(net *n, lb_examples examples, lb_fit_config config)
{
    lb_evaluation found;
    config.model = n;
    ck_assert_msg(lb_fit(n->params, examples, config, &found, &error) == LB_OK, "%s", error.message);
    return found;
}

START_TEST(test_fit_learns_values_labels_tags_and_what_comes_next)
{
    make_examples();
    net n = new_net(1);
    lb_evaluation found = fit(&n, number_examples(), (lb_fit_config){.apply = apply_numbers, .epochs = 40});
    ck_assert_msg(found.loss < 0.02 && found.exact_match == 0, "%g", found.loss);
    lb_params_free(n.params);
    n = new_net(3);
    found = fit(&n, label_examples(),
                (lb_fit_config){.apply = apply_last_state, .optimizer = {.lr = (lb_real)0.01}});
    ck_assert_msg(found.exact_match == 1 && found.loss < 0.2, "%g %g", found.exact_match, found.loss);
    lb_params_free(n.params);
    n = new_net(2);
    found = fit(&n, tag_examples(), (lb_fit_config){.apply = apply_each, .optimizer = {.lr = (lb_real)0.01}});
    ck_assert_msg(found.exact_match == 1 && found.loss < 0.1, "%g %g", found.exact_match, found.loss);
    lb_params_free(n.params);
    n = new_net(IDS);
    found =
        fit(&n, next_examples(), (lb_fit_config){.apply = apply_each, .optimizer = {.lr = (lb_real)0.01}});
    ck_assert_msg(found.exact_match == 1 && found.loss < 0.2, "%g %g", found.exact_match, found.loss);
    lb_params_free(n.params);
}
END_TEST

START_TEST(test_fit_of_few_examples_holds_none_out_and_keeps_the_last_weights)
{
    make_examples();
    lb_examples few = number_examples();
    few.count = 9;
    net n = new_net(1);
    lb_evaluation found = fit(&n, few, (lb_fit_config){.apply = apply_numbers, .batch = 4, .epochs = 3});
    ck_assert_int_eq(n.applied, 3 * 3 + 3 * 3);
    ck_assert(found.loss > 0);
    lb_params_free(n.params);
}
END_TEST

static int left; /* questions until the training shall stop */

static bool is_time(void *context)
{
    ck_assert_ptr_eq(context, &left);
    return left-- == 0;
}

static int epochs_heard;

static lb_status hear(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    ck_assert_ptr_eq(context, &left);
    if (event->kind == LB_EVENT_EVALUATED) ck_assert_int_eq(event->history->count, ++epochs_heard);
    return LB_OK;
}

START_TEST(test_fit_goes_on_after_an_interruption_with_the_same_bits)
{
    make_examples();
    lb_fit_config config = {.apply = apply_last_state, .epochs = 4, .seed = 9, .context = &left};
    net whole = new_net(3), paused = new_net(3);
    lb_evaluation expected = fit(&whole, label_examples(), config);
    config.checkpoint = support_path("fit.safetensors");
    config.stop = is_time;
    config.tell = hear;
    config.model = &paused;
    left = 17;
    ck_assert_int_eq(lb_fit(paused.params, label_examples(), config, NULL, &error), LB_ERROR_INTERRUPTED);
    ck_assert_int_eq(epochs_heard, 2);
    lb_params_free(paused.params);
    paused = new_net(3);
    error = (lb_error){0};
    left = 1000;
    lb_set_threads(1);
    lb_evaluation found = fit(&paused, label_examples(), config);
    ck_assert(found.loss == expected.loss && found.exact_match == expected.exact_match);
    ck_assert_mem_eq(lb_params_values(whole.params), lb_params_values(paused.params),
                     (size_t)lb_params_size(whole.params) * sizeof(lb_real));
    labels[3] = (labels[3] + 1) % 3;
    ck_assert_int_eq(lb_fit(paused.params, label_examples(), config, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "it was trained with examples ") != NULL, "%s", error.message);
    lb_params_free(whole.params);
    lb_params_free(paused.params);
}
END_TEST

START_TEST(test_examples_batch_is_as_long_as_its_longest_row)
{
    make_examples();
    lb_tape *tape = lb_tape_new();
    lengths[1] = 2;
    lengths[2] = 4;
    const int64_t rows[] = {2, 1};
    lb_examples next = next_examples(), of_tags = tag_examples();
    lb_example_batch with_next = lb_examples_batch(&next, tape, rows, 2),
                     with_tags = lb_examples_batch(&of_tags, tape, rows, 2);
    ck_assert(with_next.input.tokens.length == 3 && with_tags.input.tokens.length == 4);
    for (int row = 0; SUPPORT_ROW(row, rows); row++) {
        int length = lengths[rows[row]];
        ck_assert_int_eq(with_next.input.tokens.lengths[row], length - 1);
        ck_assert_int_eq(with_next.labels.lengths[row], length - 1);
        ck_assert_int_eq(with_tags.labels.lengths[row], length);
        for (int i = 0; i < 4; i++) {
            int32_t tag = i < length ? tags[rows[row]][i] : -1, id = i < length ? ids[rows[row]][i] : LB_PAD;
            ck_assert_int_eq(with_tags.labels.id[row * 4 + i], tag);
            ck_assert_int_eq(with_tags.input.tokens.id[row * 4 + i], id);
            if (i < 3)
                ck_assert_int_eq(with_next.labels.id[row * 3 + i],
                                 i + 1 < length ? ids[rows[row]][i + 1] : -1);
        }
    }
    lb_tape_free(tape);
}
END_TEST

static void expect_refused(lb_examples examples, lb_fit_config config, lb_status status, const char *message)
{
    net n = new_net(3);
    lb_evaluation found;
    error = (lb_error){0};
    config.model = &n;
    ck_assert_int_eq(lb_fit(n.params, examples, config, &found, &error), status);
    ck_assert_str_eq(error.message, message);
    ck_assert_int_eq(n.applied, 0);
    lb_params_free(n.params);
}

START_TEST(test_fit_bad_example_is_an_error_with_its_index_before_the_first_step)
{
    const lb_fit_config config = {.apply = apply_last_state};
    make_examples();
    ids[7][1] = IDS;
    expect_refused(label_examples(), config, LB_ERROR_INDEX,
                   "example 7: id 5 at position 1, expected 0 to 4");
    ids[7][1] = -1;
    expect_refused(next_examples(), config, LB_ERROR_INDEX,
                   "example 7: id -1 at position 1, expected 0 to 4");
    make_examples();
    lengths[199] = LENGTH + 1;
    expect_refused(label_examples(), config, LB_ERROR_INDEX, "example 199: length 7, expected 0 to 6");
    lengths[199] = -2;
    expect_refused(label_examples(), config, LB_ERROR_INDEX, "example 199: length -2, expected 0 to 6");
    make_examples();
    labels[3] = 3;
    expect_refused(label_examples(), config, LB_ERROR_INDEX, "example 3: label 3, expected 0 to 2");
    labels[3] = -1;
    expect_refused(label_examples(), config, LB_ERROR_INDEX, "example 3: label -1, expected 0 to 2");
    lb_examples e = tag_examples();
    tags[4][1] = 2;
    expect_refused(e, config, LB_ERROR_INDEX,
                   "example 4: tag 2 at position 1, expected 0 to 1, or -1 for none");
    tags[4][1] = -2;
    expect_refused(e, config, LB_ERROR_INDEX,
                   "example 4: tag -2 at position 1, expected 0 to 1, or -1 for none");
    make_examples();
    sums[42] = (lb_real)NAN;
    expect_refused(number_examples(), config, LB_ERROR_ARGUMENT,
                   "example 42: value 0 is nan, expected a number");
    make_examples();
    numbers[COUNT - 1][1] = (lb_real)NAN;
    expect_refused(number_examples(), config, LB_ERROR_ARGUMENT,
                   "example 199: number 1 is nan, expected a number");
    make_examples();
    numbers[5][1] = -(lb_real)INFINITY;
    expect_refused(number_examples(), config, LB_ERROR_ARGUMENT,
                   "example 5: number 1 is -inf, expected a number");
}
END_TEST

START_TEST(test_fit_what_is_missing_is_an_error_of_argument)
{
    const lb_fit_config config = {.apply = apply_last_state};
    make_examples();
    lb_examples e = label_examples();
    e.count = 0;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "found 0 examples, expected at least one");
    e = label_examples();
    e.ids = NULL;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "found nothing to read, expected numbers or ids");
    e = label_examples();
    e.labels = NULL;
    expect_refused(e, config, LB_ERROR_ARGUMENT,
                   "found 0 answers, expected one of labels, tags, values and next");
    e = label_examples();
    e.next = true;
    expect_refused(e, config, LB_ERROR_ARGUMENT,
                   "found 2 answers, expected one of labels, tags, values and next");
    e = number_examples();
    e.values = NULL;
    e.next = true;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "next: found no ids, expected some");
    e = tag_examples();
    e.next = true;
    expect_refused(e, config, LB_ERROR_ARGUMENT,
                   "found 2 answers, expected one of labels, tags, values and next");
    e = number_examples();
    e.values = NULL;
    e.tags = tags[0];
    expect_refused(e, config, LB_ERROR_ARGUMENT, "tags: found no ids, expected some");
    e = tag_examples();
    e.classes = 0;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "classes: found 0, expected at least 1: is it set?");
    e = label_examples();
    e.classes = 0;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "classes: found 0, expected at least 1: is it set?");
    e = number_examples();
    e.width = -3;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "width: found -3, expected at least 1: is it set?");
    e.width = 0;
    expect_refused(e, config, LB_ERROR_ARGUMENT, "width: found 0, expected at least 1: is it set?");
    expect_refused(label_examples(), (lb_fit_config){0}, LB_ERROR_ARGUMENT,
                   "apply: found NULL, expected a function");
    expect_refused(
        label_examples(), (lb_fit_config){.apply = apply_last_state, .batch = -1}, LB_ERROR_ARGUMENT,
        "found batch -1, epochs 0, patience 0 and held_out 0, expected 0 or more, and held_out less "
        "than 1");
    expect_refused(
        label_examples(), (lb_fit_config){.apply = apply_last_state, .epochs = -1}, LB_ERROR_ARGUMENT,
        "found batch 0, epochs -1, patience 0 and held_out 0, expected 0 or more, and held_out less than 1");
    expect_refused(label_examples(),
                   (lb_fit_config){.apply = apply_last_state, .patience = -1, .held_out = 0.5},
                   LB_ERROR_ARGUMENT,
                   "found batch 0, epochs 0, patience -1 and held_out 0.5, expected 0 or more, and held_out "
                   "less than 1");
    expect_refused(
        label_examples(), (lb_fit_config){.apply = apply_last_state, .held_out = 1}, LB_ERROR_ARGUMENT,
        "found batch 0, epochs 0, patience 0 and held_out 1, expected 0 or more, and held_out less than 1");
    ck_assert_int_eq(lb_fit(NULL, label_examples(), config, NULL, &error), LB_ERROR_MEMORY);
}
END_TEST

START_TEST(test_fit_output_that_does_not_fit_is_an_error_of_shape)
{
    make_examples();
    net n = new_net(3);
    ck_assert_int_eq(lb_fit(n.params, number_examples(), (lb_fit_config){.model = &n, .apply = apply_numbers},
                            NULL, &error),
                     LB_ERROR_SHAPE);
    ck_assert_str_eq(error.message, "lb_mean_squared_error: shapes do not match: x[32,3] x target[32,1]");
    lb_params_free(n.params);
}
END_TEST

START_TEST(test_fit_failing_allocation_is_an_error_and_leaks_nothing)
{
    make_examples();
    lb_examples few = number_examples();
    few.count = 20;
    lb_set_threads(1);
    support_watch_allocations();
    net n = new_net(1);
    long live = support_live_allocations();
    const lb_fit_config config = {.model = &n, .apply = apply_numbers, .epochs = 1};
    for (long k = 1;; k++) {
        error = (lb_error){0};
        support_fail_allocation(k);
        lb_status status = lb_fit(n.params, few, config, NULL, &error);
        support_fail_allocation(0);
        ck_assert_int_eq(support_live_allocations(), live);
        if (status == LB_OK) break;
        ck_assert_int_eq(status, LB_ERROR_MEMORY);
    }
    lb_params_free(n.params);
}
END_TEST
