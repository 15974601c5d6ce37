/* Folders, and the paths of files in them. */
#ifndef LB_FOLDER_H
#define LB_FOLDER_H

#include "lookback/base.h"

/** Creates the folder and its parents, and checks that it is writable, so that a program fails before its work.
 *  Errors: LB_ERROR_WRITE with the path and the reason of the system; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_folder_make(const char *folder, lb_error *error);

/** The folder of the file `path`, with its slash; "." for a name alone.
 *  Memory: release the string with lb_release; NULL if there is none. */
char *lb_folder_of(const char *path);

/** "folder/name". Memory: release the string with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
char *lb_folder_path(const char *folder, const char *name, lb_error *error);

#endif
