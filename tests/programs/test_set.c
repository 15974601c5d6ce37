/* Settings by their names: --set is the option, with its checks, and what is no option answers how to write it. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command line with options, and the same with --set; NULL: the options are the defaults. */
static const char *const pairs[][2] = {
    {"--hidden 32 --no-bidirectional", "--set hidden=32 --set bidirectional=false"},
    {"--no-hold-out --tied", "--set no_hold_out=true --set tied=true"},
    {"--hold-out --warm-up 0", "--set hold-out=true --set warm-up=0"},
    {"--no-bidirectional", "--set one_direction=true"},
    {"--config set.json", "--set kv_heads=2 --set softcap=1.5 --set window=3 --model transformer"},
};

START_TEST(test_set_is_the_option)
{
    support_write_text("set.json", "{\"kv-heads\": 2, \"softcap\": 1.5, \"window\": 3,\n"
                                   "\"model\": \"transformer\"}\n");
    for (size_t i = 0; SUPPORT_ROW(i, pairs); i++) {
        support_shell("train --print-config %s", pairs[i][0]);
        ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
        char *expected = strdup(support_ran.output);
        support_shell("train --print-config %s", pairs[i][1]);
        ck_assert_str_eq(support_ran.error, "");
        ck_assert_str_eq(support_ran.output, expected);
        free(expected);
    }
}
END_TEST

#define LISTED ": --set: expected NAME=VALUE, with a name that lookback "

static const struct {
    const char *words, *said;
} refused[] = {
    {"train --kv-heads 2", "train: unknown option --kv-heads; write --set kv-heads=2"},
    {"train --loss=entmax", "train: unknown option --loss; write --set loss=entmax"},
    {"sort --shards", "sort: unknown option --shards; write --set shards=N"},
    {"train --feature-positions",
     "train: unknown option --feature-positions; write --set feature-positions=true"},
    {"train --no-merge", "train: unknown option --no-merge; write --set merge=false"},
    {"train --no-feature-positions",
     "train: unknown option --no-feature-positions; write --set feature-positions=false"},
    {"sort --average 0", "sort: unknown option --average; see lookback sort --help"},
    {"sort --set average=0", "sort" LISTED "sort --help --all lists, found \"average=0\""},
    {"train --set kv-heads", "train" LISTED "train --help --all lists, found \"kv-heads\""},
    {"train --set threads=2", "train" LISTED "train --help --all lists, found \"threads=2\""},
    {"train --set kv-heads=x", "train: --set kv-heads: expected a whole number from 0 to 1024, found \"x\""},
    {"train --set hidden=x", "train: --hidden: expected a whole number from 0 to 65536, found \"x\""},
    {"train --set merge=maybe", "train: --set merge: expected true or false, found \"maybe\""},
    {"train --set tied=1", "train: --tied: expected true or false, found \"1\""},
};

START_TEST(test_set_refuses)
{
    for (size_t i = 0; SUPPORT_ROW(i, refused); i++) {
        char said[256];
        support_shell("%s", refused[i].words);
        ck_assert_int_eq(support_ran.status, 2);
        snprintf(said, sizeof said, "lookback %s\n", refused[i].said);
        ck_assert_str_eq(support_ran.error, said);
    }
}
END_TEST

/* --set, --config and --print-config spell a setting in one way; inspect has the keys of --print-config. */
START_TEST(test_set_names_are_keys_of_a_config)
{
    support_shell("train --print-config");
    char *keys = strdup(support_ran.output);
    support_shell("train --help --all");
    int names = 0;
    for (char *at = strstr(support_ran.output, "\nOnly by "); at && *at; at += strcspn(at + 1, "\n") + 1) {
        char key[64];
        if (strncmp(at, "\n      ", 7) != 0 || at[7] == ' ' || at[7] == '-') continue;
        snprintf(key, sizeof key, "\n  \"%.*s\": ", (int)strcspn(at + 7, "="), at + 7);
        ck_assert_msg(strstr(keys, key) != NULL, "no key%s", key);
        names++;
    }
    ck_assert_int_gt(names, 10);
    free(keys);
}
END_TEST

START_TEST(test_set_is_listed_behind_the_options)
{
    support_shell("train --help --all");
    const char *rare = strstr(support_ran.output, "\nOnly by --set NAME=VALUE\n");
    ck_assert_ptr_nonnull(rare);
    ck_assert_ptr_nonnull(strstr(rare, "\n      softcap=X "));
    ck_assert_ptr_null(strstr(support_ran.output, "--softcap"));
    support_shell("train --help");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "The most common of 62 options;"));
}
END_TEST
