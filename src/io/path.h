/* Paths of files and of their folders, and the names below them that we choose ourselves. */
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

/* ---- Names that we choose ourselves, below a folder that the user named. Somebody else may write there, too: a link
 * under such a name must not lead us to another file. ---- */

/** Opens the regular file `path`, with `flags` of open, without following a link; a new one gets all permissions that
 *  the umask leaves. The path to its folder may have links. Returns the descriptor, to be closed; -1 after an error.
 *  Errors: LB_ERROR_WRITE, which names the link, or has the reason of the system; this is LB_ERROR_OPEN with
 *  O_RDONLY. */
LB_MUST_USE int lb_own_open(const char *path, int flags, lb_error *error);

/** Refuses what would be read for ever: for a name that we chose where a link is followed, which must lead to a regular
 *  file. A missing file is no error.
 *  Errors: LB_ERROR_OPEN. */
LB_MUST_USE lb_status lb_own_check_content(const char *path, lb_error *error);

/** Refuses a link before the work whose result shall be written there. `expected` is "a file" or "a folder".
 *  Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_own_check(const char *path, const char *expected, lb_error *error);

#endif
