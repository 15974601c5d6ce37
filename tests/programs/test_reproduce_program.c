/* The command that trains a model again and compares it with its record: each planted difference is found at its
 * evaluation, with its reason. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static support_result result;

#define RUN(...)   SUPPORT_RUN(&result, NULL, BIN_DIR "/lookback", __VA_ARGS__)
#define REPRODUCE  "reproduce", "--threads", "1", "-q"
#define TRAIN(...) SUPPORT_TRAIN(SUPPORT_SMALL, "--steps", "150", "-q", __VA_ARGS__)

static void expect(int status, const char *output, const char *error)
{
    ck_assert_msg(result.status == status && strstr(result.output, output) && strstr(result.error, error),
                  "status %d, output %s, error %s", result.status, result.output, result.error);
}

static void train_one(void)
{
    support_write_pairs("train.tsv", 300, 1);
    TRAIN("--train", "train.tsv", "--dropout", "0.2", "--out", "out");
    support_assert_trained();
}

/* Writes a model with another record, or other weights, to the file `to`. */
static void change(const char *from, const char *to, void (*plant)(cJSON *record, lb_params *params))
{
    lb_error error = {0};
    lb_text_model model;
    lb_safetensors *file = lb_safetensors_open(support_path(from), &error);
    ck_assert_msg(file && !lb_text_model_load(file, NULL, &model, &error), "%s", error.message);
    cJSON *record = cJSON_Parse(model.training);
    plant(record, model.params);
    char *text = cJSON_PrintUnformatted(record);
    model.training = text;
    ck_assert_msg(!lb_text_model_save(support_path(to), &model, &error), "%s", error.message);
    free(text);
    cJSON_Delete(record);
    lb_text_model_free(&model);
    lb_safetensors_close(file);
}

static cJSON *line(cJSON *record, int number)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(record, "history"), number);
}

static void set_text(cJSON *object, const char *name, const char *text)
{
    ck_assert(cJSON_ReplaceItemInObject(object, name, cJSON_CreateString(text)));
}

static void set_hash(cJSON *record)
{
    set_text(line(record, 1), "weights", "0123456789abcdef");
}

static void plant_loss(cJSON *record, lb_params *params)
{
    (void)params;
    ck_assert(cJSON_ReplaceItemInObject(line(record, 1), "dev_loss", cJSON_CreateNumber(1.5)));
}

static void plant_hash(cJSON *record, lb_params *params)
{
    (void)params;
    set_hash(record);
}

static void plant_option(cJSON *record, lb_params *params)
{
    (void)params;
    ck_assert(
        cJSON_ReplaceItemInObject(cJSON_GetObjectItem(record, "options"), "lr", cJSON_CreateNumber(0.03)));
}

static void plant_build(cJSON *record, const char *name, const char *value)
{
    set_text(cJSON_GetObjectItem(record, "made"), name, value);
    set_hash(record);
}

static void plant_version(cJSON *record, lb_params *params)
{
    (void)params;
    plant_build(record, "version", "0.2.9");
}

static void plant_set(cJSON *record, lb_params *params)
{
    (void)params;
    plant_build(record, "instruction_set", "VAX");
}

static void plant_kernel(cJSON *record, lb_params *params)
{
    (void)params;
    plant_build(record, "kernel", "OpenBLAS 0.1 Prescott");
}

static void plant_weight(cJSON *record, lb_params *params)
{
    (void)record;
    lb_params_values(params)[0] += 0.001F;
}

static void plant_last_weight(cJSON *record, lb_params *params)
{
    int64_t first = 0;
    (void)record;
    while (strncmp(lb_params_name(params, first), "member.1.", 9) != 0) first++;
    lb_params_tensor(params, first)->data[0] += 0.001F;
}

/* Further evaluations than the training has. */
static void plant_end(cJSON *record, lb_params *params)
{
    cJSON *more = cJSON_Duplicate(line(record, 2), true);
    (void)params;
    ck_assert(cJSON_ReplaceItemInObject(more, "step", cJSON_CreateNumber(200)));
    ck_assert(cJSON_AddItemToArray(cJSON_GetObjectItem(record, "history"), more));
}

/* As an earlier version has written it. */
static void make_older(cJSON *record, lb_params *params)
{
    (void)params;
    cJSON_DeleteItemFromObject(record, "made");
}

static void drop_a_member(cJSON *record, lb_params *params)
{
    (void)params;
    cJSON_DeleteItemFromArray(cJSON_GetObjectItem(record, "members"), 1);
}

START_TEST(test_reproduce_is_the_same_as_often_as_it_is_asked)
{
    train_one();
    RUN(REPRODUCE, "out");
    support_expect(&result, 0,
                   "step 50: same\nstep 100: same\nstep 150: same\n"
                   "same: 3 evaluations, and the weights of the file\n",
                   "");
    RUN(REPRODUCE, "out/model.safetensors", "--steps", "120");
    support_expect(&result, 0,
                   "step 50: same\nstep 100: same\nsame: 2 evaluations, and the weights of the file\n", "");
    RUN("reproduce", "out", "--steps", "50", "--threads", "3");
    expect(0, "same: 1 evaluation, and the weights of the file\n", "lookback reproduce: trained with ");
}
END_TEST

static const struct {
    void (*plant)(cJSON *record, lb_params *params);
    const char *output, *error;
} planted[] = {
    {plant_weight, "step 150: weights of the file: found ", "file: its weights, or this line of its record"},
    {plant_loss, "step 50: same\nstep 100: dev_loss: found ", "record: the weights are the same"},
    {plant_hash, "step 50: same\nstep 100: weights: found ",
     "arithmetic: all that its record says is the same"},
    {plant_option, "step 50: weights: found ", "it was trained with lr 0.02, this run has lr 0.03"},
    {plant_version, "step 100: weights: found ", "version: it was made with 0.2.9, here is "},
    {plant_set, "step 100: weights: found ", "instruction_set: it was made with VAX, here is "},
    {plant_kernel, "step 100: weights: found ", "kernel: it was made with OpenBLAS 0.1 Prescott, here is "},
    {plant_end, "step 150: same\nstep 150: end: found here", "options: it was resumed, with more steps or "},
};

START_TEST(test_reproduce_finds_each_planted_difference_at_its_evaluation)
{
    train_one();
    for (size_t i = 0; SUPPORT_ROW(i, planted); i++) {
        change("out/model.safetensors", "changed.safetensors", planted[i].plant);
        RUN(REPRODUCE, "changed.safetensors");
        expect(1, planted[i].output, planted[i].error);
    }
}
END_TEST

/* Pairs as they come to people: elsewhere, with other ends of lines, compressed, in another order, changed, not at
 * all. */
START_TEST(test_reproduce_tells_other_pairs_from_the_same_ones)
{
    train_one();
    SUPPORT_RUN(&result, NULL, "/bin/sh", "-c",
                "mkdir far && sed 's/$/\r/' train.tsv > far/train.tsv && gzip -c train.tsv > train.gz && "
                "sort train.tsv > sorted.tsv && sed '7s/$/ a/' train.tsv > changed.tsv");
    ck_assert_int_eq(result.status, 0);
    RUN(REPRODUCE, "out", "--train", "far/train.tsv");
    expect(0, "same: 3 evaluations", "");
    RUN(REPRODUCE, "out", "--train", "train.gz");
    expect(0, "same: 3 evaluations", "");
    RUN(REPRODUCE, "out", "--train", "sorted.tsv");
    expect(1, "step 50: weights: ",
           "it was trained on other pairs (sorted.tsv has changed, or is a different file)");
    RUN(REPRODUCE, "out", "--train", "changed.tsv");
    expect(1, "step 50: weights: ", "data or options: it was trained on other pairs (changed.tsv");
    RUN(REPRODUCE, "out", "--dev", "changed.tsv");
    expect(1, "step 50: weights: ", "data or options: it was evaluated on other pairs (changed.tsv");
    ck_assert_int_eq(remove(support_path("train.tsv")), 0);
    RUN(REPRODUCE, "out");
    expect(66, "",
           "train.tsv: cannot read: No such file or directory (--train, --dev and --test name pairs)\n");
}
END_TEST

START_TEST(test_reproduce_uses_the_instruction_set_of_the_record)
{
    support_write_pairs("train.tsv", 100, 1);
    const char *const argv[] = {BIN_DIR "/lookback", "train",     SUPPORT_SMALL, "--isa", "baseline", "-q",
                                "--train",           "train.tsv", "--steps",     "50",    NULL};
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN(REPRODUCE, "out");
    expect(0, "same: 1 evaluation", "");
    RUN(REPRODUCE, "out", "--isa", "widest");
    ck_assert_int_le(result.status, 1); /* the sets may be the same here */
}
END_TEST

START_TEST(test_reproduce_votes_train_each_member)
{
    support_write_pairs("train.tsv", 300, 1);
    TRAIN("--train", "train.tsv", "--steps", "100", "--ensemble", "additive,transformer", "--out", "vote");
    support_assert_trained();
    RUN(REPRODUCE, "vote");
    expect(0, "member 1, step 100: same\nmember 2, step 50: same\nmember 2, step 100: same\nsame: 4 evalu",
           "");
    change("vote/model.safetensors", "changed.safetensors", plant_last_weight);
    RUN(REPRODUCE, "changed.safetensors");
    expect(1, "member 1, step 100: same\n", "file: its weights, or this line of its record");
    ck_assert_ptr_nonnull(strstr(result.output, "\nmember 2, step "));
    change("vote/model.safetensors", "changed.safetensors", drop_a_member);
    RUN(REPRODUCE, "changed.safetensors");
    expect(65, "", "changed.safetensors: member 2 has no record of how it was made\n");
    TRAIN("--train", "train.tsv", "--steps", "50", "--seeds", "2", "--out", "seeds");
    RUN(REPRODUCE, "seeds");
    expect(0, "member 2, step 50: same\nsame: 2 evaluations", "");
}
END_TEST

/* Weights that no line of the record is about would not be compared. */
static void hide_weights(cJSON *record, lb_params *params)
{
    (void)params;
    ck_assert(cJSON_ReplaceItemInObject(record, "best_step", cJSON_CreateNumber(7)));
}

static void make_hostile(cJSON *record, lb_params *params)
{
    plant_hash(record, params);
    set_text(cJSON_GetObjectItem(record, "made"), "run", "none");
}

START_TEST(test_reproduce_refuses_what_no_record_has_all_of)
{
    size_t count;
    train_one();
    TRAIN("--train", "train.tsv", "--steps", "50", "--from", "out", "--out", "next");
    RUN(REPRODUCE, "next");
    expect(65, "", "next/model.safetensors: it started from another model, which no record has\n");
    SUPPORT_TRAIN("--target-separator", " ", "--embed", "8", "--hidden", "8", "--train", "train.tsv",
                  "--minutes", "0.01", "--out", "minutes");
    RUN(REPRODUCE, "minutes");
    expect(65, "", "it was fitted into minutes, which depend on the machine\n");
    TRAIN("--train", "train.tsv", "--steps", "50", "--teacher", "out", "--no-hold-out", "--out", "taught");
    RUN(REPRODUCE, "taught");
    expect(65, "", "it learned from a teacher, whose outputs no record has\n");
    change("out/model.safetensors", "changed.safetensors", make_older);
    RUN(REPRODUCE, "changed.safetensors");
    expect(65, "", "it has no record of how it was made\n");
    change("out/model.safetensors", "changed.safetensors", hide_weights);
    RUN(REPRODUCE, "changed.safetensors");
    expect(65, "", "it has no record of the evaluation of its weights\n");
    change("out/model.safetensors", "changed.safetensors", make_hostile);
    RUN(REPRODUCE, "changed.safetensors");
    expect(1, "step 50: weights: found ", "data or options: ");
    char *bytes = support_content("out/model.safetensors", &count);
    support_write_file(support_path("cut.safetensors"), bytes, count - 100);
    free(bytes);
    RUN(REPRODUCE, "cut.safetensors");
    expect(65, "", "cut.safetensors: ");
}
END_TEST

/* A record needs no options where the run says all: lists, and programs of their own. */
START_TEST(test_reproduce_lists_of_numbers)
{
    RUN("sort", "-q", "--max-number", "9", "--lengths", "2-5", "--hidden", "16", "--steps", "40",
        "--evaluate-every", "20", "--out", "lists");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN(REPRODUCE, "lists");
    expect(0, "step 40: same\nsame: 2 evaluations", "");
}
END_TEST

#define EXAMPLE SOURCE_DIR "/examples/data/spanish.safetensors"

/* docs/reproduce.md has the commands; tests/package/portable.sh repeats the last one on other processors.
 * UPDATE_MODELS=1 makes the model again, after a change of the bits. */
START_TEST(test_reproduce_the_model_of_the_examples)
{
    size_t count;
    char *pairs = support_read_file(SOURCE_DIR "/examples/data/spanish_train.tsv", &count);
    support_write_file(support_path("spanish_train.tsv"), pairs, count);
    free(pairs);
    if (getenv("UPDATE_MODELS")) {
        RUN("train", "spanish_train.tsv", "--hidden", "16", "--embed", "8", "--steps", "60",
            "--evaluate-every", "20", "--isa", "portable", "--out", "spanish");
        ck_assert_msg(result.status == 0, "%s", result.error);
        char *model = support_content("spanish/model.safetensors", &count);
        support_write_file(EXAMPLE, model, count);
        free(model);
    }
    RUN(REPRODUCE, EXAMPLE);
    expect(0, "step 60: same\nsame: 3 evaluations, and the weights of the file\n", "");
}
END_TEST
