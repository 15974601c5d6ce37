/* Files on a command line. */
#ifndef APP_OPTION_FILES_H
#define APP_OPTION_FILES_H

#include "common/options.h"

/** Whether each file to be written is another one than all that the command names, options and `count` operands. What
 *  is no regular file, such as /dev/null, can be named twice.
 *  Errors: LB_ERROR_ARGUMENT with both. */
LB_MUST_USE lb_status app_option_files_check(const app_program *program, int count, char *const *operands,
                                             lb_error *error);

#endif
