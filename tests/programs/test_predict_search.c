/* Search and attention weights in predict: --beam and --attention. It takes seconds. */
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

#define PREDICT BIN_DIR "/lookback", "predict"

/* Made once, in main. */
static const char *model, *headed, *transformer, *plain;

static support_result result;

/* Runs predict with an option. */
static void run(const char *path, const char *flag, const char *input)
{
    SUPPORT_RUN(&result, input, PREDICT, path, flag);
}

static void expect(int status, const char *output, const char *error)
{
    support_expect(&result, status, output, error);
}

START_TEST(test_predict_beam_of_any_width_sorts)
{
    static const char *const flags[] = {"--beam=1", "--beam=2", "--beam=5", "--beam=14"};
    for (size_t i = 0; SUPPORT_ROW(i, flags); i++) {
        run(model, flags[i], "7 3 9 1\n5 0 5\n4 2\n8 6 1\n");
        expect(0, "1 3 7 9\n0 5 5\n2 4\n1 6 8\n", "");
        run(plain, flags[i], "7 3\n5 0\n");
        expect(0, "3 7\n0 5\n", "");
        run(headed, flags[i], "7 3 9 1\n5 0\n");
        expect(0, "1 3 7 9\n0 5\n", "");
        run(transformer, flags[i], "7 3 9 1\n5 0\n");
        expect(0, "1 3 7 9\n0 5\n", "");
    }
}
END_TEST

/* The attention weights of greedy decoding and of a beam of three. */
START_TEST(test_predict_attention_is_an_array_of_layers_heads_targets_and_sources)
{
    const struct {
        const char *path;
        int64_t layers, heads;
    } models[] = {{model, 1, 1}, {headed, 1, 4}, {transformer, 2, 2}};
    const char *const flags[] = {"--beam=1", "--beam=3"};
    for (int m = 0; SUPPORT_ROW(m, models); m++)
        for (int f = 0; SUPPORT_ROW(f, flags); f++) {
            const char *const argv[] = {PREDICT,       models[m].path,          flags[f],
                                        "--attention", support_path("out.npy"), NULL};
            support_result_free(&result);
            ck_assert(support_run(argv, "7 3 9\n", &result));
            expect(0, "3 7 9\n", "");
            lb_shape shape;
            double *values;
            ck_assert_int_eq(lb_npy_read(support_path("out.npy"), &shape, &values, NULL), LB_OK);
            ck_assert(lb_shape_equal(shape, LB_SHAPE(models[m].layers, models[m].heads, 4, 3)));
            for (int64_t row = 0; row < lb_shape_count(shape) / 3; row++) {
                const double *w = values + 3 * row;
                ck_assert(w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
                ck_assert_double_eq_tol(w[0] + w[1] + w[2], 1, 1e-5);
            }
            lb_release(values);
        }
}
END_TEST

START_TEST(test_predict_attention_takes_one_list_and_a_model_that_attends)
{
    char flag[SUPPORT_PATH + 16];
    snprintf(flag, sizeof flag, "--attention=%s", support_path("out.npy"));
    run(model, flag, "7 3 9\n1 2\n");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(
        result.error,
        "lookback predict: standard input:2: --attention accepts only one text, unless its file is .jsonl\n");
    run(plain, flag, "7 3\n");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "the model has no attention to write"));
    run(model, "--attention=/nowhere/out.npy", "7 3\n");
    ck_assert_int_eq(result.status, 74);
    ck_assert_str_eq(result.output, "3 7\n");
}
END_TEST

START_TEST(test_predict_impossible_beam_is_status_2)
{
    run(model, "--beam=-1", "7 3\n");
    expect(2, "", "lookback predict: --beam: expected a whole number from 0 to 1000, found \"-1\"\n");
}
END_TEST

START_TEST(test_predict_lists_have_all_options_of_texts)
{
    double best, second;
    int end = 0;
    run(model, "--n-best=2", "7 3\n");
    ck_assert_int_eq(sscanf(result.output, "3 7\t%lf\n%*[0-9 ]\t%lf\n%n", &best, &second, &end), 2);
    ck_assert_int_eq(end, (int)result.output_length);
    ck_assert(second < best && best < 0);
    run(model, "--source-column=2", "a\t7 3\nb\t5 0 5\n");
    expect(0, "3 7\n0 5 5\n", "");
    run(model, "--skip-bad-lines", "7 3\nseven\n\n5 0\n");
    expect(0, "3 7\n\n\n0 5\n",
           "lookback predict: standard input:2: seven is not a number from 0 to 9: skipped\n"
           "lookback predict: 1 bad line was skipped\n");
    run(model, "--skip-bad-lines", "seven\n3 1\neight\n");
    expect(0, "\n1 3\n\n",
           "lookback predict: standard input:1: seven is not a number from 0 to 9: skipped\n"
           "lookback predict: standard input:3: eight is not a number from 0 to 9: skipped\n"
           "lookback predict: 2 bad lines were skipped\n");
}
END_TEST

int main(void)
{
    model = support_train_model("model.safetensors", 500, LB_ATTENTION_ADDITIVE);
    headed = support_train_model("headed.safetensors", 500, LB_ATTENTION_MULTI_HEAD);
    transformer = support_train_model("transformer.safetensors", 1500, SUPPORT_TRANSFORMER);
    plain = support_train_model("plain.safetensors", 500, LB_ATTENTION_NONE);
    return support_run_tests();
}
