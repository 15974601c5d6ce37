/* lookback export: the C file of a model gives the outputs of predict. It takes seconds. */
#include "base/alloc.h"
#include "export/export.h"
#include "support/exported.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"

static support_result result;

static void expect_done(void)
{
    ck_assert_msg(result.status == 0, "%s", result.error);
}

static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* Trains a model that gets nearly everything right. */
static void train_well(void)
{
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv");
    support_assert_trained();
    support_write_texts(letters, sizeof letters / sizeof *letters);
}

START_TEST(test_export_gives_the_outputs_of_predict)
{
    train_well();
    ck_assert_int_eq(support_compare_exported("out", "1", "f32"), 0);
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--model", "transformer", "--hidden", "32",
                  "--steps", "60", "--lr", "0.005", "--warm-up", "20", "--direction", "backward", "--set",
                  "softcap=4", "--out", "transformer");
    support_assert_trained();
    ck_assert_int_eq(support_compare_exported("transformer", "1", "f32"), 0);
}
END_TEST

START_TEST(test_export_follows_a_beam)
{
    train_well();
    ck_assert_int_eq(support_compare_exported("out", "4", "f32"), 0);
}
END_TEST

START_TEST(test_export_as_small_numbers_changes_little)
{
    train_well();
    ck_assert_int_le(support_compare_exported("out", "1", "bf16"), 3);
    ck_assert_int_le(support_compare_exported("out", "1", "int8"), 6);
    char *held_out = support_content("dev.tsv", &(size_t){0}), *word = held_out;
    int right = 0;
    for (char *line = strtok_r(held_out, "\n", &word); line; line = strtok_r(NULL, "\n", &word)) {
        char *tab = strchr(line, '\t');
        *tab = '\0';
        SUPPORT_RUN(&result, line, "./lines", NULL);
        right += strncmp(result.output, tab + 1, strlen(tab + 1)) == 0;
    }
    ck_assert_int_ge(right, 57);
    free(held_out);
}
END_TEST

/* Ties go to the even one, and the largest weights do not become infinite. */
START_TEST(test_export_as_bf16_rounds_to_the_nearest_finite_number)
{
    static const lb_real weights[] = {(lb_real)FLT_MAX, 1, (lb_real)1.00390625, (lb_real)1.01171875, -2};
    static const long halves[] = {0x7F7F, 0x3F80, 0x3F80, 0x3F82, 0xC000};
    enum { COUNT = 5 };
    lb_params *params = lb_params_new(1);
    lb_tensor *w = lb_params_add(params, "", "w", LB_SHAPE(1, COUNT), (lb_init){LB_INIT_CONSTANT, 0});
    memcpy(w->data, weights, sizeof weights);
    app_numbers n = {.type = APP_NUMBER_BF16, .params = params};
    app_numbers_named(&n, "w", w, NULL);
    char *at = strchr(n.arrays.text, '{');
    for (int i = 0; SUPPORT_ROW(i, halves); i++) {
        at += strcspn(at, "0123456789-");
        ck_assert_int_eq(strtol(at, &at, 10), halves[i]);
    }
    lb_release(n.arrays.text);
    lb_release(n.layers.text);
    lb_params_free(params);
}
END_TEST

/* The symbols of the sources of support_train_pair_model, and others: composed letters, marks that the model knows or
 * not, in any order, and a syllable. */
START_TEST(test_export_normalises_as_predict_does)
{
    static const char *const symbols[] = {
        "a", "e", "\xC3\xA9", "\xCC\x81", "\xCC\xA3", "\xE1\xBB\x87", "\xEA\xB0\x81", "\xC3\xAA", "d", "b"};
    support_train_pair_model("pairs.safetensors", 0, LB_ATTENTION_ADDITIVE);
    support_write_texts(symbols, sizeof symbols / sizeof *symbols);
    ck_assert_int_eq(support_compare_exported("pairs.safetensors", "1", "f32"), 0);
}
END_TEST

START_TEST(test_export_composes_what_a_composed_model_reads)
{
    static const char *const symbols[] = {
        "a", "e", "\xC3\xA9", "e\xCC\x81", "\xCC\xA3", "\xE1\xBA\xB9", "n\xCC\x83"};
    support_write_text("train.tsv", "\xC3\xA9"
                                    "a\tx\xCC\x81"
                                    "e\ne\xE1\xBA\xB9\te\xC3\xA9\na\xC3\xB1\tn\xCC\x83\nea\to\xCC\x81\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--normalize", "nfc", "--steps",
                  "30", "--batch", "4", "--target-separator", "");
    support_assert_trained();
    support_write_texts(symbols, sizeof symbols / sizeof *symbols);
    ck_assert_int_eq(support_compare_exported("out", "1", "f32"), 0);
}
END_TEST

/* All printable characters of ASCII, and what would end a string, a comment or a line of C. */
START_TEST(test_export_writes_each_character_as_a_string_of_c)
{
    static const char *const ends[] = {"\"",  "\\", "\\\"", "?\?/", "*/",    "/*", "//", "%s",
                                       "\\n", "'",  "%>",   "?\?=", "\\x41", "7",  "f"};
    char train[2048] = "", symbols[94][2] = {{0}};
    const char *all[94 + sizeof ends / sizeof *ends];
    size_t length = 0, count = 0;
    for (char c = '!'; c <= '~'; c++, count++) {
        symbols[count][0] = c;
        all[count] = symbols[count];
        length += (size_t)snprintf(train + length, sizeof train - length, "a%c\t%cb\n", c, c);
    }
    for (size_t i = 0; SUPPORT_ROW(i, ends); i++) all[count++] = ends[i];
    support_write_text("train.tsv", train);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "100", "--batch", "8",
                  "--target-separator", "", "--format", "tsv", "--lexicon-from-train");
    support_assert_trained();
    support_write_texts(all, count);
    ck_assert_int_eq(support_compare_exported("out", "1", "f32"), 0);
}
END_TEST

START_TEST(test_export_splits_at_separators_as_predict_does)
{
    static const char *const words[] = {"a ", "bc ", " d ", "\xC3\xA9 ", "zz  ", "e "};
    static const char *const pieces[] = {"a|", "bc|", "d|b|", "\xC3\xA9|", "zz|"};
    support_write_text("train.tsv", "a bc\tx y\nbc d\ty z\nd a \xC3\xA9\tz\ne d\tx x\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--source-separator", " ",
                  "--steps", "30", "--batch", "4");
    support_assert_trained();
    support_write_texts(words, sizeof words / sizeof *words);
    ck_assert_int_eq(support_compare_exported("out", "1", "f32"), 0);
    support_write_text("train.tsv", "a|bc\tx|y\nbc|d\ty|z\nd|a|\xC3\xA9\tz\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--source-separator", "|",
                  "--target-separator", "|", "--steps", "30", "--batch", "4", "--out", "bars");
    support_assert_trained();
    support_write_texts(pieces, sizeof pieces / sizeof *pieces);
    support_compile_exported("bars", (const char *const[]){NULL}, "lines", "-O1");
    SUPPORT_RUN(&result, "a|bc\na|\n||\n|a\n", "./lines", NULL);
    ck_assert_ptr_nonnull(strstr(result.output, "\nerror -2\nerror -2\nerror -2\n"));
}
END_TEST

/* Twice the longest of the training, or 32. */
START_TEST(test_export_has_room_for_texts_by_those_of_the_training)
{
    static const struct {
        const char *word, *message;
    } cases[] = {{"abcdeabcdeabcdeabcdeabcde", " for a text of up to 50 symbols\n"},
                 {"abcde", " for a text of up to 32 symbols\n"}};
    for (int i = 0; i < 2; i++) {
        char pairs[128];
        snprintf(pairs, sizeof pairs, "%s\ta\nb\tb\n", cases[i].word);
        support_write_text("pairs.tsv", pairs);
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "pairs.tsv", "--dev", "pairs.tsv", "--steps", "1", "--fresh");
        support_assert_trained();
        SUPPORT_RUN(&result, "", LOOKBACK, "export", "out", "-o", "g2p.c", NULL);
        expect_done();
        ck_assert_msg(strstr(result.error, cases[i].message) != NULL, "%s", result.error);
    }
}
END_TEST

START_TEST(test_export_refuses_texts_by_number)
{
    support_train_pair_model("pairs.safetensors", 0, LB_ATTENTION_DOT);
    support_compile_exported("pairs.safetensors", (const char *const[]){"--longest", "4", NULL}, "lines",
                             "-O1");
    SUPPORT_RUN(&result,
                "\n  \nabcda\na\xFF"
                "b\n\xED\xA0\x80\n",
                "./lines", NULL);
    support_expect(&result, 0, "error -2\nerror -2\nerror -3\nerror -1\nerror -1\n", "");
}
END_TEST

/* Sanitizers watch, each block of memory is as large as the header says, and the promises of the header are checked. */
START_TEST(test_export_keeps_its_promises_for_rubbish)
{
    support_train_pair_model("pairs.safetensors", 0, LB_ATTENTION_LOCATION);
    support_compile_exported("pairs.safetensors", (const char *const[]){"--beam", "2", NULL}, "fuzz",
                             "-DRUNS=1500");
    SUPPORT_RUN(&result, NULL, support_compiler, SUPPORT_WARNINGS, "-DRUNS=400", "-g",
                "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I.",
                SOURCE_DIR "/tests/export/fuzz.c", "g2p.c", "-lm", "-o", "watched");
    expect_done();
    SUPPORT_RUN(&result, NULL, "./fuzz", NULL);
    support_expect(&result, 0, "", "");
    SUPPORT_RUN(&result, NULL, "./watched", NULL);
    support_expect(&result, 0, "", "");
}
END_TEST

START_TEST(test_export_multiplies_small_numbers)
{
    SUPPORT_RUN(&result, NULL, support_compiler, SUPPORT_WARNINGS, "-fsanitize=undefined,float-cast-overflow",
                "-fno-sanitize-recover=all", "-I" SOURCE_DIR "/apps/export/kernel",
                SOURCE_DIR "/tests/export/apply.c", "-lm", "-o", "apply");
    expect_done();
    SUPPORT_RUN(&result, NULL, "./apply", NULL);
    support_expect(&result, 0, "", "");
}
END_TEST

static void expect_refusal(const char *model, const char *option, int status, const char *message)
{
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", model, option, "-o", "g2p.c");
    ck_assert_int_eq(result.status, status);
    ck_assert_msg(strstr(result.error, message) != NULL, "%s", result.error);
    ck_assert(!support_exists("g2p.c") && !support_exists("g2p.h"));
}

#define CAN "expected a single model of texts with soft attention or none, without features and copying"

START_TEST(test_export_says_what_it_cannot)
{
    support_train_pair_model("ensemble.safetensors", 0, SUPPORT_ENSEMBLE);
    expect_refusal("ensemble.safetensors", "--quiet", 65, "ensemble.safetensors: found an ensemble, " CAN);
    support_train_pair_model("hard.safetensors", 0, LB_ATTENTION_MONOTONIC);
    expect_refusal("hard.safetensors", "--quiet", 65, "found monotonic attention, " CAN);
    support_train_model("sort.safetensors", 0, LB_ATTENTION_ADDITIVE);
    expect_refusal("sort.safetensors", "--quiet", 65, "found a model that sorts lists, " CAN);
    support_write_pairs("train.tsv", 40, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "1", "--copy", "--out",
                  "copy");
    expect_refusal("copy", "--quiet", 65, "found a model that copies, " CAN);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "1", "--set",
                  "symbols=graphemes", "--out", "graphemes");
    expect_refusal("graphemes", "--quiet", 65, "found a model that reads graphemes, " CAN);
    support_write_text("train.tsv", "ab\tX;Y\tc\nb\tX;Z\ta\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "1", "--features-column",
                  "2", "--out", "features");
    expect_refusal("features", "--quiet", 65, "found a model with features, " CAN);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "1", "--source-column",
                  "1", "--target-column", "3", "--set", "loss=entmax", "--out", "sparse");
    expect_refusal("sparse", "--beam=2", 65,
                   "found --beam 2, expected 1 for a model trained with --set loss=entmax");
    expect_refusal("missing", "--quiet", 66, "missing");
}
END_TEST

START_TEST(test_export_names_everything_after_its_file)
{
    static const char *const bad[] = {"g2p", "2p.c", "my-model.c", ".c", "_g.c", "g2p.h", ".onnx"};
    support_train_pair_model("pairs.safetensors", 0, LB_ATTENTION_NONE);
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "pairs.safetensors", "-o", bad[i]);
        ck_assert_int_eq(result.status, 2);
        ck_assert_ptr_nonnull(strstr(result.error, "expected NAME.c, where names in C can begin with NAME"));
    }
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "pairs.safetensors", "-o", "to_Sounds.c");
    expect_done();
    char *code = support_content("to_Sounds.c", &(size_t){0}),
         *header = support_content("to_Sounds.h", &(size_t){0});
    ck_assert_ptr_nonnull(strstr(header, "#define TO_SOUNDS_WORK "));
    ck_assert_ptr_nonnull(
        strstr(header, "\nint to_Sounds_translate(const char *text, char *out, size_t room, void *work);\n"));
    ck_assert_ptr_nonnull(strstr(code, "#include \"to_Sounds.h\"\n"));
    ck_assert_ptr_nonnull(strstr(code, "Lookback puts no licence on this file"));
    ck_assert_ptr_null(strstr(code, "g2p"));
    ck_assert_ptr_null(strstr(code, "\n#if"));
    free(code);
    free(header);
}
END_TEST

/* The same model gives the same files, whatever the locale and the threads. */
START_TEST(test_export_twice_gives_the_same_bytes)
{
    support_train_pair_model("pairs.safetensors", 0, LB_ATTENTION_ADDITIVE);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "pairs.safetensors", "-o", "g2p.c", "--type", "f32");
    expect_done();
    size_t count;
    char *first = support_content("g2p.c", &count);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "pairs.safetensors", "-o", "g2p.c", "--type", "f32");
    support_assert_content("g2p.c", first, count);
}
END_TEST

/* A file that is too large stands for a disk that is full: the header would fit. */
START_TEST(test_export_that_does_not_fit_leaves_no_file)
{
    static char limit[] = "ulimit -f 40 && exec " LOOKBACK " export model -q -o g2p.c";
    static const char *const outputs[] = {"g2p.c", "h.onnx"}, *const seconds[] = {"g2p.c", "h.decoder.onnx"};
    const char *path;
    char said[SUPPORT_PATH];
    path = support_train_pair_model("model", 0, LB_ATTENTION_ADDITIVE);
    SUPPORT_RUN(&result, NULL, "/bin/sh", "-c", limit);
    support_expect(&result, 74, "", "lookback export: g2p.c: cannot write: File too large\n");
    ck_assert_uint_eq(support_file_count(), 1);
    for (int i = 0; SUPPORT_ROW(i, outputs); i++) {
        ck_assert_int_eq(mkdir(path = support_path(seconds[i]), 0700), 0);
        SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "model", "-q", "-o", outputs[i]);
        ck_assert_int_eq(result.status, 74);
        snprintf(said, sizeof said, "%s: cannot write: Is a directory", seconds[i]);
        ck_assert_msg(strstr(result.error, said) != NULL, "%s", result.error);
        ck_assert_uint_eq(support_file_count(), i ? 4 : 2);
        ck_assert_int_eq(rmdir(path), 0);
        SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "model", "-q", "-o", outputs[i]);
        ck_assert_int_eq(result.status, 0);
        ck_assert_uint_eq(support_file_count(), i ? 5 : 3);
    }
}
END_TEST
