/* What the targets of fuzzing share. Each fuzz_NAME.c defines LLVMFuzzerTestOneInput, which gives bytes to one reader
 * of files or texts. libFuzzer calls it with inputs that it makes up, and replay.c with those of the corpus. */
#ifndef FUZZ_H
#define FUZZ_H

#include "lookback/base.h"

#include <stddef.h>
#include <stdint.h>

/** Tries one input; returns 0. A finding ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The path of a file with these bytes. It exists only in memory, and only until the next call. */
const char *fuzz_file(const void *data, size_t size);

/** Writes a file with these bytes to a folder of this process, which its end removes. Returns the path of the
 *  folder. */
const char *fuzz_folder(const char *name, const void *data, size_t size);

/** A copy of the bytes with a zero byte after them, to be freed with free. */
char *fuzz_text(const uint8_t *data, size_t size);

/** The first byte, and `*data` and `*size` then begin after it; 0 if there is none. */
uint8_t fuzz_byte(const uint8_t **data, size_t *size);

/** Ends the process, as a crash does. `promise` is what does not hold. */
_Noreturn void fuzz_fail(const char *promise);

/** Calls fuzz_fail unless `holds`. */
static inline void fuzz_require(bool holds, const char *promise)
{
    if (!holds) fuzz_fail(promise);
}

/** Requires what every reader promises: without a result an error with a message, and with one no error. */
void fuzz_require_told(bool opened, const lb_error *error);

#endif
