/* Whose checkpoint lb_fit takes: that of a run with the same examples and settings. */
#include "lookback/nn.h"
#include "lookback/train.h"
#include "support/fit_examples.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 8 };

static lb_error error;

typedef struct reader {
    lb_params *params;
    lb_linear line;
    lb_embedding rows;
} reader;

static reader *new_reader(int64_t outputs)
{
    reader *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->params = lb_params_new(2);
    lb_linear_init(&r->line, r->params, "line", (lb_linear_config){.inputs = 2, .outputs = outputs});
    lb_embedding_init(&r->rows, r->params, "rows", IDS, IDS, -1);
    return r;
}

static void free_reader(reader *r)
{
    lb_params_free(r->params);
    free(r);
}

static lb_tensor *apply_line(void *model, lb_example_input input)
{
    const reader *r = model;
    return lb_linear_forward(&r->line, lb_scale(input.numbers, (lb_real)0.01));
}

/* The logits of the next id are a row of a table. */
static lb_tensor *apply_rows(void *model, lb_example_input input)
{
    const reader *r = model;
    return lb_embedding_forward(&r->rows, input.tokens);
}

static lb_evaluation fit(reader *r, lb_examples examples, lb_fit_config config)
{
    lb_evaluation found;
    ck_assert_msg(lb_fit(r->params, examples, config, &found, &error) == LB_OK, "%s", error.message);
    return found;
}

static lb_fit_config settings_of(reader *r)
{
    lb_fit_config config = {.model = r,
                            .apply = apply_line,
                            .batch = BATCH,
                            .epochs = 1,
                            .seed = 6,
                            .patience = 4,
                            .checkpoint = support_path("run.safetensors")};
    config.optimizer = (lb_optimizer_config){.lr = (lb_real)0.01,
                                             .beta1 = (lb_real)0.8,
                                             .beta2 = (lb_real)0.9,
                                             .epsilon = (lb_real)1e-6,
                                             .momentum = (lb_real)0.7,
                                             .weight_decay = (lb_real)0.001,
                                             .clip_norm = 2};
    return config;
}

/* Whether a run with these settings takes the checkpoint of settings_of(): NULL, or why it does not. */
static const char *refusal(lb_examples examples, lb_fit_config config)
{
    reader *r = new_reader(examples.labels || examples.outputs == 2 ? 2 : 1);
    config.model = r;
    if (config.held_out > 0.5) {
        lb_params_freeze(r->params, "line.bias");
        config.held_out = 0;
    }
    error = (lb_error){0};
    lb_status status = lb_fit(r->params, examples, config, NULL, &error);
    free_reader(r);
    if (status == LB_OK) return NULL;
    ck_assert_msg(status == LB_ERROR_FORMAT, "%s", error.message);
    return error.message;
}

static void expect_refusal(lb_examples examples, lb_fit_config config, const char *setting)
{
    char begin[2 * SUPPORT_PATH];
    const char *why = refusal(examples, config);
    ck_assert_msg(why != NULL, "%s is not in the identity of the run", setting);
    snprintf(begin, sizeof begin, "cannot resume from %s: it was trained with %s ", config.checkpoint,
             setting);
    ck_assert_msg(strncmp(why, begin, strlen(begin)) == 0, "%s: %s", setting, why);
    ck_assert_ptr_null(strstr(why, " and ")); /* nothing else differs */
}

START_TEST(test_fit_every_number_of_its_configuration_tells_its_checkpoint_from_another)
{
    static const char *const names[] = {"lr",       "beta1",        "beta2",    "epsilon",
                                        "momentum", "weight_decay", "clip_norm"};
    make_examples();
    reader *r = new_reader(1);
    const lb_fit_config config = settings_of(r);
    fit(r, of_values(), config);
    ck_assert_ptr_null(refusal(of_values(), config));
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        lb_fit_config other = config;
        lb_real *number = &other.optimizer.lr + i;
        *number = (lb_real)nextafterf((float)*number, 1); /* the next number is another one */
        expect_refusal(of_values(), other, names[i]);
    }
    lb_fit_config other = config;
    other.optimizer.kind = LB_OPTIMIZER_SGD;
    expect_refusal(of_values(), other, "optimizer");
    other = config;
    other.batch = BATCH + 1;
    ck_assert_ptr_nonnull(strstr(refusal(of_values(), other), "batch 8"));
    other = config;
    other.seed = 7;
    expect_refusal(of_values(), other, "seed");
    other = config;
    other.held_out = 0.2;
    ck_assert_ptr_nonnull(strstr(refusal(of_values(), other), "held_out 5"));
    other = config;
    other.patience = 5;
    expect_refusal(of_values(), other, "patience");
    other = config;
    other.held_out = 0.9; /* see refusal */
    expect_refusal(of_values(), other, "frozen");
    free_reader(r);
}
END_TEST

START_TEST(test_fit_settings_that_mean_the_same_are_the_same_run)
{
    make_examples();
    reader *r = new_reader(1);
    lb_fit_config config = settings_of(r);
    config.optimizer = (lb_optimizer_config){.weight_decay = -1};
    fit(r, of_values(), config);
    config.optimizer = (lb_optimizer_config){
        .lr = (lb_real)3e-3, .beta1 = (lb_real)0.9, .beta2 = (lb_real)0.999, .epsilon = (lb_real)1e-8};
    config.held_out = 0.1;
    ck_assert_ptr_null(refusal(of_values(), config));
    config.epochs = 2; /* goes on */
    ck_assert_ptr_null(refusal(of_values(), config));
    free_reader(r);
}
END_TEST

static void try_other_numbers(lb_fit_config config)
{
    lb_examples e = of_values();
    numbers[COUNT - 1][1] += 1;
    expect_refusal(e, config, "examples");
    make_examples();
    values[COUNT - 1] += 1;
    expect_refusal(e, config, "examples");
    make_examples();
    e.ids = ids[0];
    e.length = LENGTH;
    e.vocabulary = IDS;
    expect_refusal(e, config, "examples");
}

static void try_other_ids(lb_fit_config config, lb_examples e)
{
    int last = COUNT - 1;
    ids[last][lengths[last] - 1] ^= 1;
    expect_refusal(e, config, "examples");
    make_examples();
    lengths[last]--;
    expect_refusal(e, config, "examples");
    make_examples();
    labels[last] ^= 1;
    expect_refusal(e, config, "examples");
    make_examples();
    e.vocabulary++;
    expect_refusal(e, config, "examples");
    e.vocabulary--;
    e.classes++;
    expect_refusal(e, config, "examples");
    e.classes--;
    int32_t first[] = {ids[0][0], ids[0][1], ids[1][0]}; /* the same ids, divided otherwise */
    ck_assert(lengths[0] == 2 && lengths[1] == 1);
    lengths[0] = 1;
    lengths[1] = 2;
    memcpy(ids[1], first + 1, 2 * sizeof *first);
    expect_refusal(e, config, "examples");
    make_examples();
    ids[last][lengths[last]] = 99; /* after the end: it does not count */
    ck_assert_ptr_null(refusal(e, config));
}

START_TEST(test_fit_every_array_tells_its_checkpoint_from_that_of_other_examples)
{
    make_examples();
    reader *r = new_reader(1);
    lb_fit_config config = settings_of(r);
    fit(r, of_values(), config);
    try_other_numbers(config);
    free_reader(r);
    make_examples();
    r = new_reader(2);
    config = settings_of(r);
    config.fresh = true;
    lb_examples pairs = of_values();
    lb_real two[COUNT][2] = {{0}};
    pairs.values = two[0];
    pairs.outputs = 2;
    fit(r, pairs, config);
    config.fresh = false;
    ck_assert_ptr_null(refusal(pairs, config));
    two[COUNT - 1][1] = 1;
    expect_refusal(pairs, config, "examples");
    free_reader(r);
    make_examples();
    r = new_reader(CLASSES);
    config = settings_of(r);
    config.fresh = true;
    lb_examples e = of_ids();
    e.next = false;
    e.labels = labels;
    e.classes = CLASSES;
    e.numbers = numbers[0];
    e.width = 2;
    fit(r, e, config);
    config.fresh = false;
    try_other_ids(config, e);
    free_reader(r);
    make_examples();
    r = new_reader(1);
    config = settings_of(r);
    config.apply = apply_rows;
    config.fresh = true;
    e = of_tags();
    fit(r, e, config);
    config.fresh = false;
    ck_assert_ptr_null(refusal(e, config));
    int32_t other[COUNT * LENGTH];
    memcpy(other, e.tags, sizeof other);
    e.tags = other;
    other[(COUNT - 1) * LENGTH + LENGTH - 1] = 88; /* after the end */
    ck_assert_ptr_null(refusal(e, config));
    other[(COUNT - 1) * LENGTH] = other[(COUNT - 1) * LENGTH] ? 0 : 1;
    expect_refusal(e, config, "examples");
    free_reader(r);
}
END_TEST
