/* Paths of files and of their folders. */
#ifndef LB_PATH_H
#define LB_PATH_H

#include "lookback/base.h"

/** The folder of the file `path`, with its slash; "." for a name alone.
 *  Memory: release the string with lb_release; NULL if there is none. */
char *lb_folder_of(const char *path);

/** "folder/name". Memory: release the string with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
char *lb_folder_path(const char *folder, const char *name, lb_error *error);

/** "path: cannot read: why" as LB_ERROR_OPEN, which it returns, or "path: cannot write: why" as LB_ERROR_WRITE. */
lb_status lb_cannot_read(const char *path, const char *why, lb_error *error);
lb_status lb_cannot_write(const char *path, const char *why, lb_error *error);

/** Passes an error on, prefixed with the file name unless it has it already: not every function knows its file. Returns
 *  the status. */
lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error);

#endif
