#include "console/threads.h"

#include <stdlib.h>
#include <unistd.h>

/* GCC's runtime counts iterations of the waiting loop, LLVM's counts milliseconds. */
static const char *const settings[][2] = {{"GOMP_SPINCOUNT", "10000"}, {"KMP_BLOCKTIME", "0"}};

enum { SETTINGS = sizeof settings / sizeof *settings };

bool app_choose_threads(void)
{
    if (getenv("OMP_WAIT_POLICY")) return false;
    for (int i = 0; i < SETTINGS; i++)
        if (getenv(settings[i][0])) return false;
    for (int i = 0; i < SETTINGS; i++)
        if (setenv(settings[i][0], settings[i][1], 1) != 0) return false;
    return true;
}

void app_settle_threads(char **argv)
{
    if (app_choose_threads()) execv("/proc/self/exe", argv);
    /* Without /proc, the program continues unchanged. */
}
