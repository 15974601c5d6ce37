/* lookback export: every kind of model gives the outputs of predict. It belongs to verify. */
#include "support/exported.h"
#include "support/pair_program.h"
#include "support/suite.h"

enum { OPTIONS = 20 };

static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "z"};

static const char *const models[][OPTIONS] = {
    {"--attention", "additive", "--direction", "backward", "--set", "attention-weights=sparsemax"},
    {"--attention", "coverage", "--layers", "2", "--tied"},
    {"--attention", "location", "--cell", "lstm", "--set", "window=2"},
    {"--attention", "none", "--layers", "2", "--cell", "lstm", "--normalize", "nfc"},
    {"--attention", "multi-head", "--heads", "4", "--normalize", "none"},
    {"--attention", "dot", "--no-bidirectional", "--tied", "--set", "attention-weights=entmax"},
    {"--attention", "scaled-dot", "--no-bidirectional", "--layers", "3"},
    {"--attention", "general", "--cell", "lstm", "--set", "loss=sparsemax"},
    {"--attention", "local-m", "--direction", "backward"},
    {"--attention", "local-p", "--set", "window=2"},
    {"--model", "transformer", "--heads", "4", "--set", "kv-heads=2", "--tied"},
    {"--model", "transformer", "--set", "positions=learned", "--direction", "backward", "--set", "softcap=4"},
    {"--model", "transformer", "--set", "positions=relative", "--set", "window=2"},
    {"--model", "transformer", "--set", "positions=alibi", "--set", "attention-weights=entmax"},
    {"--model", "transformer", "--set", "positions=rotary", "--layers", "1"},
    {"--model", "transformer", "--set", "positions=none"},
    {"--model", "transformer", "--set", "positions=random"},
};

START_TEST(test_export_gives_the_outputs_of_predict_for_each_kind_of_model)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 20, 2);
    support_write_texts(letters, sizeof letters / sizeof *letters);
    for (size_t m = 0; SUPPORT_ROW(m, models); m++) {
        const char *train[3 * OPTIONS] = {
            "--train",   "train.tsv", "--dev",   "dev.tsv", "--target-separator", " ",  "--hidden", "32",
            "--dropout", "0",         "--lr",    "0.005",   "--warm-up",          "20", "--steps",  "120",
            "--threads", "1",         "--fresh", "--quiet"};
        int given = 0;
        while (train[given]) given++;
        for (int i = 0; models[m][i]; i++) train[given++] = models[m][i];
        support_train_pairs(train, NULL);
        support_assert_trained();
        int different = support_compare_exported("out", "1", "f32");
        ck_assert_msg(different == 0, "%s %s: %d lines differ", models[m][0], models[m][1], different);
    }
}
END_TEST
