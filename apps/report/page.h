/* The page of a report: the template that is built into the program, web/report/ in one file, with data in it. */
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include "io/file.h"
#include "report/pack.h"

/** What goes into the page. */
typedef struct app_page {
    const app_pack *data, *blob; /* finished streams */
    const app_pack *model;       /* NULL: none, and then no engine either */
    lb_bytes engine;             /* the HTML of app_page_engine_read */
} app_page;

/** Writes the page with the streams as base64. Errors: those of lb_file_write_parts; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_page_write(const char *path, const app_page *page, lb_error *error);

/** Reads the engine of a page: the library as WebAssembly, of `./run playground`.
 *  Memory: `*html` is the caller's, to be given to lb_release; NULL after an error.
 *  Errors: LB_ERROR_FORMAT if the file is something else; those of lb_file_read. */
LB_MUST_USE lb_status app_page_engine_read(const char *path, void **html, size_t *count, lb_error *error);

#endif
