/* Folders that are written into: made, locked, and with files that are kept under another name. */
#ifndef LB_FOLDER_H
#define LB_FOLDER_H

#include "lookback/base.h"

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

/** Keeps the file `path`, model.safetensors, as model.old-1.safetensors as well; or -2 and so on: no such name is taken
 *  twice. It stays at `path`, too, where the file system has links. A file that has such a name already keeps that.
 *  Memory: `*kept` is the new path, released with lb_release; NULL if there is no such file, or after an error.
 *  Errors: LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_set_aside(const char *path, char **kept, lb_error *error);

#endif
