/* The page of a report: the template that is built into the program, web/report/ in one file, with data in it. */
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include "common/pack.h"

/** Writes the page with two finished streams in place of its marks, @DATA@ and @BLOB@, as base64.
 *  Errors: those of lb_file_write_atomic; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_page_write(const char *path, const app_pack *data, const app_pack *blob,
                                     lb_error *error);

#endif
