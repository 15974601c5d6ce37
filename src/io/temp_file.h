/* The new content of a file while it is written: a file without a name, or with one of its own, in the same folder. */
#ifndef LB_TEMP_FILE_H
#define LB_TEMP_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/** Opens one for the file `path` in the open folder `folder`, and removes what killed writers of `path` left behind:
 *  PATH.tmp with digits, the letters a to f and hyphens after it.
 *  Name:    `name`, `size` bytes, at least strlen(path) + LB_TEMP_SUFFIX; "" if it has none yet.
 *  Returns the descriptor, to be closed; -1 with errno set. */
int lb_temp_open(int folder, const char *path, mode_t mode, char *name, size_t size);

/** Gives it its name, if it has none yet. False with errno set. */
bool lb_temp_name(int fd, const char *path, char *name, size_t size);

/** Replaces `path` by it. False with errno set; then lb_temp_remove has to follow. */
bool lb_temp_rename(int fd, const char *path, char *name, size_t size);

/** Removes it. errno is kept. */
void lb_temp_remove(const char *name);

enum { LB_TEMP_SUFFIX = 64 };

#endif
