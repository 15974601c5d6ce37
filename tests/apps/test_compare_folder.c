/* The folder of compare: what a training does while it cannot write. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <string.h>
#include <sys/stat.h>

static support_result result;

static void run(const char *const *argv)
{
    support_command command = {.argv = argv, .directory = support_tempdir()};
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
}

/* Lists of 2 or 3 digits. */
#define COMPARE(...)                                                                                         \
    run((const char *const[]){BIN_DIR "/lookback", "compare", "--max-number", "9", "--min-length", "2",      \
                              "--max-length", "3", "--hidden", "8", "--batch", "4", "--threads", "1",        \
                              "--out", "a", __VA_ARGS__, NULL})

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

int main(void)
{
    return support_run_tests("compare folder",
                             SUPPORT_TESTS(test_compare_warns_once_while_checkpoints_cannot_be_written));
}
