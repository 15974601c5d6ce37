/* A model that writes from the end, in the programs that apply it. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static support_result result;

static void run(const char *input, const char *const *argv)
{
    support_run_in_tempdir(argv, input, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
}

#define RUN(input, ...) run(input, (const char *const[]){__VA_ARGS__, NULL})

/* "abcd" is "d c b a": the first row looks at the last letter. */
static void expect_attention(const char *name)
{
    lb_error error = {0};
    lb_shape shape;
    double *weights = NULL;
    ck_assert_msg(!lb_npy_read(support_path(name), &shape, &weights, &error), "%s", error.message);
    int64_t length = shape.dim[shape.ndim - 1];
    ck_assert_int_eq(length, 4);
    ck_assert_int_eq(shape.dim[shape.ndim - 2], 5);
    for (int64_t row = 0; row < 4; row++)
        for (int64_t k = 0; k < length; k++)
            ck_assert_double_le(weights[row * length + k], weights[row * length + 3 - row]);
    lb_release(weights);
}

START_TEST(test_programs_show_a_backward_model_in_reading_order)
{
    support_write_pairs("train.tsv", 500, 1);
    support_write_pairs("dev.tsv", 60, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--direction", "backward");
    support_assert_trained();
    double trained = 0, measured = 0;
    ck_assert_int_eq(sscanf(support_ran.output, "exact match %lf", &trained), 1);
    ck_assert_double_ge(trained, 90);
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "out", "--attention", "where.npy");
    ck_assert_str_eq(result.output, "abcd\td c b a\n");
    expect_attention("where.npy");
    RUN("abcd\n", BIN_DIR "/lookback", "predict", "out", "--n-best", "2", "--jsonl");
    ck_assert_ptr_nonnull(strstr(result.output, "\"outputs\":[{\"text\":\"d c b a\",\"finished\":true"));
    RUN("", BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "--beam", "1");
    const char *line = strstr(result.output, "exact match");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, "exact match %lf", &measured), 1);
    ck_assert_double_eq_tol(measured, trained, 0.001);
    RUN("", BIN_DIR "/lookback", "inspect", "out");
    ck_assert_ptr_nonnull(strstr(result.output, "\ndirection: backward\n"));
    RUN("", BIN_DIR "/lookback", "inspect", "out", "--json");
    ck_assert_ptr_nonnull(strstr(result.output, ",\"direction\":\"backward\","));
    RUN("", BIN_DIR "/visualize", "out", "--input", "abcd", "-o", "map.svg");
    ck_assert(support_exists("map.svg"));
    RUN("", BIN_DIR "/lookback", "report", "out", "dev.tsv", "-o", "report.html");
    ck_assert(support_exists("report.html"));
}
END_TEST
