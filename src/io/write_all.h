/* A system call may write a part of the bytes only. */
#ifndef LB_WRITE_ALL_H
#define LB_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>

/** Writes `count` bytes to an open file, in as few calls as the system allows, and again after a signal. Returns false
 *  with errno set if that fails; a part may then have been written. */
bool lb_write_all(int fd, const void *bytes, size_t count);

#endif
