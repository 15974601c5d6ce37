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
    const char *unit; /* what is counted; default "step" */
    int64_t first;    /* units done before this run, if the task is resumed */
    int64_t total;    /* 0: not known; there is then no bar and no time left */
    bool late;    /* for a command that says nothing else: only on a terminal, after a second, and erased */
    bool off;     /* nothing is shown: the terminal has something else */
    FILE *stream; /* default: standard error */
    double (*clock)(void); /* in seconds; default: the monotonic clock */
} app_progress_config;

typedef struct app_progress {
    app_progress_config config;
    bool terminal, utf8, colour, updated;
    bool due; /* a line of a log waits for the next step, since an evaluation may add to it */
    double start, counted, drawn; /* times: of the start, the last count, the last line that was due */
    int64_t done, drawn_done;
    char text[APP_PROGRESS_TEXT];
} app_progress;

/** Starts the clock; writes nothing yet. */
void app_progress_init(app_progress *progress, app_progress_config config);

/** Reports that `done` units are done, with further text such as "loss 0.1234  exact 0.912": fields, with two blanks
 *  between them. Call it as often as you like, again for the same unit if there is more to say about it. It writes ten
 *  times a second on a terminal, elsewhere after each tenth of the work or ten seconds, but at most once a second. A
 *  narrow terminal gets the time left, and as many of the first fields as it has room for. */
void app_progress_update(app_progress *progress, int64_t done, const char *format, ...) LB_PRINTF(3, 4);

/** Reports on a work of which only its units are known, one by one, as a bar that is `late`. Begin with a zero
 *  `progress`; `unit` must outlive it, and another one begins another bar. */
void app_progress_count(app_progress *progress, const char *unit, int64_t done, int64_t total);

/** Reports that the work goes on, though no further unit is done. An lb_stop_fn for an app_progress: returns false. */
bool app_progress_tick(void *progress);

/** Writes the final line with the total time, or erases one that is `late`. Does nothing if there was no update. */
void app_progress_end(app_progress *progress);

/** Units per second in this run; 0 before the first. */
double app_progress_rate(const app_progress *progress);

/** Writes a count in at most five characters: 999, 45.1k, 1.20M. Returns `text`. */
char *app_short_count(double count, char text[APP_SHORT]);

/** Writes a time as 0:12, 12:34 or 1:02:03. Returns `text`. */
char *app_short_time(double seconds, char text[APP_SHORT]);

#endif
