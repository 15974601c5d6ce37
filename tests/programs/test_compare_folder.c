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
    char path[SUPPORT_PATH];
    ck_assert_int_eq(mkdir(support_path(path, name), 0700), 0);
}

/* How often the last run said this. */
static int count_notes(const char *text)
{
    int count = 0;
    for (const char *at = result.error; (at = strstr(at, text)) != NULL; at++) count++;
    return count;
}

/* As on a full disk: a folder has the name of a checkpoint. */
START_TEST(test_compare_warns_once_while_checkpoints_cannot_be_written)
{
    make_folder("a");
    make_folder("a/none.checkpoint.safetensors");
    COMPARE("--kinds", "none", "--steps", "1500", "--fresh");
    ck_assert_int_eq(result.status, 74);
    ck_assert_int_eq(count_notes("; training continues and tries again at each evaluation\n"), 1);
    ck_assert_int_eq(count_notes("a/none.checkpoint.safetensors: cannot write"), 2);
    ck_assert_ptr_nonnull(strstr(result.error, "none 1500/1500"));
}
END_TEST

static void expect_kept(const char *name, const char *content)
{
    char path[SUPPORT_PATH];
    size_t count;
    char *text = support_read_file(support_path(path, name), &count);
    ck_assert_str_eq(text, content);
    free(text);
}

static void write_earlier(const char *name)
{
    char path[SUPPORT_PATH];
    support_write_file(support_path(path, name), "earlier", strlen("earlier"));
}

START_TEST(test_compare_fresh_keeps_the_earlier_model_of_each_kind)
{
    make_folder("a");
    write_earlier("a/none.safetensors");
    write_earlier("a/dot.safetensors");
    write_earlier("a/general.safetensors");
    COMPARE("--kinds", "none,dot,additive", "--steps", "3", "--fresh");
    ck_assert_int_eq(result.status, 0);
    ck_assert_int_eq(count_notes("the earlier model is kept as "), 2);
    ck_assert_int_eq(count_notes("none: the earlier model is kept as a/none.old-1.safetensors\n"), 1);
    expect_kept("a/none.old-1.safetensors", "earlier");
    expect_kept("a/dot.old-1.safetensors", "earlier");
    expect_kept("a/general.safetensors", "earlier");
    COMPARE("--kinds", "none", "--steps", "3");
    ck_assert_int_eq(result.status, 0);
    ck_assert_uint_eq(support_match_count("a/*.old-*"), 2);
}
END_TEST

START_TEST(test_compare_in_a_folder_that_another_process_has_is_refused)
{
    char path[SUPPORT_PATH], process[32];
    lb_lock *lock;
    make_folder("a");
    ck_assert_int_eq(lb_lock_folder(support_path(path, "a"), &lock, NULL), LB_OK);
    COMPARE("--kinds", "none", "--steps", "3");
    snprintf(process, sizeof process, ", process %ld", (long)getpid());
    ck_assert_int_eq(result.status, 75);
    ck_assert_int_eq(count_notes(process), 1);
    ck_assert_uint_eq(support_match_count("a/*"), 0);
    lb_lock_free(lock);
}
END_TEST

int main(void)
{
    return support_run_tests("compare folder",
                             SUPPORT_TESTS(test_compare_warns_once_while_checkpoints_cannot_be_written,
                                           test_compare_in_a_folder_that_another_process_has_is_refused,
                                           test_compare_fresh_keeps_the_earlier_model_of_each_kind));
}
