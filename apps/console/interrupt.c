#include "console/interrupt.h"

#include "base/progress.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* A program may get the same signal twice at once: timeout sends it to the process and to its group. */
enum { SAME_REQUEST_MS = 200, STATUS_OF_SIGNAL = 128 };

/* mpirun gives the ranks SIGUSR1 at once and lets them live; after SIGINT or SIGTERM it kills them within seconds. */
static const int caught[] = {SIGINT, SIGTERM, SIGUSR1};
enum { CAUGHT = sizeof caught / sizeof *caught };
static volatile sig_atomic_t signal_number;
static volatile int64_t first_ms;

static int64_t now_ms(void)
{
    return lb_clock() / 1000000;
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

void app_catch_interrupts(void)
{
    set_handlers(handle);
}

void app_release_interrupts(void)
{
    set_handlers(SIG_DFL);
}

/* The signal is raised again when the handler, which is then no longer set, returns. */
static void erase_and_raise(int number)
{
    static const char erase[] = APP_ERASE_LINE;
    ssize_t written = write(STDERR_FILENO, erase, sizeof erase - 1);
    (void)written; /* it kills all the same */
    raise(number);
}

void app_erase_on_interrupt(bool erase)
{
    const struct sigaction kill = {.sa_handler = SIG_DFL},
                           clean = {.sa_handler = erase_and_raise, .sa_flags = (int)SA_RESETHAND};
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction before;
        bool known = sigaction(caught[i], NULL, &before) == 0;
        if (known && before.sa_handler == (erase ? SIG_DFL : erase_and_raise))
            sigaction(caught[i], erase ? &clean : &kill, NULL);
    }
}

bool app_interrupted(void *context)
{
    (void)context;
    return signal_number != 0;
}

int app_interrupt_status(void)
{
    return STATUS_OF_SIGNAL + (signal_number ? signal_number : SIGINT);
}
