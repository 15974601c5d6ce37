#include "support/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKS_A_SECOND = 1000 };

int support_hang_seconds = 900;

/* Before ctest ends the test, which could not say what it waited for. */
__attribute__((constructor)) static void wait_less_than_ctest(void)
{
    const char *limit = getenv("LOOKBACK_TEST_SECONDS");
    int seconds = limit ? atoi(limit) * 2 / 3 : 0;
    if (seconds > 0 && seconds < support_hang_seconds) support_hang_seconds = seconds;
}

bool support_wait_until(bool (*state)(void *context), void *context, const char *what)
{
    const struct timespec pause = {.tv_nsec = 1000000000 / LOOKS_A_SECOND};
    for (int look = 0; look < support_hang_seconds * LOOKS_A_SECOND; look++) {
        if (state(context)) return true;
        nanosleep(&pause, NULL);
    }
    fprintf(stderr, "a hang: waited %d s for %s\n", support_hang_seconds, what);
    return false;
}

/* "PID (NAME) STATE ..." */
static bool is_asleep(void *context)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)*(pid_t *)context);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] && end[2] == 'S';
}

bool support_wait_until_asleep(pid_t process)
{
    return support_wait_until(is_asleep, &process, "a process to sleep");
}
