/* The progress of a long task: on a terminal a bar that is redrawn in place; elsewhere, as in a log file, a plain line
 * now and then. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <lookback/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { APP_PROGRESS_TEXT = 160, APP_PROGRESS_LINE = 512, APP_SHORT = 24 };

/** What to report on. Zero means the default. */
typedef struct app_progress_config {
    const char *unit;      /* what is counted; default "step" */
    int64_t first;         /* units done before this run, if the task is resumed */
    int64_t total;         /* 0: not known; there is then no bar and no time left */
    FILE *stream;          /* default: standard error */
    double (*clock)(void); /* in seconds; default: the monotonic clock */
} app_progress_config;

typedef struct app_progress {
    app_progress_config config;
    bool terminal, utf8, colour, updated;
    double start, drawn; /* the time at the start and when the last line was written */
    int64_t done, drawn_done;
    char text[APP_PROGRESS_TEXT];
} app_progress;

/** Starts the clock; writes nothing yet. */
void app_progress_init(app_progress *progress, app_progress_config config);

/** Reports that `done` units are done, with further text such as "loss 0.1234  exact 0.912".
 *  Call it as often as you like: it writes ten times a second on a terminal, elsewhere after each tenth of the work or
 *  ten seconds, but at most once a second. */
void app_progress_update(app_progress *progress, int64_t done, const char *format, ...) LB_PRINTF(3, 4);

/** Writes the final line with the total time. Does nothing if there was no update. */
void app_progress_end(app_progress *progress);

/** Units per second in this run; 0 before the first. */
double app_progress_rate(const app_progress *progress);

/** Writes a count in at most five characters: 999, 45.1k, 1.20M. Returns `text`. */
char *app_short_count(double count, char text[APP_SHORT]);

/** Writes a time as 0:12, 12:34 or 1:02:03. Returns `text`. */
char *app_short_time(double seconds, char text[APP_SHORT]);

#endif
