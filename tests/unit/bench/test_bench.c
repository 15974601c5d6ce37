/* The JSON output of the benchmark programs; speed is not tested. */
#include "io/safetensors.h"
#include "lookback/io.h"
#include "shared/child.h"
#include "shared/measure.h"
#include "shared/record.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "tensor/gemm.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TINY_TRANSFORMER "--config", "transformer", "--hidden", "16", "--batch", "3", "--length", "4"

static support_result result;

/* Runs a program in the test's folder. */
static const char *run(const char *const *argv)
{
    support_result_free(&result);
    const support_command command = {.argv = argv, .directory = support_tempdir()};
    ck_assert(support_run_command(&command, &result));
    ck_assert_msg(result.status == 0, "%s: %s", argv[0], result.error);
    return result.output;
}

#define RUN(program, ...) run((const char *const[]){BIN_DIR "/" program, __VA_ARGS__, NULL})
/* The object that a program prints; freed when the process ends. */
#define JSON(program, ...) parse(RUN(program, __VA_ARGS__))

static cJSON *parse(const char *text)
{
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    cJSON *object = bench_last_json(text);
    ck_assert_ptr_nonnull(object);
    return object;
}

static double number(const cJSON *object, const char *field)
{
    const cJSON *found = cJSON_GetObjectItem(object, field);
    ck_assert_msg(cJSON_IsNumber(found), "no number '%s'", field);
    return found->valuedouble;
}

static const char *text(const cJSON *object, const char *field)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(object, field));
    ck_assert_msg(found != NULL, "no text '%s'", field);
    return found;
}

static void assert_process(const cJSON *object, const char *program, double threads)
{
    ck_assert_str_eq(text(object, "program"), program);
    ck_assert_double_eq(number(object, "threads"), threads);
    ck_assert_double_gt(number(object, "peak_mb"), 1);
    ck_assert_str_eq(text(object, "kernel"), lb_kernel_name());
}

START_TEST(test_bench_train_sort_model_reports_sizes_times_and_no_malloc)
{
    cJSON *found = JSON("bench_train", "--config", "tiny", "--steps", "2", "--threads", "1", "--length", "6");
    assert_process(found, "lookback", 1);
    ck_assert_str_eq(text(found, "config"), "tiny");
    ck_assert_str_eq(text(found, "attention"), "additive");
    ck_assert_double_eq(number(found, "hidden"), 32);
    ck_assert_double_eq(number(found, "length"), 6);
    ck_assert_double_eq(number(found, "steps"), 2);
    ck_assert_double_eq(number(found, "mallocs_per_step"), 0);
    double ms = number(found, "ms_per_step");
    ck_assert_double_ge(ms, number(found, "ms_per_step_min"));
    ck_assert_double_eq_tol(number(found, "tokens_per_second") * ms / 1e3, 16 * 7, 0.01);
    cJSON_Delete(found);
}
END_TEST

START_TEST(test_bench_train_tells_the_stages_of_a_step_apart)
{
    cJSON *found = JSON("bench_train", "--config", "tiny", "--steps", "2", "--threads", "2", "--stages");
    const cJSON *stages = cJSON_GetObjectItem(found, "stages");
    static const char *const some[] = {"rest", "gru_sequence forward", "attention_gru_sequence backward",
                                       "adam"};
    for (size_t i = 0; SUPPORT_ROW(i, some); i++) ck_assert_double_gt(number(stages, some[i]), 0);
    cJSON_Delete(found);
}
END_TEST

START_TEST(test_bench_train_fingerprint_depends_on_steps_but_not_on_threads)
{
    cJSON *one = JSON("bench_train", TINY_TRANSFORMER, "--steps", "2", "--threads", "1"),
          *three = JSON("bench_train", TINY_TRANSFORMER, "--steps", "2", "--threads", "3"),
          *longer = JSON("bench_train", TINY_TRANSFORMER, "--steps", "3", "--threads", "1");
    ck_assert_str_eq(text(one, "fingerprint"), text(three, "fingerprint"));
    ck_assert_str_ne(text(one, "fingerprint"), text(longer, "fingerprint"));
    cJSON_Delete(one);
    cJSON_Delete(three);
    cJSON_Delete(longer);
}
END_TEST

/* Each layer has three products, each with two operations per row, input and output. */
static double layer(double rows, double inputs, double outputs)
{
    return 6 * rows * inputs * outputs;
}

START_TEST(test_bench_floor_counts_the_products_of_the_sort_model)
{
    cJSON *found = JSON("bench_floor", "--config", "tiny", "--steps", "2", "--threads", "2");
    assert_process(found, "floor", 2);
    const double embed = 16, hidden = 32, batch = 16, source = 8, target = 9, vocabulary = 100;
    double expected = layer(vocabulary, embed, 3 * hidden) + layer(batch * (source - 1), hidden, 3 * hidden) +
                      layer(batch * source, hidden, hidden) + layer(batch, hidden, hidden) +
                      layer(vocabulary, embed, 3 * hidden) + layer(batch * target, hidden, 7 * hidden) +
                      layer(batch * target, 2 * hidden, vocabulary);
    ck_assert_double_eq_tol(number(found, "gflop") * 1e9, expected, expected * 1e-5);
    ck_assert_double_gt(number(found, "gflop_per_second"), 0);
    ck_assert_double_eq(number(found, "steps"), 2);
    cJSON_Delete(found);
}
END_TEST

START_TEST(test_bench_vocabulary_is_that_of_the_source_and_of_the_output)
{
#define WORDS "--config", "tiny", "--vocabulary", "300", "--steps", "2", "--threads", "1"
    cJSON *train = JSON("bench_train", WORDS), *floor = JSON("bench_floor", WORDS),
          *fewer = JSON("bench_floor", "--config", "tiny", "--steps", "2", "--threads", "1");
    const double embed = 16, hidden = 32, more = 200, tokens[] = {16 * 8, 16 * 9};
    ck_assert_double_eq(number(train, "vocabulary"), 100 + more);
    double expected = layer(tokens[0] - 100, embed, 3 * hidden) + layer(tokens[1] - 100, embed, 3 * hidden) +
                      layer(tokens[1], 2 * hidden, more);
    ck_assert_double_eq_tol((number(floor, "gflop") - number(fewer, "gflop")) * 1e9, expected,
                            expected * 1e-3);
    cJSON_Delete(train);
    cJSON_Delete(floor);
    cJSON_Delete(fewer);
}
END_TEST

START_TEST(test_bench_floor_of_the_peak_is_one_product_again_and_again)
{
    cJSON *found = JSON("bench_floor", "--peak", "--steps", "2", "--threads", "1");
    ck_assert_double_eq_tol(number(found, "gflop"), number(found, "products") * 2e-9 * 128 * 128 * 128, 1e-6);
    ck_assert_double_gt(number(found, "gflop_per_second"), 0);
    cJSON_Delete(found);
}
END_TEST

START_TEST(test_bench_floor_counts_the_products_of_the_transformer)
{
    cJSON *found = JSON("bench_floor", TINY_TRANSFORMER, "--steps", "2", "--threads", "1");
    const double width = 16, source = 3 * 4, target = 3 * 5;
    double encoder = layer(source, width, 12 * width);
    double decoder = layer(target, width, 14 * width) + layer(source, width, 2 * width);
    double heads = 12 * 3 * width * (4 * 4 + 5 * 5 + 5 * 4);
    double expected = 2 * (encoder + decoder + heads) + layer(target, width, 100);
    ck_assert_double_eq_tol(number(found, "gflop") * 1e9, expected, expected * 1e-5);
    cJSON_Delete(found);
}
END_TEST

/* Decoding only needs forward; its attention has one query at a time, which is not a matrix product. */
START_TEST(test_bench_floor_counts_the_products_of_decoding)
{
    const double batch = 3, source = 4, target = 5;
    cJSON *sorts = JSON("bench_floor", "--batch", "3", "--length", "4", "--embed", "8", "--hidden", "16",
                        "--decode", "--steps", "2", "--threads", "1");
    const double embed = 8, hidden = 16;
    double expected = layer(batch * source, embed, 3 * hidden) +
                      layer(batch * (source - 1), hidden, 3 * hidden) +
                      layer(batch * source, hidden, hidden) + layer(batch, hidden, hidden) +
                      layer(batch * target, embed, 3 * hidden) + layer(batch * target, hidden, 7 * hidden) +
                      layer(batch * target, 2 * hidden, 100);
    ck_assert_double_eq_tol(number(sorts, "gflop") * 1e9, expected / 3, expected * 1e-5);
    ck_assert_double_gt(number(sorts, "ms_per_run"), 0);
    cJSON_Delete(sorts);
    cJSON *transformer = JSON("bench_floor", TINY_TRANSFORMER, "--decode", "--steps", "2", "--threads", "1");
    const double width = 16;
    double encoder = layer(batch * source, width, 12 * width) / 3 +
                     2 * batch * width * 2 * (source * source); /* of each head: scores and context */
    double decoder =
        layer(batch * target, width, 14 * width) / 3 + layer(batch * source, width, 2 * width) / 3;
    expected = 2 * (encoder + decoder) + layer(batch * target, width, 100) / 3;
    ck_assert_double_eq_tol(number(transformer, "gflop") * 1e9, expected, expected * 1e-5);
    cJSON_Delete(transformer);
}
END_TEST

static const char *const decoded[][8] = {
    {"--config", "tiny", "--batch", "1"},
    {"--config", "tiny", "--batch", "5"},
    {"--config", "tiny", "--batch", "2", "--beam", "3"},
    {TINY_TRANSFORMER},
};
static const double written[] = {9, 5 * 9, 2 * 9, 3 * 5};

START_LOOP_TEST(test_bench_decode_every_list_gets_one_token_more_than_it_has_numbers,
                sizeof decoded / sizeof *decoded)
{
    const char *argv[16] = {BIN_DIR "/bench_decode", "--steps", "2", "--threads", "1"};
    for (int i = 0; i < 8 && decoded[_i][i]; i++) argv[5 + i] = decoded[_i][i];
    cJSON *found = parse(run(argv));
    assert_process(found, "lookback", 1);
    double tokens = number(found, "tokens_per_second") * number(found, "ms_per_run") / 1e3;
    ck_assert_double_eq_tol(tokens, written[_i], 0.01);
    ck_assert_double_eq(number(found, "runs"), 2);
    cJSON_Delete(found);
}
END_TEST

START_TEST(test_bench_start_hands_on_what_a_run_began_with)
{
    RUN("train_sort", "--max-number", "9", "--min-length", "2", "--max-length", "3", "--embed", "4",
        "--hidden", "8", "--batch", "4", "--steps", "3", "--seed", "5", "--lr", "0.25", "--out", "a");
    RUN("bench_start", "a/checkpoint.safetensors", "start");
    lb_safetensors *file = lb_safetensors_open(support_path("start"), NULL);
    ck_assert_ptr_nonnull(file);
    const char *recipe = lb_safetensors_metadata_value(file, "recipe");
    ck_assert_ptr_nonnull(recipe);
    ck_assert_ptr_nonnull(strstr(recipe, "\"embed\":4,\"hidden\":8,\"batch\":4,\"steps\":3,\"lr\":0.25,"));
    lb_real lists[12][3];
    ck_assert_int_eq(lb_safetensors_read(file, "lists", LB_SHAPE(12, 3), lists[0], NULL), LB_OK);
    for (int i = 0; i < 12; i++)
        ck_assert(lists[i][0] >= 0 && lists[i][1] >= 0 && lists[i][2] >= -1 && lists[i][0] <= 9);
    const lb_safetensors_tensor *held_out = lb_safetensors_find(file, "held_out"),
                                *weight = lb_safetensors_find(file, "encoder.weight_ih_l0");
    ck_assert(held_out && lb_shape_equal(held_out->shape, LB_SHAPE(2000, 3)));
    ck_assert(weight && lb_shape_equal(weight->shape, LB_SHAPE(24, 4)));
    lb_safetensors_close(file);
}
END_TEST

/* A run that took this many milliseconds per step. */
static void add_run(cJSON *runs, const char *part, const char *name, const char *by, int threads, double ms)
{
    cJSON *object = cJSON_CreateObject();
    bench_add(object, "threads", threads);
    bench_add(object, "ms_per_step", ms);
    bench_add(object, "ms_per_step_mean", 2 * ms);
    bench_add(object, "tokens_per_second", 1e6 / ms);
    bench_add(object, "mallocs_per_step", 0);
    bench_add(object, "peak_mb", 50);
    bench_add(object, "gflop", 0.35);
    bench_add(object, "gflop_per_second", 100);
    cJSON_AddStringToObject(object, "fingerprint", "same");
    bench_record_add(runs, object, (bench_key){part, name, by, threads}, 0.04);
}

/* A possible output of bench_table. */
static void write_record(void)
{
    cJSON *bench = cJSON_CreateObject(), *runs = cJSON_AddArrayToObject(bench, "runs");
    const double rounds[] = {9, 6, 7};
    for (int i = 0; i < 3; i++) {
        add_run(runs, "training", "small", "lookback", 1, rounds[i]);
        add_run(runs, "training", "small", "lookback", 2, rounds[i] - 3);
    }
    add_run(runs, "training", "small", "floor", 2, 2.5);
    add_run(runs, "training", "small", "products", 2, 2);
    add_run(runs, "training", "small", "pytorch", 1, 18);
    add_run(runs, "training", "small", "pytorch", 2, 15);
    add_run(runs, "training", "small", "pytorch compiled", 2, 14);
    add_run(runs, "start", "small", "lookback", 2, 1);
    add_run(runs, "long", "transformer 1000", "lookback", 2, 1200);
    add_run(runs, "vocabulary", "8000 classes", "lookback", 2, 100);
    add_run(runs, "vocabulary", "8192 classes", "lookback", 2, 110);
    add_run(runs, "peak", "one thread", "products", 1, 1);
    for (int i = 0; bench_lengths[i]; i++) {
        add_run(runs, "length", bench_lengths[i], "lookback", 2, 2 + i);
        add_run(runs, "hidden", bench_hiddens[i], "lookback", 2, 2 * i + 2);
    }
    add_run(runs, "busy", "tiny, 8 busy", "lookback", 1, 4);
    add_run(runs, "busy", "tiny, 8 busy", "lookback", 2, 40);
    add_run(runs, "busy", "tiny, 8 busy", "chosen", 1, 5);
    char *printed = cJSON_PrintUnformatted(bench);
    support_write_file(support_path("bench.json"), printed, strlen(printed));
    free(printed);
    cJSON_Delete(bench);
}

static void assert_line(const char *line)
{
    ck_assert_msg(strstr(result.output, line) != NULL, "no '%s' in\n%.3000s", line, result.output);
}

START_TEST(test_bench_table_compares_medians_with_pytorch_at_its_best_and_with_targets)
{
    write_record();
    RUN("bench_table", "--read", "bench.json");
    assert_line("\ntrain, small                       7.00     4.00        -     2.50        -     2.00     "
                "18.0     14.0"
                "    3.50 [4]*      1.60 [1.4]*    1.75 [1.6]     0.50 [0.62]*   50.00            50.0\n");
    ck_assert_ptr_null(strstr(result.output, "train, tiny")); /* it was not measured */
    assert_line("\ntrain, transformer 1000               -     1200        -        -        -        -      "
                "  -        -"
                "       -              -              -              -          50.00 [600]         -\n");
    assert_line("\n8192 / 8000 classes, time         1.10 [1.06]*\n");
    assert_line("\npeak of one thread, GFLOP/s         100\n");
    assert_line("\npeak memory, train, small, MB    50.00 [40]*      50.0        1.00 [10]*\n");
    assert_line("\nstart to first step, ms          40.00 [50]          -           -\n");
    assert_line("\nmallocs in a step                 0.00 [0]           -           -\n");
    assert_line("\ntiny, 8 busy                       8.00     80.0     10.0    1.25 [1.1]*\n");
    assert_line("\nlength 160                         6.00        -        -         50.0        -\n");
}
END_TEST

START_TEST(test_bench_table_other_than_json_is_refused)
{
    support_write_file(support_path("bench.json"), "{", 1);
    const char *argv[] = {BIN_DIR "/bench_table", "--read", support_path("bench.json"), NULL};
    ck_assert(support_run(argv, NULL, &result));
    ck_assert_int_eq(result.status, 65);
}
END_TEST

START_TEST(test_bench_chart_draws_a_picture)
{
    int width = 0, height = 0;
    write_record();
    RUN("bench_chart", "bench.json", "-o", "growth.png");
    unsigned char *pixels = support_picture_read(support_path("growth.png"), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_gt(width, height);
    free(pixels);
}
END_TEST

START_TEST(test_bench_median_of_some_values)
{
    ck_assert(isnan(bench_median(NULL, 0)));
    ck_assert_double_eq(bench_median((double[]){5, 1, 3}, 3), 3);
    ck_assert_double_eq(bench_median((double[]){4, 1, 2, 9}, 4), 3);
}
END_TEST

START_TEST(test_bench_run_clears_what_steers_and_tells_failure)
{
    ck_assert_int_eq(setenv("OPENBLAS_CORETYPE", "Haswell", 1) | setenv("OMP_NUM_THREADS", "1", 1) |
                         setenv("MY_OMP_KEPT", "OPENBLAS_", 1),
                     0);
    const char *names = "echo ${OPENBLAS_CORETYPE-none} ${OMP_NUM_THREADS-none} ${MY_OMP_KEPT-none}";
    bench_child child = bench_run((const char *[]){"sh", "-c", names, NULL}, true);
    ck_assert(child.done);
    ck_assert_str_eq(child.output, "none none OPENBLAS_\n");
    free(child.output);
    child = bench_run((const char *[]){"false", NULL}, true);
    ck_assert(!child.done);
    free(child.output);
    child = bench_run((const char *[]){"/no/such/program", NULL}, true);
    ck_assert(!child.done);
    free(child.output);
}
END_TEST

START_TEST(test_bench_record_differing_counts_other_texts)
{
    cJSON *runs = cJSON_CreateArray();
    const bench_key key = {"bits", "small", "lookback", 0};
    ck_assert(isnan(bench_record_differing(runs, key, "fingerprint")));
    for (int threads = 1; threads <= 4; threads++) add_run(runs, "bits", "small", "lookback", threads, 1);
    ck_assert_double_eq(bench_record_differing(runs, key, "fingerprint"), 0);
    cJSON_ReplaceItemInObject(cJSON_GetArrayItem(runs, 2), "fingerprint", cJSON_CreateString("other"));
    ck_assert_double_eq(bench_record_differing(runs, key, "fingerprint"), 1);
    cJSON_Delete(runs);
}
END_TEST
