/* Folders, and the names of what lies in them. */
#ifndef LB_FOLDER_H
#define LB_FOLDER_H

#include "lookback/base.h"

/** Makes the folder and its parents, and checks that it can be written to: better now than after the work.
 *  Errors: LB_ERROR_WRITE with the path and the system's reason; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_folder_make(const char *folder, lb_error *error);

/** "folder/name". Memory: a string, to be given to lb_release; NULL after an error. Errors: LB_ERROR_MEMORY. */
char *lb_folder_path(const char *folder, const char *name, lb_error *error);

#endif
