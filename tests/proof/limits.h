/* The limits of a trial in a child: a second of processor time, whose excess ends the child by SIGPROF, and memory. */
#ifndef PROOF_LIMITS_H
#define PROOF_LIMITS_H

#include <stddef.h>

/** Makes the library count its memory. Call it in the child, before it uses the library. */
void proof_watch_memory(void);

/** Starts a trial. Until its end, the memory of cJSON is counted, too. */
void proof_limits_begin(void);

/** Ends it. Returns the most memory that the library had at once during the trial, in bytes. */
size_t proof_limits_end(void);

#endif
