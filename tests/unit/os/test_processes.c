/* Processes that a program starts, and what it knows about itself. */
#include "os/program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int say(void *context)
{
    printf("%s", (const char *)context);
    fprintf(stderr, "!");
    fflush(stdout);
    return 7;
}

static int wait_for_ever(void *context)
{
    (void)context;
    fprintf(stderr, "!");
    while (pause() < 0) {
    }
    return 0;
}

/* Waits until it has ended, and leaves it to be asked for. */
static void wait_for_end(const lb_os_child *child)
{
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)child->number, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(test_child_is_heard_and_has_a_status)
{
    static char words[] = "words";
    char bytes[16];
    int status = 0;
    lb_os_child child;
    ck_assert(lb_os_start(&child, 1, say, words));
    ck_assert_int_gt(child.number, 0);
    wait_for_end(&child);
    ck_assert(lb_os_has_ended(&child, &status));
    ck_assert_int_eq(status, 7);
    ck_assert_int_eq(lb_os_hear(&child, bytes, sizeof bytes), 6);
    ck_assert_mem_eq(bytes, "!words", 6);
    ck_assert_int_le(lb_os_hear(&child, bytes, sizeof bytes), 0);
    lb_os_drop(&child.said);
}
END_TEST

START_TEST(test_child_that_is_asked_to_end_does)
{
    char byte;
    int status = 0;
    lb_os_child child;
    ck_assert(lb_os_start(&child, 1, wait_for_ever, NULL));
    ck_assert_int_eq(lb_os_read(child.said, &byte, 1), 1); /* it no longer has the handlers of Check */
    ck_assert(!lb_os_has_ended(&child, &status));
    ck_assert_int_lt(lb_os_hear(&child, &byte, 1), 0);
    lb_os_stop(&child);
    wait_for_end(&child);
    ck_assert(lb_os_has_ended(&child, &status));
    ck_assert_int_eq(status, LB_OS_ENDED_BY + SIGTERM);
    lb_os_drop(&child.said);
}
END_TEST

START_TEST(test_program_knows_its_path_and_its_limits)
{
    char path[LB_OS_PATH];
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = 100};
    ck_assert(lb_os_program_path(path));
    ck_assert_ptr_nonnull(strstr(path, "os_tests"));
    ck_assert_int_eq(lb_os_process(), getpid());
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_eq(lb_os_limit_of(LB_OS_OPEN_FILES), 100);
    ck_assert_uint_gt(lb_os_limit_of(LB_OS_STACK), 0);
}
END_TEST

START_TEST(test_temp_folder_is_new_each_time)
{
    char one[LB_OS_PATH], two[LB_OS_PATH];
    setenv("TMPDIR", support_tempdir(), 1);
    ck_assert(lb_os_make_temp_folder(one) && lb_os_make_temp_folder(two));
    ck_assert_str_ne(one, two);
    ck_assert_int_eq(strncmp(one, support_tempdir(), strlen(support_tempdir())), 0);
    ck_assert(lb_os_remove(one) && lb_os_remove(two));
}
END_TEST

START_TEST(test_function_of_a_library_is_found_or_there_is_a_reason)
{
    static const char *const names[] = {"strlen", "strnlen", "lb_os_no_function"};
    struct {
        size_t (*length)(const char *text);
        size_t (*length_up_to)(const char *text, size_t most);
        void (*none)(void);
    } found;
    ck_assert_ptr_null(lb_os_load(NULL, names, 2, &found));
    ck_assert_uint_eq(found.length("four"), 4);
    ck_assert_uint_eq(found.length_up_to("four", 3), 3);
    ck_assert_ptr_nonnull(strstr(lb_os_load(NULL, names, 3, &found), "lb_os_no_function"));
    ck_assert_ptr_nonnull(strstr(lb_os_load("none/lookback.so", names, 1, &found), "none/lookback.so"));
}
END_TEST
