/* Files and folders whose names are ours, below a folder that the user named. Somebody else may write there, too: a
 * link under such a name must not lead us to another file. */
#ifndef LB_OWN_FILE_H
#define LB_OWN_FILE_H

#include "lookback/base.h"

/** Opens the regular file `path`, with `flags` of open, without following a link; a new one gets all permissions that
 *  the umask leaves. The path to its folder may have links. Returns the descriptor, to be closed; -1 after an error.
 *  Errors: LB_ERROR_WRITE, which names the link, or has the reason of the system; this is LB_ERROR_OPEN with
 *  O_RDONLY. */
LB_MUST_USE int lb_own_open(const char *path, int flags, lb_error *error);

/** Refuses what would be read for ever: for a name of ours where a link is followed, which must lead to a regular file.
 *  What is not there is no error.
 *  Errors: LB_ERROR_OPEN. */
LB_MUST_USE lb_status lb_own_check_content(const char *path, lb_error *error);

/** Refuses a link before the work whose result shall be written there. `expected` is "a file" or "a folder".
 *  Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_own_check(const char *path, const char *expected, lb_error *error);

#endif
