/* A dialogue with a program that answers while it reads. */
#ifndef SUPPORT_TALK_H
#define SUPPORT_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SUPPORT_ANSWER = 256 };

/** A program with a pipe to either side. */
typedef struct support_talk {
    pid_t child;
    int input, output;
    char answer[SUPPORT_ANSWER];
} support_talk;

/** Starts the program. False if that cannot be done. */
bool support_talk_begin(const char *const argv[], support_talk *talk);

/** Says a text, NULL: that this was all, and returns what is heard until it has `length` bytes or for half a minute
 *  nothing comes. Memory: the talk's, until the next call. */
const char *support_say(support_talk *talk, const char *text, size_t length);

/** Hangs up. Returns the exit status of the program, -1 if it had none. */
int support_talk_end(support_talk *talk);

#endif
