/* Files on a command line. */
#ifndef APP_OPTION_FILES_H
#define APP_OPTION_FILES_H

#include "cli/option.h"

/** Checks that no file to be written is also named by another option or an operand, or is standard input. What is no
 *  regular file, such as /dev/null, can be named twice.
 *  Errors: LB_ERROR_ARGUMENT with both. */
LB_MUST_USE lb_status app_option_files_check(const app_option *options, int option_count,
                                             char *const *operands, int operand_count, lb_error *error);

#endif
