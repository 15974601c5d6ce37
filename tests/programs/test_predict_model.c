/* Errors of predict for files that are not models, models of other tasks, and damaged models. */
#include "data/lists/sort_task.h"
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/train.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREDICT BIN_DIR "/lookback", "predict"

static const char *model; /* made once, in main */

static support_result result;

static void run(const char *path)
{
    SUPPORT_RUN(&result, "7 3\n", PREDICT, path);
}

/* Asserts that predict rejects the model with one line that names it. */
static void expect_refused(const char *path, int status, const char *why)
{
    char begin[SUPPORT_PATH + 16];
    snprintf(begin, sizeof begin, "lookback predict: %s: ", path);
    run(path);
    ck_assert_msg(result.status == status, "status %d, not %d: %s", result.status, status, result.error);
    ck_assert_str_eq(result.output, "");
    ck_assert_msg(strncmp(result.error, begin, strlen(begin)) == 0, "%s", result.error);
    ck_assert_msg(strstr(result.error, why) != NULL, "\"%s\" does not say \"%s\"", result.error, why);
    ck_assert_ptr_eq(strchr(result.error, '\n'), result.error + result.error_length - 1);
    support_result_free(&result);
}

START_TEST(test_predict_checkpoint_of_a_training_is_refused)
{
    const lb_safetensors_metadata metadata = {LB_RUN_KEY, "{}"};
    lb_status status =
        lb_safetensors_write(NULL, 0, &metadata, 1, support_path("checkpoint.safetensors"), NULL);
    ck_assert_int_eq(status, LB_OK);
    expect_refused(support_path("checkpoint.safetensors"), 65,
                   "found the checkpoint of a training, expected its model, which is in the same folder");
}
END_TEST

START_TEST(test_predict_other_file_is_refused)
{
    expect_refused("/nowhere/model", 66, "No such file or directory");
    expect_refused("/", 66, "found a folder without a model");
    expect_refused("/dev/null", 65, "too few");
    expect_refused(SOURCE_DIR "/LICENSE", 65, "found text, expected a model in safetensors");
    expect_refused(SOURCE_DIR "/tests/data/pictures/heatmap.png", 65, "found a PNG picture");
    expect_refused(SOURCE_DIR "/tests/data/fixtures/linear.safetensors", 65,
                   "weights, but no model description");
}
END_TEST

/* Saves a model of 9 tokens; `task` may be NULL. */
static void save_misfit(const char *path, const char *task)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq misfit;
    ck_assert_int_eq(
        lb_seq2seq_init(&misfit, params, "", (lb_seq2seq_config){.source_vocab = 9, .target_vocab = 9}),
        LB_OK);
    lb_safetensors_metadata metadata = {LB_SORT_TASK_KEY, task};
    ck_assert_int_eq(
        lb_model_save(&misfit.base, params, path,
                      (lb_checkpoint_extra){.metadata = &metadata, .metadata_count = task ? 1 : 0}, NULL),
        LB_OK);
    lb_params_free(params);
}

START_TEST(test_predict_model_of_another_task_is_refused)
{
    const char *path = support_path("misfit.safetensors");
    save_misfit(path, NULL);
    expect_refused(path, 65, "lookback.task is missing from the metadata");
    save_misfit(path, "{\"task\":\"translate\"}");
    expect_refused(path, 65, "translate");
    save_misfit(path, "{\"task\":\"sort\",\"max_number\":99,\"min_length\":1,\"max_length\":3}");
    expect_refused(path, 65, "the vocabularies have 104 and 104 symbols, expected 9 and 9 as in the model");
}
END_TEST

START_TEST(test_predict_damaged_model_is_refused)
{
    enum { FLIPS = 40, CUTS = 20 };
    const char *path = support_path("damaged.safetensors");
    size_t count;
    char *bytes = support_read_file(model, &count);
    for (size_t i = 0; i < FLIPS; i++) {
        /* half of them in the header */
        size_t at = i % 2 ? i * (count - 1) / (FLIPS - 1) : i * 2500 / FLIPS;
        bytes[at] = (char)(bytes[at] ^ (1 << i % 8));
        support_write_file(path, bytes, count);
        expect_refused(path, 65, "");
        bytes[at] = (char)(bytes[at] ^ (1 << i % 8));
    }
    for (size_t i = 0; i < CUTS; i++) {
        support_write_file(path, bytes, count * i / CUTS);
        expect_refused(path, 65, "");
    }
    support_write_file(path, bytes, count - 1);
    expect_refused(path, 65, "");
    support_write_file(path, bytes, count);
    run(path);
    ck_assert_str_eq(result.error, "");
    ck_assert_str_eq(result.output, "3 7\n");
    ck_assert_int_eq(result.status, 0);
    support_result_free(&result);
    free(bytes);
}
END_TEST

int main(void)
{
    model = support_train_model("model.safetensors", 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
