/* A folder for the files of a test. If it cannot be set up, the test program ends with a message. */
#ifndef SUPPORT_TEMPDIR_H
#define SUPPORT_TEMPDIR_H

#include <stddef.h>

enum { SUPPORT_PATH = 512 };

/* An empty folder for this process, in $TMPDIR or /tmp: the first call creates it, and the exit of the process removes
 * it with its contents. A failing test leaves it behind for inspection. Check runs each test in its own process, so
 * each test has its own folder. */
char *support_tempdir(void);

/* The path of a file `name` in that folder, which stays as long as the process. */
const char *support_path(const char *name);

/* The number of files and folders in that folder. */
size_t support_file_count(void);

/* The number of files in the folder whose paths match a pattern of glob, such as "out/model.*". */
size_t support_match_count(const char *pattern);

/* The number of the next file to be opened: the same as before, unless one was left open. */
int support_next_descriptor(void);

/* Writes a file without a temporary one. */
void support_write_file(const char *path, const void *bytes, size_t count);

/* The content of a file, followed by a NUL; to be freed. */
char *support_read_file(const char *path, size_t *count);

#endif
