/* What programs alone need of the operating system: the terminal, requests to stop, processes side by side, limits, and
 * libraries that are loaded. No library links these sources. os.h says how a function fails. */
#ifndef LB_OS_PROGRAM_H
#define LB_OS_PROGRAM_H

#include "os/os.h"

#include <stdio.h>

/* ---- signals.c: the terminal, and Ctrl-C, SIGTERM and SIGUSR1 as a request to stop. ---- */

/** Whether a stream is a terminal, and its columns; 80 where nobody says how many. */
bool lb_os_is_terminal(FILE *stream);
int lb_os_columns(FILE *stream);

/** From now on, a write to a closed pipe, or beyond a file size limit, fails instead of killing the program. */
void lb_os_survive_failed_writes(void);

/** From now on, the first SIGINT, SIGTERM or SIGUSR1 is only recorded; the next one kills, as without a handler.
 *  Signals that were ignored at the start stay ignored. May be called again. */
void lb_os_catch_interrupts(void);

/** All of them kill again. A recorded signal stays recorded. */
void lb_os_release_interrupts(void);

/** From now on, a signal that kills also writes this text to standard error, if nothing else is done about that signal.
 *  It must outlive the program. NULL: no longer. */
void lb_os_say_on_interrupt(const char *text);

/** The number of the signal that has been recorded; 0: none. */
int lb_os_interrupted(void);
enum { LB_OS_CTRL_C = 2 };

/* ---- processes.c: processes, this one, and libraries. ---- */

/** The exit status of a process is this plus the number of the signal that has ended it. */
enum { LB_OS_ENDED_BY = 128 };

/** A process that this one has started, and a pipe with what it writes to standard output and standard error. */
typedef struct lb_os_child {
    int64_t number; /* 0: none */
    lb_os_handle said, asked;
} lb_os_child;

/** Starts a copy of this process, which ends with the exit status that run(context) returns. It does not outlive this
 *  process, even if that is killed: it is asked to end. Where no process can be copied, this program starts again with
 *  the same arguments, as the copy of this number, from 1 on. */
bool lb_os_start(lb_os_child *child, int number, int (*run)(void *context), void *context);

/** The number of the copy as which this program has been started, and which has to come to its `run`; 0: it is none. */
int lb_os_copy(void);

/** Reads what it has written since, without waiting. Returns how many bytes; 0 or less: nothing more. */
int64_t lb_os_hear(const lb_os_child *child, void *bytes, size_t room);

/** Whether it has ended, and its exit status. It is then to be heard for the last time, and its pipe to be closed. */
bool lb_os_has_ended(const lb_os_child *child, int *status);

/** Asks it to end. */
void lb_os_stop(const lb_os_child *child);

/** Starts this program again in its place, with the present environment. Returns if that is not possible. */
void lb_os_restart(char **arguments);

/** Sets a variable of the environment; NULL removes it. */
bool lb_os_set_variable(const char *name, const char *value);

/** The path of this program. */
bool lb_os_program_path(char path[LB_OS_PATH]);

/** Makes a folder of a new name in lb_os_temp_folder. */
bool lb_os_make_temp_folder(char folder[LB_OS_PATH]);

/** A limit of this process: the bytes of its stack, or the number of files that it may have open. */
typedef enum lb_os_limit { LB_OS_STACK, LB_OS_OPEN_FILES } lb_os_limit;
uint64_t lb_os_limit_of(lb_os_limit limit);

/** Loads a library, by its path or by a name that the loader finds, whose names the whole process sees; and sets
 *  `functions`, `count` pointers to functions, to those of these names. Returns NULL, or why it cannot. */
const char *lb_os_load(const char *path, const char *const *names, size_t count, void *functions);

#endif
