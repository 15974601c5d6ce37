/* Output and exit of the programs: results on standard output, one clear line per problem on standard error, requests
 * to stop, an exit status that tells a script what went wrong, progress, and the ranks of mpirun. */
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include "os/program.h"

#include <lookback/plot.h>
#include <lookback/train.h>

#include <stdio.h>

/** Sets the name that begins each message. Makes a write to a closed pipe, or beyond a file size limit, fail instead of
 *  killing the program: a training whose reader is gone still saves its model. `app_options` calls this. `name` must
 *  outlive the program. */
void app_start(const char *name);

/** Sets the name by which the user called the program, such as "lookback train". It replaces the name given to
 *  app_start. `name` must outlive the program. */
void app_called_as(const char *name);

/** The name by which the user called the program; `name` if app_called_as has not set one. */
const char *app_name(const char *name);

/** Whether notes, app_show and progress are off. Warnings and errors are always printed. */
extern bool app_quiet;

/** Prints "program: message" on standard error: what happens, with nothing wrong. */
void app_note(const char *format, ...) LB_PRINTF(1, 2);

/** The same for what may be wrong with the command, the data or the result. Each line is added to app_warnings, for a
 *  result that is read without the terminal; NULL: nobody keeps them. */
void app_warn(const char *format, ...) LB_PRINTF(1, 2);
extern struct lb_strings *app_warnings;

/** Prints lines of text on standard error, without the program's name: for text too long for a note. */
void app_show(const char *text);

/** Whether standard output is a terminal. */
bool app_prints_on_terminal(void);

/** Prints a result, of any length, on standard output. It may have come from a stranger's file, and must not control a
 *  terminal: there, bytes of characters that are not printable become \x1b, but for line ends and tabs. A file or a
 *  pipe gets the text as it is. */
void app_put(const char *text);

/** Prints text as app_put does on a terminal, wherever it goes, but for the bytes of `kept`. */
void app_put_visible(const char *text, const char *kept);

/** As app_put, for text with a format. */
void app_print(const char *format, ...) LB_PRINTF(1, 2);

/** The bytes of the character at `text`, if it is printable: valid UTF-8, not a line end, a control character, or one
 *  that turns the direction of the text around. Otherwise 0. */
size_t app_visible(const char *text);

/** Flushes standard output, for a program that answers while it runs. Returns false if that fails: the program should
 *  then stop, and app_close_stdout reports why. */
LB_MUST_USE bool app_flush_stdout(void);

/** Closes standard output, as the last step of a main. Returns `status`, or 74 if that is 0 and some output was lost.
 *  Reports lost output, unless the reader of a pipe has just closed it. */
int app_close_stdout(int status);

/* ---- Files that are written. ---- */

enum { APP_PATH = 4096 };

/** Writes "folder/name" into `path` and returns it. */
char *app_path(const char *folder, const char *name, char path[APP_PATH]);

/* ---- pictures.c. A program without figures (figures/not_drawn.c) says so. ---- */

/** Checks that the picture's name, given as `option`, ends in .png, .svg or .pdf. Other formats are not supported, and
 *  this keeps users from overwriting other files by accident. Errors: LB_ERROR_ARGUMENT, also without figures. */
LB_MUST_USE lb_status app_check_picture(const char *option, const char *output, lb_error *error);

enum { APP_CHARTS = 2 };

/** Draws up to APP_CHARTS charts side by side into a file that the user named. */
LB_MUST_USE lb_status app_save_charts(const lb_chart *charts, int count, const char *path, lb_error *error);

/** lb_chart_save in a folder that the user named, under a name of ours: a link there is an error. Without figures it
 *  does nothing. */
LB_MUST_USE lb_status app_save_chart(const lb_chart *chart, const char *path, lb_error *error);

/* ---- The line of a terminal that is redrawn in place, as a bar is. Other output erases it first. ---- */

/** The terminal whose last line is such a line; NULL: there is none. */
extern FILE *app_redrawn;

/** Erases it, if there is one. */
void app_erase_redrawn_line(void);

/** Erases the line of the cursor on a terminal. */
#define APP_ERASE_LINE "\r\033[K"

/** lb_os_interrupted as an lb_stop_fn: the context is not used. */
bool app_interrupted(void *context);

/* ---- ranks.c: the ranks of mpirun that run this program together. Without mpirun there are none, and MPI is not even
 * loaded. ---- */

/** Prints the error with `app_warn`, in one of several ranks. Returns the exit status. */
int app_fail(const lb_error *error);

/** Joins the other ranks, if mpirun or srun has started several; `*group` is NULL if not. app_options calls it, once.
 *  Errors: LB_ERROR_OPEN if mpirun has started us and lookback_mpi cannot be loaded; those of lb_mpi_open;
 *          LB_ERROR_ARGUMENT on all ranks if one of them runs another command. */
LB_MUST_USE lb_status app_ranks_join(const lb_group **group, const char *command, lb_error *error);

/** Makes a process that this one has forked a program of its own, which is no rank. */
void app_ranks_forget(void);

/** As lb_set_threads; 0 shares the processors of a node among its ranks. */
void app_ranks_set_threads(int threads);

/** Leaves the other ranks, before the program ends. If this one has failed alone, all end: they would wait for it
 *  forever. Returns the exit status: `status`, but 0 where the first rank fails, too, whose status mpirun then
 *  reports. */
int app_ranks_leave(int status);

/* ---- How threads wait for each other. ---- */

/** Makes waiting threads sleep after about 100 microseconds; by default, OpenMP runtimes spin for milliseconds. On a
 *  shared machine, a spinning thread occupies the processor that the thread it waits for needs, and a training step
 *  takes ten times as long. The runtimes read this setting from the environment when they are loaded, so the program
 *  restarts itself once, unless app_choose_threads came before. Does nothing if the user has set OMP_WAIT_POLICY or the
 *  runtime's own variable. Call it before anything else. */
void app_let_threads_sleep(char **argv);

/** Sets the environment for this, where the user has not. Returns whether it has changed. For runtimes that are not
 *  loaded yet. */
bool app_choose_threads(void);

/* ---- progress.c: the progress of a long task: on a terminal a bar that is redrawn in place; elsewhere, as in a log
 * file, a plain line now and then. ---- */

enum { APP_PROGRESS_TEXT = 160, APP_PROGRESS_LINE = 512, APP_SHORT = 24, APP_MEASURED = 32 };

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

/** Writes a measure with `digits` decimals; "-" for NaN, which was not measured. Returns `text`. */
char *app_measured(double measure, int digits, char text[APP_MEASURED]);

#endif
