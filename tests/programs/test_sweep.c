/* train --sweep: one training for each combination, a table, a chart, and the best model. It takes seconds. */
#include "io/path.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRID "{\"hidden\": [4, 32], \"tied\": [true, false]}"

static void sweep(const char *json, const char *const *more)
{
    const char *arguments[48] = {SUPPORT_SMALL, "--train", "train.tsv", "--sweep", "sweep.json"};
    int count = 0;
    while (arguments[count]) count++;
    for (; more && *more; more++) arguments[count++] = *more;
    support_write_pairs("train.tsv", 300, 1);
    support_write_text("sweep.json", json);
    support_train_pairs(arguments, NULL);
}

/* Quiet is what one looks at; the logs of the trainings are complete. */
START_TEST(test_sweep_quiet_prints_only_its_table_and_has_complete_logs)
{
    static const char *const quiet[] = {"--steps", "20", "-q", NULL};
    size_t count;
    sweep("{\"hidden\": [4, 8]}", quiet);
    support_assert_trained();
    ck_assert_str_eq(support_ran.error, "");
    ck_assert_str_ne(support_ran.output, "");
    char *log = support_content("out/hidden=4/train.log", &count);
    ck_assert_ptr_nonnull(log);
    ck_assert_ptr_nonnull(strstr(log, " parameters, "));
    free(log);
}
END_TEST

START_TEST(test_sweep_trains_each_combination_and_keeps_the_best)
{
    size_t count;
    sweep(GRID, NULL);
    support_assert_trained();
    static const char *const folders[] = {"out/hidden=4,tied=true", "out/hidden=4,tied=false",
                                          "out/hidden=32,tied=true", "out/hidden=32,tied=false"};
    for (int i = 0; SUPPORT_ROW(i, folders); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/model.safetensors", folders[i]);
        ck_assert_msg(support_exists(name), "no %s", name);
        ck_assert_ptr_nonnull(strstr(support_ran.output, strchr(folders[i], 'h')));
    }
    ck_assert_int_eq(support_line_count("out/sweep.tsv"), 5);
    char *table = support_content("out/sweep.tsv", &count), *line = strchr(table, '\n') + 1;
    double before = 1;
    char best[64] = "";
    for (int i = 0; i < 4; i++, line = strchr(line, '\n') + 1) {
        double exact;
        char name[64];
        ck_assert_int_eq(sscanf(line, "%lf %*f %*f %*f %*f %63s", &exact, name), 2);
        ck_assert_double_le(exact, before);
        before = exact;
        if (i == 0) snprintf(best, sizeof best, "out/%.40s/model.safetensors", name);
    }
    ck_assert_ptr_nonnull(strstr(best, "hidden=32"));
    support_assert_same_weights(best, "out/model.safetensors");
    ck_assert(support_exists("out/sweep.png"));
    free(table);
}
END_TEST

START_TEST(test_sweep_of_the_same_again_trains_nothing_and_says_the_same)
{
    size_t count;
    sweep(GRID, NULL);
    support_assert_trained();
    char *table = support_content("out/sweep.tsv", &count);
    sweep(GRID, NULL);
    support_assert_trained();
    char *again = support_content("out/sweep.tsv", &count);
    ck_assert_str_eq(again, table); /* the seconds, too */
    free(table);
    free(again);
}
END_TEST

START_TEST(test_sweep_keeps_an_earlier_model_that_is_not_its_own)
{
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    support_write_file(support_path("out/model.safetensors"), "earlier", 7);
    for (int i = 0; i < 2; i++) {
        sweep("{\"hidden\": [4, 5]}", (const char *const[]){"--steps", "10", NULL});
        support_assert_trained();
        size_t count;
        char *kept = support_content("out/model.old-1.safetensors", &count);
        ck_assert_str_eq(kept, "earlier");
        free(kept);
        ck_assert(!support_exists("out/model.old-2.safetensors"));
    }
}
END_TEST

START_TEST(test_sweep_in_a_folder_that_another_process_has_is_refused)
{
    char process[32];
    lb_lock *lock;
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    ck_assert_int_eq(lb_lock_folder(support_path("out"), &lock, NULL), LB_OK);
    sweep(GRID, NULL);
    snprintf(process, sizeof process, ", process %ld", (long)getpid());
    support_assert_refused(75, process);
    ck_assert_uint_eq(support_match_count("out/*"), 0);
    lb_lock_free(lock);
}
END_TEST

START_TEST(test_sweep_some_combinations_are_drawn_by_the_seed)
{
    static const char *const three[] = {"--sweep-count", "3", "--steps", "10", NULL};
    sweep("{\"hidden\": [4, 5, 6, 7], \"embed\": [4, 5, 6]}", three);
    support_assert_trained();
    ck_assert_int_eq(support_line_count("out/sweep.tsv"), 4);
}
END_TEST

START_TEST(test_sweep_that_cannot_be_is_refused_before_anything_is_trained)
{
    static const char *const seeds[] = {"--seeds", "2", NULL};
    static const struct {
        const char *json, *message;
        int status;
    } cases[] = {
        {"{\"hiden\": [1]}",
         "sweep.json:1: found \"hiden\", expected the name of an option, such as \"hidden\"", 65},
        {"{\"hidden\": [16, -1]}", "--hidden", 2},
        {"{\"hold-out\": [true, false]}",
         "hold-out=false: --no-hold-out leaves no pairs to compare the models on", 2},
        {"{\"hold\": [false]}", "found \"hold\", expected the name of an option, such as \"hold-out\"", 65},
        {"{\"tied\": [true],\n \"out\": [\"a\", \"b\"]}",
         "sweep.json:2: found \"out\", which cannot vary in a sweep", 65},
        {"{\"sweep\": [\"other.json\"]}", "found \"sweep\", which cannot vary", 65},
        {"{\"sweep-count\": [1, 2]}", "found \"sweep-count\", which cannot vary", 65},
        {"{\"ensemble\": [\"2\"]}", "found \"ensemble\", which cannot vary", 65},
        {"{\"threads\": [1, 2]}", "found \"threads\", which cannot vary", 65},
        {"{\"seeds\": [2]}", "found \"seeds\", which cannot vary", 65},
        {"{\"print-config\": [true]}", "found \"print-config\", which cannot vary", 65},
        {"{\"quiet\": [true]}", "found \"quiet\", which cannot vary", 65},
        {"{\"help\": [true]}", "found \"help\", expected the name of an option", 65},
        {"{\"lr\": [0.01, 0.01, 0.010]}", "found lr=0.01 and lr=0.01 with the same folder, out/lr=0.01", 2},
        {"{\"hidden\": [8, 16, 8], \"lr\": [0.01]}", "hidden=8,lr=0.01 with the same folder", 2},
        {"{\"hidden\": [8, \"8\"]}", "found hidden=8 and hidden=8 with the same folder", 2},
        {"{\"source-separator\": [\" \", \"|\"]}", "with the same folder, out/source-separator=_;", 2},
        {"{\"attention\": [\"additive\", \"dot\"]}",
         "attention=dot: attention: dot needs encoder states as wide", 2},
        {"{\"freeze\": [\"encoder\", \"encodr\"]}", "freeze=encodr: freeze: found \"encodr\"", 2},
        {"{\"shards\": [2, 3]}", "shards=3: shards: found 3, expected a power of two", 2},
        {"{\"loss\": [\"cross-entropy\", \"entmax\"], \"copy\": [true]}",
         "loss=entmax,copy=true: copy: found the loss", 2},
        {"{\"dev\": [\"train.tsv\", \"no.tsv\"]}", "dev=no.tsv: no.tsv: cannot read: No such file", 66},
        {"{\"from\": [\"train.tsv\"]}", "from=train.tsv: train.tsv: ", 65},
        {"{\"hidden\": 16}", "sweep.json:1: \"hidden\": found 16, expected a list of values", 65},
        {"{\"hidden\": [16],\n\n \"tied\": [true, null]}",
         "sweep.json:3: \"tied\": found null, expected strings, numbers, true or false", 65},
        {"{\"hidden\": [16],\n \"lr\": [0.1],\n \"hidden\": [8]}",
         "sweep.json:3: found \"hidden\" twice, expected it once", 65},
        {"{\"hidden\": [16],\n \"lr\" [0.1]}",
         "sweep.json:2: found no JSON, expected a JSON object with a list of values for each option", 65},
        {"{}", "sweep.json:1: found {}, expected at least one option with values", 65},
        {"[1]", "sweep.json:1: found another value, expected a JSON object with a list of values", 65},
        {"{\"hidden\": [\"\xff\"]}", "sweep.json:1: expected text in UTF-8", 65},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        sweep(cases[i].json, NULL);
        support_assert_refused(cases[i].status, cases[i].message);
        ck_assert(!support_exists("out"));
    }
    sweep(GRID, seeds);
    support_assert_refused(2, "--sweep and --seeds");
    sweep(GRID, (const char *const[]){"--sweep", "", NULL});
    support_assert_refused(2, "--sweep: expected FILE, found \"\"");
}
END_TEST

START_TEST(test_sweep_of_a_config_can_be_taken_back)
{
    support_write_text("c.json", "{\"sweep\": \"sweep.json\", \"steps\": 10}");
    sweep(GRID, (const char *const[]){"--no-sweep", "--config", "c.json", NULL});
    support_assert_trained();
    ck_assert(support_exists("out/model.safetensors"));
    ck_assert(!support_exists("out/sweep.tsv"));
}
END_TEST

START_TEST(test_sweep_a_training_that_fails_does_not_end_the_others)
{
    static const char *const lr[] = {"--steps", "60", NULL};
    sweep("{\"lr\": [0.02, 1e30]}", lr);
    ck_assert_int_eq(support_ran.status, 75);
    ck_assert_ptr_nonnull(strstr(support_ran.error, ": 1 of 2 trainings failed: "));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "; the same command tries them again\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "failed"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, "see out/lr=1e+30/train.log"));
    ck_assert(support_exists("out/model.safetensors"));
}
END_TEST

/* It would write into the terminal, among the notes of the others. */
START_TEST(test_sweep_a_training_without_its_log_is_not_started)
{
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/seed=1"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/seed=1/train.log"), 0777), 0);
    sweep("{\"seed\": [1, 2]}", NULL);
    ck_assert_int_eq(support_ran.status, 74);
    ck_assert_ptr_nonnull(strstr(support_ran.error,
                                 ": 1 of 2 trainings failed: out/seed=1/train.log: cannot write: Is a "
                                 "directory; the same command tries them again\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "failed"));
    ck_assert(!support_exists("out/seed=1/model.safetensors"));
    ck_assert(support_exists("out/seed=2/model.safetensors"));
}
END_TEST

START_TEST(test_sweep_of_trainings_that_fail_for_several_reasons_ends_with_1)
{
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/lr=0.02"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/lr=0.02/train.log"), 0777), 0);
    sweep("{\"lr\": [0.02, 1e30]}", (const char *const[]){"--steps", "60", NULL});
    ck_assert_int_eq(support_ran.status, 1);
    ck_assert_ptr_nonnull(strstr(support_ran.error, ": 2 of 2 trainings failed: "));
    ck_assert_str_eq(support_ran.output, "");
}
END_TEST

START_TEST(test_sweep_of_names_with_tabs_has_a_table_that_can_be_read)
{
    size_t count;
    support_write_pairs("a\tb\n.tsv", 20, 3);
    sweep("{\"lexicon\": [\"a\\tb\\n.tsv\", \"train.tsv\"]}", (const char *const[]){"--steps", "2", NULL});
    support_assert_trained();
    char *table = support_content("out/sweep.tsv", &count), *rest;
    int lines = 0;
    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        int tabs = 0;
        for (const char *at = line; *at; at++) tabs += *at == '\t';
        ck_assert_msg(tabs == 5, "%s", line);
        if (strstr(line, "lexicon=a")) ck_assert_ptr_nonnull(strstr(line, "lexicon=a\uFFFDb\uFFFD.tsv"));
    }
    ck_assert_int_eq(lines, 3);
    free(table);
}
END_TEST
