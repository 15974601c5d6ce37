/* Folders that are written into. */
#ifndef LB_FOLDER_H
#define LB_FOLDER_H

#include "lookback/base.h"

/** Creates the folder and its parents, and checks that it is writable, so that a program fails before its work.
 *  Errors: LB_ERROR_WRITE with the path and the reason of the system; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_folder_make(const char *folder, lb_error *error);

#endif
