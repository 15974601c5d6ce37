/* Paths of files and of their folders, names that we choose ourselves, and folders that are written into. */
#ifndef LB_PATH_H
#define LB_PATH_H

#include "lookback/base.h"
#include "os/os.h"

#include <stdbool.h>

/** The folder of the file `path`, with its slash; "." for a name alone.
 *  Memory: release the string with lb_release; NULL if there is none. */
char *lb_folder_of(const char *path);

/** "folder/name". Memory: release the string with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
char *lb_folder_path(const char *folder, const char *name, lb_error *error);

/** "path: cannot read: why" as LB_ERROR_OPEN, which it returns, or "path: cannot write: why" as LB_ERROR_WRITE. */
lb_status lb_cannot_read(const char *path, const char *why, lb_error *error);
lb_status lb_cannot_write(const char *path, const char *why, lb_error *error);

/** "path: out of memory" as LB_ERROR_MEMORY, which it returns. */
lb_status lb_out_of_memory_for(const char *path, lb_error *error);

/** Passes an error on, prefixed with the file name unless it has it already: not every function knows its file. Returns
 *  the status. */
lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error);

/* ---- Names that we choose ourselves, below a folder that the user named. Somebody else may write there, too: a link
 * under such a name must not lead us to another file. ---- */

/** Opens the regular file `path`, as lb_os_open does, without following a link. The path to its folder may have links.
 *  Returns the handle, to be closed; none after an error.
 *  Errors: LB_ERROR_WRITE, which names the link, or has the reason of the system; this is LB_ERROR_OPEN without
 *  LB_OS_WRITE. */
LB_MUST_USE lb_os_handle lb_own_open(const char *path, int how, lb_error *error);

/** Refuses what would be read for ever: for a name that we chose where a link is followed, which must lead to a regular
 *  file. A missing file is no error.
 *  Errors: LB_ERROR_OPEN. */
LB_MUST_USE lb_status lb_own_check_content(const char *path, lb_error *error);

/** Refuses a link before the work whose result shall be written there. `expected` is "a file" or "a folder".
 *  Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_own_check(const char *path, const char *expected, lb_error *error);

/* ---- folder.c: folders that are written into, and files that are kept there under another name. ---- */

/** Creates the folder and its parents, and checks that it is writable, so that a program fails before its work.
 *  Errors: LB_ERROR_WRITE with the path and the reason of the system; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_folder_make(const char *folder, lb_error *error);

/** A lock on a folder. */
typedef struct lb_lock lb_lock;

/** Locks the folder until lb_lock_free, or until the process ends in whatever way. The lock is on the file .lock in it,
 *  which has the number of the process.
 *  Errors: LB_ERROR_BUSY with the number of the process that has it; LB_ERROR_WRITE, also for a link; LB_ERROR_MEMORY.
 *          A file system without locks is no error: there, nothing is locked. */
LB_MUST_USE lb_status lb_lock_folder(const char *folder, lb_lock **lock, lb_error *error);

/** Unlocks the folder and removes the file. NULL is allowed. */
void lb_lock_free(lb_lock *lock);

/** Leaves the lock to the process that this one has been forked from. */
void lb_lock_leave(const lb_lock *lock);

/** Keeps the file `path`, model.safetensors, as model.old-1.safetensors as well; or -2 and so on: no such name is taken
 *  twice. It stays at `path`, too, where the file system has links. A file that has such a name already keeps that.
 *  Memory: `*kept` is the new path, released with lb_release; NULL if there is no such file, or after an error.
 *  Errors: LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_set_aside(const char *path, char **kept, lb_error *error);

#endif
