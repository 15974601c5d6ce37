/* examples/pytorch: a model from PyTorch is applied, tuned there again, and trained on here. Where PyTorch is missing,
 * this is not run. Takes seconds; too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 400 };

static support_result result;

static int run(const char *const *argv)
{
    support_run_as(&(support_command){.argv = argv, .directory = support_tempdir()}, &result);
    return result.status;
}

#define RUN(...)    run((const char *const[]){__VA_ARGS__, NULL})
#define PYTHON(...) RUN("/usr/bin/env", "OMP_NUM_THREADS=1", "/usr/bin/python3", "-B", __VA_ARGS__)
#define FINE_TUNE   SOURCE_DIR "/examples/pytorch/fine_tune.py"

/* Words, and the same words in the other direction or as they are. */
static void write_pairs(const char *name, bool reversed)
{
    char text[PAIRS * 16], *at = text;
    unsigned random = 1;
    for (int i = 0; i < PAIRS; i++) {
        char word[6] = "", other[6] = "";
        int length = 2 + i % 4;
        for (int k = 0; k < length; k++) {
            random = random * 1664525u + 1013904223u;
            word[k] = (char)('a' + (random >> 24) % 8);
        }
        for (int k = 0; k < length; k++) other[k] = word[reversed ? length - 1 - k : k];
        at += snprintf(at, sizeof text - (size_t)(at - text), "%s\t%s\n", word, other);
    }
    support_write_file(support_path(name), text, strlen(text));
}

static double exact_match(const char *model, const char *pairs)
{
    double percent = -1;
    ck_assert_msg(RUN(BIN_DIR "/lookback", "evaluate", model, pairs) == 0, "%s", result.error);
    const char *line = strstr(result.output, "exact match");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, "exact match %lf %%", &percent), 1);
    return percent;
}

START_TEST(test_pytorch_models_are_applied_tuned_and_trained_on)
{
    if (PYTHON("-c", "import torch, numpy") != 0) {
        support_skip("examples/pytorch", "python3 has no torch");
        return;
    }
    write_pairs("reversed.tsv", true);
    write_pairs("same.tsv", false);
    ck_assert_msg(PYTHON(FINE_TUNE, "reversed.tsv", "new.safetensors") == 0, "%s", result.error);
    ck_assert_double_ge(exact_match("new.safetensors", "reversed.tsv"), 95);
    ck_assert_double_lt(exact_match("new.safetensors", "same.tsv"), 50);
    ck_assert_msg(PYTHON(FINE_TUNE, "same.tsv", "tuned.safetensors", "new.safetensors") == 0, "%s",
                  result.error);
    ck_assert_double_ge(exact_match("tuned.safetensors", "same.tsv"), 95);
    ck_assert_msg(RUN(BIN_DIR "/lookback", "train", "--train", "reversed.tsv", "--from", "tuned.safetensors",
                      "--steps", "300", "--out", "again") == 0,
                  "%s", result.error);
    ck_assert_double_ge(exact_match("again", "reversed.tsv"), 90);
    ck_assert_msg(PYTHON(FINE_TUNE, "same.tsv", "back.safetensors", "again/model.safetensors") == 0, "%s",
                  result.error);
    ck_assert_double_ge(exact_match("back.safetensors", "same.tsv"), 95);
}
END_TEST
