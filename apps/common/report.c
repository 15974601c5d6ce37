#include "common/report.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *program = "lookback";

void app_start(const char *name)
{
    program = name;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void app_note(const char *format, ...)
{
    /* Standard error has no buffer: put together first, the line stays whole beside those of other programs. */
    char line[2 * LB_ERROR_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* What a message quotes may come from a broken file: it shall neither end the line nor steer the terminal. */
    for (char *letter = line; *letter; letter++) {
        if (iscntrl((unsigned char)*letter)) *letter = '?';
    }
    fprintf(stderr, "%s: %s\n", program, line);
}

int app_fail(const lb_error *error)
{
    app_note("%s", error->message[0] ? error->message : lb_status_text(error->status));
    return lb_status_exit(error->status);
}

int app_close_stdout(int status)
{
    errno = 0;
    int lost = ferror(stdout) || fflush(stdout);
    int reason = errno;
    /* Standard output may never have been open (>&-); that matters only to those who wrote. */
    if (fclose(stdout) && !lost && errno != EBADF) {
        lost = 1;
        reason = errno;
    }
    if (!lost || status) return status;
    if (reason != EPIPE) {
        app_note("cannot write standard output%s%s", reason ? ": " : "", reason ? strerror(reason) : "");
    }
    return lb_status_exit(LB_ERROR_WRITE);
}
