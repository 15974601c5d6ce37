/* The folder of compare: one process at a time, earlier models are kept, and what cannot be written is said. */
#include "io/path.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static support_result result;

/* Lists of 2 or 3 digits. */
#define COMPARE(...)                                                                                         \
    SUPPORT_RUN(&result, NULL, BIN_DIR "/lookback", "compare", "--max-number", "9", "--min-length", "2",     \
                "--max-length", "3", "--hidden", "8", "--batch", "4", "--threads", "1", "--out", "a",        \
                __VA_ARGS__)

static void make_folder(const char *name)
{
    ck_assert_int_eq(mkdir(support_path(name), 0700), 0);
}

static int count_in(const char *all, const char *text)
{
    int count = 0;
    for (const char *at = all; (at = strstr(at, text)) != NULL; at++) count++;
    return count;
}

/* How often the last run said this. */
static int count_notes(const char *text)
{
    return count_in(result.error, text);
}

/* How often a training of it did. */
static int count_logged(const char *log, const char *text)
{
    size_t length;
    char *all = support_read_file(support_path(log), &length);
    int count = count_in(all, text);
    free(all);
    return count;
}

/* As on a full disk: a folder has the name of a checkpoint. */
START_TEST(test_compare_warns_once_while_checkpoints_cannot_be_written)
{
    make_folder("a");
    make_folder("a/none");
    make_folder("a/none/checkpoint.safetensors");
    COMPARE("--kinds", "none", "--steps", "1500", "--fresh");
    ck_assert_int_eq(result.status, 74);
    ck_assert_int_eq(count_notes("a/none/train.log: a/none/checkpoint.safetensors: cannot write"), 1);
    ck_assert_int_eq(
        count_logged("a/none/train.log", "; training continues and tries again at each evaluation\n"), 1);
    ck_assert_int_eq(count_logged("a/none/train.log", "step 1500/1500"), 1);
}
END_TEST

static void expect_kept(const char *name, const char *content)
{
    size_t count;
    char *text = support_read_file(support_path(name), &count);
    ck_assert_str_eq(text, content);
    free(text);
}

static void write_earlier(const char *name)
{
    support_write_file(support_path(name), "earlier", strlen("earlier"));
}

START_TEST(test_compare_fresh_keeps_the_earlier_model_of_each_kind)
{
    static const char *const folders[] = {"a", "a/none", "a/dot", "a/general"};
    for (int i = 0; i < 4; i++) make_folder(folders[i]);
    write_earlier("a/none/sort.safetensors");
    write_earlier("a/dot/sort.safetensors");
    write_earlier("a/general/sort.safetensors");
    COMPARE("--kinds", "none,dot,additive", "--steps", "3", "--fresh");
    ck_assert_int_eq(result.status, 0);
    ck_assert_int_eq(
        count_logged("a/none/train.log", "the earlier model is kept as a/none/sort.old-1.safetensors\n"), 1);
    expect_kept("a/none/sort.old-1.safetensors", "earlier");
    expect_kept("a/dot/sort.old-1.safetensors", "earlier");
    expect_kept("a/general/sort.safetensors", "earlier");
    COMPARE("--kinds", "none", "--steps", "3");
    ck_assert_int_eq(result.status, 0);
    ck_assert_uint_eq(support_match_count("a/*/*.old-*"), 2);
}
END_TEST

START_TEST(test_compare_in_a_folder_that_another_process_has_is_refused)
{
    char process[32];
    lb_lock *lock;
    make_folder("a");
    ck_assert_int_eq(lb_lock_folder(support_path("a"), &lock, NULL), LB_OK);
    COMPARE("--kinds", "none", "--steps", "3");
    snprintf(process, sizeof process, ", process %ld", (long)getpid());
    ck_assert_int_eq(result.status, 75);
    ck_assert_int_eq(count_notes(process), 1);
    ck_assert_uint_eq(support_match_count("a/*"), 0);
    lb_lock_free(lock);
}
END_TEST
