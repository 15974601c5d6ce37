/* The terminal of a program, and signals that ask it to stop. */
#include "os/program.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool lb_os_is_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

int lb_os_columns(FILE *stream)
{
    enum { USUAL = 80 };
    struct winsize size = {0};
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

void lb_os_survive_failed_writes(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* A program may get the same signal twice at once: timeout sends it to the process and to its group. */
enum { SAME_REQUEST_MS = 200 };

/* mpirun gives the ranks SIGUSR1 at once and lets them live; after SIGINT or SIGTERM it kills them within seconds. */
static const int caught[] = {SIGINT, SIGTERM, SIGUSR1};
enum { CAUGHT = sizeof caught / sizeof *caught };
static volatile sig_atomic_t signal_number;
static volatile int64_t first_ms;

static int64_t now_ms(void)
{
    return lb_os_clock() / 1000000;
}

static void handle(int number)
{
    if (signal_number == 0) {
        first_ms = now_ms();
        signal_number = number;
    } else if (now_ms() - first_ms > SAME_REQUEST_MS) {
        struct sigaction kill = {.sa_handler = SIG_DFL};
        sigaction(number, &kill, NULL);
        raise(number);
    }
}

static void set_handlers(void (*handler)(int))
{
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

void lb_os_catch_interrupts(void)
{
    set_handlers(handle);
}

void lb_os_release_interrupts(void)
{
    set_handlers(SIG_DFL);
}

static const char *said;

/* The signal is raised again when the handler, which is then no longer set, returns. */
static void say_and_raise(int number)
{
    ssize_t written = write(STDERR_FILENO, said, strlen(said));
    (void)written; /* it kills all the same */
    raise(number);
}

void lb_os_say_on_interrupt(const char *text)
{
    const struct sigaction kill = {.sa_handler = SIG_DFL},
                           say = {.sa_handler = say_and_raise, .sa_flags = (int)SA_RESETHAND};
    if (text) said = text;
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction before;
        bool known = sigaction(caught[i], NULL, &before) == 0;
        if (known && before.sa_handler == (text ? SIG_DFL : say_and_raise))
            sigaction(caught[i], text ? &say : &kill, NULL);
    }
}

int lb_os_interrupted(void)
{
    return signal_number;
}
