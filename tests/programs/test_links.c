/* Links in the folder of a training: what somebody has planted under a name of ours leads nowhere, and the model may be
 * on another disk. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAIN SUPPORT_SMALL, "--train", "train.tsv", "--steps", "50"

static void make_folder(const char *name)
{
    ck_assert_int_eq(mkdir(support_path(name), 0777), 0);
}

static void plant(const char *name, const char *target)
{
    ck_assert_int_eq(symlink(target, support_path(name)), 0);
}

static void assert_content(const char *name, const char *expected)
{
    size_t count;
    char *content = support_content(name, &count);
    ck_assert_ptr_nonnull(content);
    ck_assert_str_eq(content, expected);
    free(content);
}

static void assert_link_named(const char *name, const char *expected)
{
    char said[128];
    snprintf(said, sizeof said, "%s: found a symbolic link, expected %s\n", name, expected);
    ck_assert_msg(strstr(support_ran.error, said) != NULL, "%s: %s", said, support_ran.error);
    assert_content("victim", "precious");
}

START_TEST(test_train_refuses_links_in_its_folder_and_names_them)
{
    static const char *const names[] = {".lock",      "log.jsonl",   "log.csv",     "film.jsonl",
                                        "taught.tsv", "taught.seal", "training.png"};
    char folder[32], name[64], model[64];
    support_write_pairs("train.tsv", 60, 1);
    support_write_text("victim", "precious");
    SUPPORT_TRAIN(TRAIN, "--out", "teacher");
    support_assert_trained();
    for (int i = 0; SUPPORT_ROW(i, names); i++) {
        snprintf(folder, sizeof folder, "out-%d", i);
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        snprintf(model, sizeof model, "%s/model.safetensors", folder);
        make_folder(folder);
        plant(name, "../victim");
        SUPPORT_TRAIN(TRAIN, "--out", folder, "--teacher", "teacher", "--made-up", "0", "--no-hold-out");
        ck_assert_msg(support_ran.status == 74, "%s: %s", name, support_ran.error);
        assert_link_named(name, "a file");
        ck_assert(!support_exists(model));
    }
}
END_TEST

START_TEST(test_train_creates_nothing_where_a_link_leads)
{
    support_write_pairs("train.tsv", 60, 1);
    make_folder("out");
    plant("out/.lock", "../made");
    SUPPORT_TRAIN(TRAIN);
    support_assert_refused(74, "out/.lock: found a symbolic link, expected a file");
    ck_assert(!support_exists("made"));
}
END_TEST

START_TEST(test_train_several_refuses_links_below_its_folder)
{
    support_write_pairs("train.tsv", 60, 1);
    support_write_text("victim", "precious");
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    make_folder("out");
    make_folder("other");
    plant("out/seed-1", "../other");
    SUPPORT_TRAIN(TRAIN, "--seeds", "2");
    support_assert_refused(74, "out/seed-1: found a symbolic link, expected a folder");
    plant("out/seed=1", "../other");
    SUPPORT_TRAIN(TRAIN, "--sweep", "sweep.json");
    support_assert_refused(74, "out/seed=1: found a symbolic link, expected a folder");
    ck_assert_uint_eq(support_match_count("other/*"), 0);
    make_folder("logs");
    make_folder("logs/seed=1");
    plant("logs/seed=1/train.log", "../../victim");
    SUPPORT_TRAIN(TRAIN, "--sweep", "sweep.json", "--out", "logs");
    ck_assert_int_eq(support_ran.status, 74);
    assert_link_named("logs/seed=1/train.log", "a file");
    ck_assert(!support_exists("logs/seed=1/model.safetensors"));
    ck_assert(support_exists("logs/seed=2/model.safetensors"));
}
END_TEST

static void replace_by_link(const char *name, const char *target)
{
    ck_assert_int_eq(unlink(support_path(name)), 0);
    plant(name, target);
}

START_TEST(test_train_several_refuses_links_for_its_results)
{
    support_write_pairs("train.tsv", 60, 1);
    support_write_text("victim", "precious");
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    SUPPORT_TRAIN(TRAIN, "--sweep", "sweep.json");
    support_assert_trained();
    replace_by_link("out/sweep.png", "../victim");
    SUPPORT_TRAIN(TRAIN, "--sweep", "sweep.json");
    ck_assert_int_eq(support_ran.status, 74);
    assert_link_named("out/sweep.png", "a file");
    replace_by_link("out/sweep.tsv", "../victim");
    SUPPORT_TRAIN(TRAIN, "--sweep", "sweep.json");
    ck_assert_int_eq(support_ran.status, 74);
    assert_link_named("out/sweep.tsv", "a file");
    make_folder("vote");
    plant("vote/ensemble.tsv", "../victim");
    SUPPORT_TRAIN(TRAIN, "--ensemble", "additive:2", "--out", "vote");
    ck_assert_int_eq(support_ran.status, 74);
    assert_link_named("vote/ensemble.tsv", "a file");
    ck_assert(!support_exists("vote/additive-1"));
}
END_TEST

/* An index is a convenience: the training goes on without it. */
START_TEST(test_train_replaces_no_file_that_the_link_of_an_index_leads_to)
{
    support_write_pairs("train.tsv", 60, 1);
    support_write_text("victim", "precious");
    plant("train.tsv.index", "victim");
    SUPPORT_TRAIN(TRAIN, "--set", "index=always");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(
        support_ran.error, "train.tsv.index: found a symbolic link, expected a file; the next training"));
    assert_content("victim", "precious");
}
END_TEST

/* docs/adr/0023: whoever links the model to another disk means the other disk. The folder is the user's in any case. */
START_TEST(test_train_follows_the_links_of_model_and_folder)
{
    support_write_pairs("train.tsv", 60, 1);
    make_folder("disk");
    make_folder("disk/out");
    plant("out", "disk/out");
    SUPPORT_TRAIN(TRAIN);
    support_assert_trained();
    ck_assert(support_exists("disk/out/log.jsonl"));
    support_write_text("disk/model", "");
    replace_by_link("disk/out/model.safetensors", "../model");
    SUPPORT_TRAIN(TRAIN, "--steps", "100", "--out", "out/");
    support_assert_trained();
    ck_assert_uint_eq(support_match_count("disk/out/model.safetensors"), 1);
    support_assert_same_files("disk/model", "out/model.safetensors");
}
END_TEST
