/* Stops a process at an event instead of at a time: at the n-th call of the system of some kind, it gets a signal, or
 * runs commands of a shell. support_command.stop plans it for a program, which preloads this file as a library. */
#ifndef SUPPORT_STOP_H
#define SUPPORT_STOP_H

#include <stdbool.h>
#include <stdint.h>

#define SUPPORT_STOP_LIBRARY TEST_BIN_DIR "/libsupport_stop.so"

/** Plans what this process does; NULL: nothing any more. The text is "CALL [END] N ACTION":
 *  CALL open (to write), write, fsync, linkat, ftruncate or rename of a file; file, for any of these; or clock, which
 *           a training reads a few times a step.
 *  END      only for a file whose path has this end; that of a rename is the new one. A file under way has no name.
 *  N        from 1.
 *  ACTION signals, such as INT, TERM TERM, or TERM LATER TERM with a second in between; ALL, which kills the whole
 *  group of processes; or sh COMMANDS, with the
 *           process as $PPID, which waits for them.
 *  It follows the call, but of a write only the first half is done, and it takes the rest for not written.
 *  A preloaded program counts only readings of the clock by the program itself, and each is a millisecond after the
 *  last: what depends on the time is the same in each run. */
void support_stop(const char *text);

/** The plan of a program that is not stopped, but whose clock shall be the same in each run. */
#define SUPPORT_TICKING "clock 1000000000 KILL"

/** Sets the clock of this process, CLOCK_MONOTONIC, forward. */
void support_advance_clock(int64_t ns);

/** Whether clock_gettime fails from now on, and leaves another time at each call. This is for all that is linked into
 *  the test program: also for Check, which asks for the time after the test. */
void support_fail_clock(bool fails);

#endif
