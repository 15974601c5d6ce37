/* lookback train from the user's view: what it learns, its files, and that it survives a kill. This is
 * too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/picture.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "models/ensemble/ensemble.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRS = 500 };

/* The model in a file of the test's folder, read in this process; to be freed by lb_text_model_free. */
static lb_text_model load(const char *name)
{
    lb_error error = {0};
    lb_text_model translator;
    lb_safetensors *file = lb_safetensors_open(support_path(name), &error);
    ck_assert_msg(file, "%s", error.message);
    ck_assert_msg(!lb_text_model_load(file, NULL, &translator, &error), "%s", error.message);
    lb_safetensors_close(file);
    return translator;
}

static double exact_match(void)
{
    double share = -1;
    support_assert_trained();
    ck_assert_int_eq(sscanf(support_ran.output, "exact match %lf %% (greedy) on ", &share), 1);
    return share / 100;
}

START_TEST(test_train_seq2seq_learns_and_leaves_its_files)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_pairs("dev.tsv", 60, 2);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--out", "out/deep");
    ck_assert_double_ge(exact_match(), 0.9);
    ck_assert_ptr_nonnull(strstr(support_ran.output, " on 60 pairs of dev.tsv\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "train.tsv: 500 lines, 393 different pairs\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "dev.tsv: 60 lines, 60 pairs\n"));
    ck_assert_ptr_null(strstr(support_ran.error, "resuming"));
    char kernel[128];
    snprintf(kernel, sizeof kernel, " parameters, %s", lb_kernel_name());
    ck_assert_ptr_nonnull(strstr(support_ran.error, kernel));
    ck_assert(support_exists("out/deep/checkpoint.safetensors") && support_exists("out/deep/training.png"));
    ck_assert_int_eq(support_line_count("out/deep/log.jsonl"), 6);
    lb_text_model translator = load("out/deep/model.safetensors");
    ck_assert_str_eq(translator.target_rule.separator, " ");
    ck_assert_int_eq(translator.source_rule.normalize, LB_NORMAL_FORM_NFD);
    ck_assert_int_eq(lb_vocabulary_size(translator.source), LB_FIRST_TOKEN + 8);
    ck_assert_int_eq(translator.longest_target, 4);
    ck_assert_ptr_eq(strstr(translator.training, "{\"steps\":300,\"exact_match\":"), translator.training);
    ck_assert_ptr_nonnull(strstr(translator.training, "\"target-separator\": \" \""));
    ck_assert_ptr_nonnull(strstr(translator.training, "\"history\":[{\"step\":50,"));
    lb_text_model_free(&translator);
}
END_TEST

static double number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    ck_assert_msg(at, "%s: %s", name, text);
    return strtod(at + strlen(name), NULL);
}

/* A symbol of the targets that the model does not know is an edit, in training as for evaluate. */
START_TEST(test_train_seq2seq_counts_edits_as_evaluate_does)
{
    static support_result found;
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_text("dev.tsv", "abc\tc b a\nabz\tz b a\ng\tg\nzh\th z\nzz\tz z\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv");
    ck_assert_double_le(exact_match(), 0.4);
    ck_assert_ptr_nonnull(
        strstr(support_ran.error,
               "dev.tsv: the targets of 3 of 5 pairs have symbols that the model does not know: each pair "
               "counts as wrong, and each symbol as <unk> in the loss\n"));
    double error = number_after(support_ran.error, "symbol error ") / 100;
    SUPPORT_RUN(&found, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "--beam", "1", "--json");
    ck_assert_int_eq(found.status, 0);
    double evaluated = number_after(found.output, "\"symbol_error_rate\":{\"value\":") / 100;
    ck_assert_double_ge(error, 4.0 / 11 - 1e-4);
    ck_assert_double_eq_tol(error, evaluated, 1e-4);
}
END_TEST

/* A model of some steps writes on and on: much more than twice a target. Each text has the limit that predict has for
 * it alone: one is longer than those of the training. */
START_TEST(test_train_seq2seq_counts_edits_of_outputs_without_an_end_as_evaluate_does)
{
    static support_result found;
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_text("dev.tsv", "abc\tc b a\ng\tg\nabcdefghabcdefghabcdefgh\th\nb\tb\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--steps", "3", "--train", "train.tsv", "--dev", "dev.tsv");
    support_assert_trained();
    double error = number_after(support_ran.error, "symbol error ");
    SUPPORT_RUN(&found, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "--beam", "1", "--json");
    ck_assert_int_eq(found.status, 0);
    ck_assert_double_eq_tol(error, number_after(found.output, "\"symbol_error_rate\":{\"value\":"), 0.01);
    ck_assert_double_gt(error, 400);
}
END_TEST

START_TEST(test_train_seq2seq_without_dev_holds_a_tenth_out)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    ck_assert_double_ge(exact_match(), 0.9);
    int count = 0;
    ck_assert_int_eq(sscanf(support_ran.output, "exact match %*f %% (greedy) on %d pairs", &count), 1);
    ck_assert_int_gt(count, PAIRS / 20);
    ck_assert_int_lt(count, PAIRS / 5);
    ck_assert_ptr_nonnull(strstr(support_ran.output, " pairs held out from train.tsv\n"));
}
END_TEST

START_TEST(test_train_seq2seq_any_threads_and_folders_give_the_same_file)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dropout", "0.2", "--out", "one");
    ck_assert_int_eq(mkdir(support_path("elsewhere"), 0700), 0);
    ck_assert_int_eq(link(support_path("train.tsv"), support_path("elsewhere/train.tsv")), 0);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "elsewhere/train.tsv", "--dropout", "0.2", "--out", "two",
                  "--threads", "2", "--set", "keep=1");
    support_assert_trained();
    support_assert_same_files("one/model.safetensors", "two/model.safetensors");
}
END_TEST

/* With everything that uses random numbers, and with a best model that is not the last. */
#define ALL                                                                                                  \
    SUPPORT_SMALL, "--train", "train.tsv", "--dropout", "0.3", "--set", "scheduled-sampling=0.5",            \
        "--label-smoothing", "0.1", "--min-count", "2", "--patience", "0", "--steps", "600"

START_TEST(test_train_seq2seq_killed_again_and_again_ends_with_the_same_file)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(ALL, "--out", "whole");
    support_assert_trained();
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(ALL, "--out", "killed"), 10);
    /* The last kill may have come when only pictures were left to be written. */
    ck_assert_msg(strstr(support_ran.error, "lookback train: resuming at step ") ||
                      strstr(support_ran.error, "has been trained already"),
                  "%s", support_ran.error);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
    ck_assert_int_eq(support_line_count("killed/log.jsonl"), 12);
}
END_TEST

/* Whenever it is killed, the model file is complete: here after each call for files from the time on when there is
 * one. */
START_TEST(test_train_seq2seq_killed_at_any_call_leaves_a_model_that_can_be_read)
{
    enum { MODELS = 40 };
    char stop[32];
    support_write_pairs("train.tsv", PAIRS, 1);
    for (int calls = 1, models = 0; models < MODELS; calls++) {
        snprintf(stop, sizeof stop, "file %d KILL", calls);
        SUPPORT_TRAIN_UNTIL(stop, SUPPORT_SMALL, "--train", "train.tsv", "--evaluate-every", "1", "--lr",
                            "0.001", "--out", "a", "--fresh");
        ck_assert_int_eq(support_ran.status, 128 + SIGKILL);
        if (!support_exists("a/model.safetensors")) continue;
        lb_text_model translator = load("a/model.safetensors");
        lb_text_model_free(&translator);
        models++;
    }
}
END_TEST

START_TEST(test_train_seq2seq_finished_run_repeats_its_result_and_mends_its_files)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    char *first;
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    support_assert_trained();
    first = strdup(support_ran.output);
    ck_assert_int_eq(rename(support_path("out/model.safetensors"), support_path("kept")), 0);
    support_write_text("out/log.jsonl", "nonsense\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv");
    support_assert_trained();
    ck_assert_ptr_nonnull(
        strstr(support_ran.error,
               "lookback train: the model in out has been trained already; --fresh trains it again\n"));
    ck_assert_str_eq(support_ran.output, first);
    support_assert_same_weights("out/model.safetensors", "kept");
    ck_assert_int_eq(support_line_count("out/log.jsonl"), 6);
    free(first);
}
END_TEST

/* The number of evaluations in the log since the first of the best ones. */
static int since_best(double *best)
{
    int lines = 0, at = 0;
    size_t count;
    char *log = support_content("out/log.jsonl", &count), *rest;
    *best = -1;
    for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        double found = -1;
        const char *field = strstr(line, "\"exact_match\":");
        ck_assert_ptr_nonnull(field);
        ck_assert_int_eq(sscanf(field, "\"exact_match\":%lf", &found), 1);
        lines++;
        if (found <= *best) continue;
        *best = found;
        at = lines;
    }
    free(log);
    return lines - at;
}

START_TEST(test_train_seq2seq_patience_stops_and_more_of_it_goes_on)
{
    double best;
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "3000", "--patience", "2");
    double printed = exact_match();
    int lines = support_line_count("out/log.jsonl");
    ck_assert_int_lt(lines, 30);
    ck_assert_int_eq(since_best(&best), 2);
    ck_assert_double_eq_tol(printed, best, 1e-4);
    /* The loss may have fallen once all was right. */
    ck_assert(strstr(support_ran.error, " of 3000: no later evaluation was better\n") ||
              strstr(support_ran.error, " of 3000: all was right before, and only the loss was lower\n"));
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "3000", "--patience", "3");
    support_assert_trained();
    ck_assert_int_gt(support_line_count("out/log.jsonl"), lines);
    ck_assert_int_eq(since_best(&best), 3);
}
END_TEST

/* If everything is soon right, the default patience is 1250 steps. */
START_TEST(test_train_seq2seq_stops_early_by_default)
{
    double best;
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "4000", "--evaluate-every", "125");
    double printed = exact_match();
    ck_assert_int_lt(support_line_count("out/log.jsonl"), 32);
    ck_assert_int_eq(since_best(&best), 10);
    ck_assert_double_eq_tol(printed, best, 1e-4);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "stopped at step "));
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "1750", "--evaluate-every", "125",
                  "--patience", "0", "--out", "whole");
    ck_assert_int_eq(support_line_count("whole/log.jsonl"), 14);
    ck_assert_ptr_null(strstr(support_ran.error, "stopped at step "));
}
END_TEST

START_TEST(test_train_seq2seq_seeds_become_one_ensemble_and_go_on_after_a_kill)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--seed", "7", "--seeds", "3", "--out", "whole");
    double together = exact_match();
    ck_assert_double_ge(together, 0.9);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "seed 8: kept the model of step "));
    SUPPORT_TRAIN_UNTIL("rename /seed-8/model.safetensors 2 KILL", SUPPORT_SMALL, "--train", "train.tsv",
                        "--seed", "7", "--seeds", "3", "--out", "killed");
    ck_assert_int_eq(support_ran.status, 128 + SIGKILL);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--seed", "7", "--seeds", "3", "--out", "killed");
    ck_assert_double_eq(exact_match(), together);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
    lb_text_model translator = load("whole/model.safetensors");
    ck_assert_ptr_eq(translator.model->kind, &lb_ensemble_kind);
    ck_assert_int_eq(((const lb_ensemble *)translator.model)->count, 3);
    ck_assert_ptr_nonnull(strstr(translator.training, "\"members\":[{\"steps\":300,"));
    lb_text_model_free(&translator);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--seed", "8", "--out", "alone");
    support_assert_same_weights("whole/seed-8/model.safetensors", "alone/model.safetensors");
}
END_TEST

START_TEST(test_train_seq2seq_other_models_and_switches_train)
{
    enum { MOST = 9 };
    static const char *const models[][MOST] = {
        {"--model", "transformer", "--embed", "0", "--heads", "2", "--tied", "--layers", "1"},
        {"--attention", "dot", "--no-bidirectional", "--tied", "--layers", "2"},
        {"--attention", "hard", "--dropout", "0.2"},
        {"--attention", "monotonic-1", "--tied", "--label-smoothing", "0.1"},
        {"--attention", "local-p", "--set", "window=2", "--layers", "2"},
        {"--attention", "location", "--cell", "lstm", "--tied", "--dropout", "0.2"},
        {"--attention", "multi-head", "--normalize", "none", "--epochs", "3", "--steps", "0"},
    };
    support_write_pairs("train.tsv", PAIRS, 1);
    for (int i = 0; SUPPORT_ROW(i, models); i++) {
        const char *arguments[64] = {SUPPORT_SMALL, "--train", "train.tsv", "--steps", "40", "--fresh"};
        int count = 0;
        while (arguments[count]) count++;
        for (int k = 0; k < MOST && models[i][k]; k++) arguments[count++] = models[i][k];
        support_train_pairs(arguments, NULL);
        support_assert_trained();
        lb_text_model translator = load("out/model.safetensors");
        ck_assert_str_eq(translator.model->kind->name, i == 0 ? "transformer" : "seq2seq");
        lb_text_model_free(&translator);
    }
    ck_assert_int_eq(support_line_count("out/log.jsonl"), 2);
}
END_TEST

/* The evaluations of a training, in its log; the values of a line begin with its step. */
enum { POINTS = 4, VALUES = 5 };

static void read_points(const char *name, double (*values)[POINTS])
{
    size_t size;
    char *log = support_content(name, &size), *line = log;
    for (int i = 0; i < POINTS; i++) {
        int found = sscanf(
            line, "{\"step\":%lf,\"loss\":%lf,\"dev_loss\":%lf,\"exact_match\":%lf,\"symbol_error\":%lf",
            &values[0][i], &values[1][i], &values[2][i], &values[3][i], &values[4][i]);
        ck_assert_int_eq(found, VALUES);
        line = strchr(line, '\n') + 1;
    }
    free(log);
}

START_TEST(test_train_seq2seq_chart_has_exact_match_and_says_what_raises_the_training_loss)
{
    static const struct {
        const char *dropout, *smoothing, *name;
    } runs[] = {{"0", "0", "training loss"},
                {"0.3", "0", "training loss, raised by dropout"},
                {"0", "0.1", "training loss, raised by label smoothing"},
                {"0.3", "0.1", "training loss, raised by dropout and label smoothing"}};
    double values[VALUES][POINTS];
    support_write_pairs("train.tsv", 60, 1);
    for (int i = 0; SUPPORT_ROW(i, runs); i++) {
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "40", "--evaluate-every", "10",
                      "--dropout", runs[i].dropout, "--label-smoothing", runs[i].smoothing, "--fresh");
        support_assert_trained();
        read_points("out/log.jsonl", values);
        for (int k = 0; k < POINTS; k++) values[3][k] *= 100;
        const lb_series series[] = {
            {.name = runs[i].name, .x = values[0], .y = values[1], .count = POINTS},
            {.name = "dev loss", .x = values[0], .y = values[2], .count = POINTS},
            {.name = "exact match", .x = values[0], .y = values[3], .count = POINTS, .right = true}};
        const lb_chart same = {.series = series,
                               .count = 3,
                               .title = "Training",
                               .x = {.label = "Step"},
                               .left = {.label = "Loss"},
                               .right = {.label = "Exact match on held-out pairs, %", .max = 100}};
        ck_assert_int_eq(lb_chart_save(&same, support_path("expected.png"), NULL), LB_OK);
        support_pictures_equal(support_path("out/training.png"), support_path("expected.png"));
    }
}
END_TEST

/* What the best model is chosen by; the right axis goes up to a symbol error above 1. */
START_TEST(test_train_seq2seq_chart_has_the_measure_of_the_choice)
{
    double values[VALUES][POINTS], highest = 100;
    support_write_pairs("train.tsv", 60, 1);
    for (int loss = 0; loss < 2; loss++) {
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "8", "--evaluate-every", "2",
                      "--dropout", "0", "--label-smoothing", "0", "--choose", loss ? "loss" : "symbol",
                      "--fresh");
        support_assert_trained();
        read_points("out/log.jsonl", values);
        for (int i = 0; i < POINTS; i++) highest = fmax(highest, values[4][i] *= 100);
        const lb_series series[] = {
            {.name = "training loss", .x = values[0], .y = values[1], .count = POINTS},
            {.name = "dev loss", .x = values[0], .y = values[2], .count = POINTS},
            {.name = "symbol error", .x = values[0], .y = values[4], .count = POINTS, .right = true}};
        const lb_chart same = {.series = series,
                               .count = loss ? 2 : 3,
                               .title = "Training",
                               .x = {.label = "Step"},
                               .left = {.label = "Loss"},
                               .right = {.label = "Symbol error on held-out pairs, %", .max = highest}};
        ck_assert_int_eq(lb_chart_save(&same, support_path("expected.png"), NULL), LB_OK);
        support_pictures_equal(support_path("out/training.png"), support_path("expected.png"));
    }
    ck_assert_double_gt(highest, 100);
}
END_TEST

/* Words of four letters: one stays, one is written twice, one is silent, and one depends on the letter after it. */
static void write_transductions(const char *name)
{
    char text[PAIRS * 32];
    size_t used = 0;
    for (int i = 0; i < PAIRS; i++) {
        char word[8] = "";
        for (unsigned k = 0, bits = (unsigned)i * 2654435761u; k < 6; k++, bits /= 4)
            word[k] = (char)('a' + bits % 4);
        used += (size_t)sprintf(text + used, "%s\t.", word);
        for (int k = 0; word[k]; k++) {
            const char *sounds = word[k] == 'a'       ? " a"
                                 : word[k] == 'b'     ? " b b"
                                 : word[k] == 'c'     ? ""
                                 : word[k + 1] == 'a' ? " e"
                                                      : " d";
            used += (size_t)sprintf(text + used, "%s", sounds);
        }
        used += (size_t)sprintf(text + used, "\n");
    }
    support_write_text(name, text);
}

/* Each kind learns them (how far depends on the last bits, so on the processor), and a training that was killed ends
 * with the same file. */
static void transduce(const char *const *kinds)
{
    write_transductions("train.tsv");
    for (int i = 0; kinds[i]; i++) {
        char killed[64];
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--attention", kinds[i], "--lr", "0.01",
                      "--steps", "600", "--out", "whole", "--fresh");
        ck_assert_double_ge(exact_match(), 0.9);
        SUPPORT_TRAIN_UNTIL("rename /checkpoint.safetensors 5 KILL", SUPPORT_SMALL, "--train", "train.tsv",
                            "--attention", kinds[i], "--lr", "0.01", "--steps", "600", "--out", kinds[i]);
        ck_assert_int_eq(support_ran.status, 128 + SIGKILL);
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--attention", kinds[i], "--lr", "0.01",
                      "--steps", "600", "--out", kinds[i]);
        snprintf(killed, sizeof killed, "%s/model.safetensors", kinds[i]);
        support_assert_same_files("whole/model.safetensors", killed);
    }
}

START_TEST(test_train_seq2seq_hard_attention_transduces_and_goes_on_after_a_kill)
{
    transduce((const char *const[]){"hard", "monotonic", "monotonic-1", NULL});
}
END_TEST

START_TEST(test_train_seq2seq_local_and_recalling_attention_transduces_and_goes_on_after_a_kill)
{
    transduce((const char *const[]){"local-m", "local-p", "coverage", "location", NULL});
}
END_TEST

START_TEST(test_train_seq2seq_columns_and_separators_choose_what_is_learned)
{
    support_write_text("train.tsv", "1\ta-b\tX\tq\n2\tb-a\tY\tq\n3\ta-a\tX\tq\n4\tb\tY\tq\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "train.tsv", "--source-column", "2",
                  "--target-column", "3", "--source-separator", "-");
    ck_assert_double_eq(exact_match(), 1);
    lb_text_model translator = load("out/model.safetensors");
    ck_assert_int_eq(lb_vocabulary_size(translator.source), LB_FIRST_TOKEN + 2);
    ck_assert_int_eq(lb_vocabulary_size(translator.target), LB_FIRST_TOKEN + 2);
    lb_text_model_free(&translator);
}
END_TEST

START_TEST(test_train_seq2seq_runs_of_blanks_are_one_separator)
{
    support_write_text("clean.tsv", "a b\tX Y\nb\tY\na\tX\nb a b\tY X Y\n");
    support_write_text("blanks.tsv", " a b\tX  Y\nb \t Y\na\tX \n  b a   b \tY X Y\n");
    static const char *const files[] = {"clean.tsv", "blanks.tsv"}, *const folders[] = {"clean", "blanks"};
    for (int i = 0; i < 2; i++) {
        SUPPORT_TRAIN(SUPPORT_SMALL, "--train", files[i], "--dev", files[i], "--source-separator", " ",
                      "--steps", "100", "--out", folders[i]);
        support_assert_trained();
    }
    support_assert_same_weights("clean/model.safetensors", "blanks/model.safetensors");
    static support_result found;
    SUPPORT_RUN(&found, " b  a b \n", BIN_DIR "/lookback", "predict", "blanks", "-");
    support_expect(&found, 0, " b  a b \tY X Y\n", "");
}
END_TEST
