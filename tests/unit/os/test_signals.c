/* Signals that ask a program to stop, and streams that are no terminal. Tests of programs have terminals. */
#include "os/program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(test_stream_of_a_file_is_no_terminal)
{
    FILE *file = fopen(support_path("file"), "w");
    ck_assert(!lb_os_is_terminal(file));
    ck_assert_int_eq(lb_os_columns(file), 80);
    fclose(file);
}
END_TEST

START_TEST(test_first_signal_is_recorded_by_its_number)
{
    ck_assert_int_eq(LB_OS_CTRL_C, SIGINT);
    ck_assert_int_eq(lb_os_interrupted(), 0);
    lb_os_catch_interrupts();
    kill(getpid(), SIGTERM);
    ck_assert_int_eq(lb_os_interrupted(), SIGTERM);
    kill(getpid(), SIGTERM); /* the same request */
}
END_TEST

START_TEST(test_signal_that_was_ignored_stays_ignored)
{
    signal(SIGINT, SIG_IGN);
    lb_os_catch_interrupts();
    kill(getpid(), SIGINT);
    ck_assert_int_eq(lb_os_interrupted(), 0);
    lb_os_release_interrupts();
    kill(getpid(), SIGINT);
}
END_TEST

/* How a process ends that does this and then gets SIGTERM. */
static int end_after(void (*act)(void), const char *error)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(error, "w", stderr)) _exit(1);
        lb_os_release_interrupts(); /* Check has handlers of its own */
        act();
        kill(getpid(), SIGTERM);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void catch_them(void)
{
    lb_os_catch_interrupts();
}

static void release_them(void)
{
    lb_os_catch_interrupts();
    lb_os_release_interrupts();
}

static void say_it(void)
{
    lb_os_say_on_interrupt("erased");
}

static void say_nothing(void)
{
    lb_os_say_on_interrupt("erased");
    lb_os_say_on_interrupt(NULL);
}

START_TEST(test_signal_kills_without_a_handler_and_may_say_something_before)
{
    static const struct {
        void (*act)(void);
        int signal;
        const char *said;
    } cases[] = {{catch_them, 0, ""},
                 {release_them, SIGTERM, ""},
                 {say_it, SIGTERM, "erased"},
                 {say_nothing, SIGTERM, ""}};
    size_t count;
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        ck_assert_int_eq(end_after(cases[i].act, support_path("error")), cases[i].signal);
        char *said = support_read_file(support_path("error"), &count);
        ck_assert_str_eq(said, cases[i].said);
        free(said);
    }
}
END_TEST
