/* What programs alone need of the operating system: the terminal, requests to stop, processes side by side, libraries
 * that are loaded, and limits. No library links these sources. os.h says how errors are told. */
#ifndef LB_OS_PROGRAM_H
#define LB_OS_PROGRAM_H

#include "os/os.h"

#include <stdio.h>

/* ---- The terminal, and Ctrl-C, SIGTERM and SIGUSR1 as a request to stop, in signals.c. ---- */

bool lb_os_is_terminal(FILE *stream);

/** The columns of a terminal; 0: it does not say. */
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

/** Whether a signal has been recorded. */
bool lb_os_interrupted(void);

/** The exit status of a program is this plus the number of the signal that ended it. */
enum { LB_OS_KILLED_BY = 128 };

/** That of an interrupted program. */
int lb_os_interrupt_status(void);

/* ---- Processes, in processes.c. ---- */

/** A process that this one has started, and a pipe with what it writes to standard output and standard error. */
typedef struct lb_os_child {
    int64_t number; /* 0: none */
    lb_os_handle said, asked;
} lb_os_child;

/** Starts a copy of this process, which ends with the exit status that run(context) returns. It does not outlive this
 *  process, even if that is killed: it is asked to end. Where no process can be copied, this program starts again with
 *  the same arguments, as the copy of this number from 1 on. */
bool lb_os_start(lb_os_child *child, int number, int (*run)(void *context), void *context);

/** The number of the copy that this program has been started as, which then has to come to the same `run`; 0: it is
 *  none. */
int lb_os_copy(void);

/** Reads what it has written since, without waiting, and returns how many bytes; 0 or less: nothing more. */
int64_t lb_os_hear(const lb_os_child *child, void *bytes, size_t room);

/** Whether it has ended, and its exit status. It is then to be heard
 *  for the last time, and its pipe to be closed. */
bool lb_os_has_ended(const lb_os_child *child, int *status);

/** Asks it to end. */
void lb_os_stop(const lb_os_child *child);

void lb_os_pause(int milliseconds);

/** Sets a variable of the environment; NULL removes it. */
bool lb_os_set_variable(const char *name, const char *value);

/** Starts this program again in its place, with the present environment. Returns if that is not possible. */
void lb_os_restart(char **arguments);

/** The path of this program. */
bool lb_os_program_path(char path[LB_OS_PATH]);

/** Makes a folder of a new name in lb_os_temp_folder. `folder` receives its path. */
bool lb_os_make_temp_folder(char folder[LB_OS_PATH]);

/** The limits of this process: bytes of its stack, and files that it may have open. */
uint64_t lb_os_most_stack(void);
uint64_t lb_os_most_open_files(void);

/* ---- Libraries. ---- */

/** Loads a library, by its path or by a name that the loader finds, whose names the whole process sees. NULL: see
 *  lb_os_load_error. */
void *lb_os_load(const char *path);

/** Sets `function`, a pointer to a function, to the one of this name. */
bool lb_os_find_function(void *library, const char *name, void *function);

/** Why the last of these two has failed; NULL: it has not. */
const char *lb_os_load_error(void);

#endif
