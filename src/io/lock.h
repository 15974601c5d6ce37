/* A folder for one process alone. */
#ifndef LB_LOCK_H
#define LB_LOCK_H

#include "lookback/base.h"

/** A lock on a folder. */
typedef struct lb_lock lb_lock;

/** Locks the folder until lb_lock_free, or until the process ends in whatever way. The lock is on the file .lock in it,
 *  which has the number of the process.
 *  Errors: LB_ERROR_BUSY with the number of the process that has it; LB_ERROR_WRITE, also for a link; LB_ERROR_MEMORY.
 *          A file system without locks is no error: there, nothing is locked. */
LB_MUST_USE lb_status lb_lock_folder(const char *folder, lb_lock **lock, lb_error *error);

/** Unlocks the folder and removes the file. NULL is allowed. */
void lb_lock_free(lb_lock *lock);

#endif
