/* inspect: its output for each kind of model. */
#include "support/pair_model.h"
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INSPECT BIN_DIR "/lookback", "inspect"

/* Made once, in main; `folder` holds the first as sort.safetensors. */
static const char *folder, *sorter, *model, *ensemble;

static support_result result;

#define RUN(...) SUPPORT_RUN(&result, NULL, INSPECT, __VA_ARGS__)

static void find_lines(const char *const *lines)
{
    const char *at = result.output;
    for (; *lines; lines++) {
        const char *found = strstr(at, *lines);
        ck_assert_msg(found && found[strlen(*lines)] == '\n', "no \"%s\" in order in %s", *lines,
                      result.output);
        at = found + strlen(*lines);
    }
}

static void expect_lines(const char *const *lines)
{
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(result.status, 0);
    find_lines(lines);
}

#define EXPECT_LINES(...) expect_lines((const char *const[]){__VA_ARGS__, NULL})

/* Lines of a file that `predict` refuses, and why it does. */
static void expect_unusable(const char *reason, const char *const *lines)
{
    ck_assert_int_eq(result.status, 65);
    ck_assert_msg(strstr(result.error, reason) != NULL, "%s", result.error);
    find_lines(lines);
}

#define EXPECT_UNUSABLE(reason, ...) expect_unusable(reason, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_inspect_model_of_texts_is_told_with_rules_and_symbols)
{
    RUN(model);
    EXPECT_LINES("kind: seq2seq", "configuration", "  embed: 16", "  attention: \"additive\"",
                 "  attention_weights: \"softmax\"", "task", "  source", "    separator: \"\"",
                 "    normalize: \"nfd\"", "  target", "    separator: \" \"", "  shortest_source: 1",
                 "  longest_source: 6", "vocabulary of the sources: 10 symbols",
                 "  \"a\" \"b\" \"c\" \"d\" \"e\" \"\xcc\x81\"", "vocabulary of the targets: 10 symbols",
                 "training", "  steps: 500", "  seconds: 1.5");
    ck_assert_ptr_null(strstr(result.output, "\ntensors"));
    RUN(model, "--tensors");
    EXPECT_LINES("training", "tensors", "  source_embedding.weight F32 [10,16]");
}
END_TEST

START_TEST(test_inspect_model_that_sorts_is_told_with_its_task)
{
    RUN(folder);
    EXPECT_LINES("kind: seq2seq", "configuration", "task", "  task: \"sort\"", "  max_number: 9",
                 "vocabulary of the sources and targets: 14 symbols",
                 "  \"0\" \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\" \"8\" \"9\"", "training", "  steps: 500",
                 "  seconds: 1.5");
}
END_TEST

START_TEST(test_inspect_ensemble_is_told_with_its_members)
{
    RUN(ensemble);
    EXPECT_LINES("kind: ensemble", "configuration", "  members", "    -", "      kind: \"seq2seq\"",
                 "      config", "        embed: 16", "    -", "        embed: 16",
                 "vocabulary of the sources: 10 symbols");
}
END_TEST

START_TEST(test_inspect_json_has_all_of_it)
{
    const char *const models[] = {model, sorter, ensemble};
    for (int i = 0; SUPPORT_ROW(i, models); i++) {
        RUN(models[i], "--json", "--tensors");
        ck_assert_int_eq(result.status, 0);
        cJSON *json = cJSON_Parse(result.output);
        ck_assert_ptr_nonnull(json);
        ck_assert(cJSON_IsString(cJSON_GetObjectItem(json, "kind")));
        ck_assert_double_gt(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "parameters")), 1000);
        ck_assert(cJSON_IsObject(cJSON_GetObjectItem(json, "config")));
        ck_assert(cJSON_IsObject(cJSON_GetObjectItem(json, "task")));
        ck_assert_int_gt(cJSON_GetArraySize(cJSON_GetObjectItem(json, "tensors")), 5);
        ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "source_vocabulary")),
                         i == 1 ? 14 : 10);
        ck_assert(cJSON_IsObject(cJSON_GetObjectItem(json, "training")));
        cJSON_Delete(json);
    }
}
END_TEST

START_TEST(test_inspect_what_is_no_model_is_refused)
{
    RUN("/nowhere/model");
    ck_assert_int_eq(result.status, 66);
    RUN(SOURCE_DIR "/tests/data/fixtures/linear.safetensors");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "weights, but no model description"));
    RUN(SOURCE_DIR "/LICENSE");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.output, "");
    SUPPORT_RUN(&result, NULL, INSPECT);
    ck_assert_int_eq(result.status, 2);
}
END_TEST

START_TEST(test_inspect_strange_text_does_not_get_to_the_terminal)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq odd;
    ck_assert_int_eq(
        lb_seq2seq_init(&odd, params, "", (lb_seq2seq_config){.source_vocab = 9, .target_vocab = 9}), LB_OK);
    const lb_safetensors_metadata metadata = {LB_TRAINING_KEY, "{\"a\\u001b[31m\":\"b\\u0007\"}"};
    ck_assert_int_eq(lb_model_save(&odd.base, params, support_path("odd"),
                                   (lb_checkpoint_extra){.metadata = &metadata, .metadata_count = 1}, NULL),
                     LB_OK);
    lb_params_free(params);
    RUN(support_path("odd"));
    EXPECT_UNUSABLE("odd: lookback.task is missing from the metadata", "training",
                    "  a\\x1b[31m: \"b\\x07\"");
}
END_TEST

START_TEST(test_inspect_shows_weights_that_are_not_finite_and_fails_as_predict_does)
{
    lb_text_model loaded;
    lb_safetensors *file = lb_safetensors_open(model, NULL);
    ck_assert_int_eq(lb_text_model_load(file, NULL, &loaded, NULL), LB_OK);
    lb_params_find(loaded.params, "output.bias")->data[3] = (lb_real)NAN;
    const char *path = support_path("nan");
    ck_assert_int_eq(lb_text_model_save(path, &loaded, NULL), LB_OK);
    lb_text_model_free(&loaded);
    lb_safetensors_close(file);
    const char *const predict[] = {BIN_DIR "/lookback", "predict", path, NULL};
    support_run_in_tempdir(predict, NULL, &result);
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.output, "");
    ck_assert_ptr_nonnull(strstr(result.error, "nan: array 'output.bias': found nan at index 3"));
    RUN(path, "--tensors");
    EXPECT_UNUSABLE("nan: array 'output.bias': found nan at index 3", "kind: seq2seq", "  embed: 16",
                    "tensors", "  output.bias F32 [10]");
    RUN(path, "--json");
    ck_assert_int_eq(result.status, 65);
    cJSON *json = cJSON_Parse(result.output);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(json, "kind")), "seq2seq");
    cJSON_Delete(json);
}
END_TEST

START_TEST(test_inspect_points_have_their_shapes_by_the_names_of_axes)
{
    RUN(model, "--points");
    EXPECT_LINES("  point                   layers  heads   shape",
                 "  encoder.embedding                       [batch, S, 16]",
                 "  cross.weights           1       1       [batch, 1, S] at each step",
                 "  decoder.state           1               [batch, T, 32]",
                 "  logits                                  [batch, T, 10]");
    RUN(ensemble, "--points");
    EXPECT_LINES("member 1", "  encoder.embedding                       [batch, S, 16]", "member 2",
                 "  encoder.embedding                       [batch, S, 16]");
    RUN("nothing", "--points");
    ck_assert_int_eq(result.status, 66);
    RUN(model, "--points", "--json");
    ck_assert_int_eq(result.status, 2);
}
END_TEST

int main(void)
{
    if (mkdir(folder = support_path("out"), 0777) != 0) return EXIT_FAILURE;
    sorter = support_train_model("out/sort.safetensors", 0, LB_ATTENTION_ADDITIVE);
    model = support_train_pair_model("model.safetensors", 0, LB_ATTENTION_ADDITIVE);
    ensemble = support_train_pair_model("ensemble.safetensors", 0, SUPPORT_ENSEMBLE);
    return support_run_tests();
}
