/* An interactive dialogue with a program. */
#ifndef SUPPORT_TALK_H
#define SUPPORT_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SUPPORT_ANSWER = 256 };

/** A program with pipes for input and output. */
typedef struct support_talk {
    pid_t child;
    int input, output;
    char answer[SUPPORT_ANSWER];
} support_talk;

/** Starts the program. False if that cannot be done. */
bool support_talk_begin(const char *const argv[], support_talk *talk);

/** Sends a text (NULL: the end of the input), and returns the output once it has `length` bytes, or
 *  what there is of it if the program ends or hangs. Memory: owned by `talk`, until the next call. */
const char *support_say(support_talk *talk, const char *text, size_t length);

/** Closes the pipes. Returns the exit status of the program; -1 if it has none. */
int support_talk_end(support_talk *talk);

#endif
