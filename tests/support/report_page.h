/* What is in the page of a report. */
#ifndef SUPPORT_REPORT_PAGE_H
#define SUPPORT_REPORT_PAGE_H

#include <cJSON.h>
#include <stddef.h>

/** A page: its data, its weights, and its size. */
typedef struct support_page {
    cJSON *data;
    unsigned char *blob;
    size_t blob_size, bytes;
} support_page;

/** Opens a page of the test's folder. Fails the test if it has no data. */
support_page support_open_page(const char *name);
void support_close_page(support_page *p);

/** The inflated content of an element; its NUL is not counted. Memory: the caller's, to be given to free. */
unsigned char *support_inflate_element(const char *html, const char *id, size_t *size);

/** The value at a path such as "pairs.0.outputs.1.score". Fails the test if there is none, or no number there. */
const cJSON *support_at(const cJSON *json, const char *path);
double support_number(const cJSON *json, const char *path);
int support_count(const cJSON *json, const char *path);

/** The symbols of a list of ids, joined into `text`. */
char *support_page_text(const support_page *p, const cJSON *ids, const char *between, char text[1024]);

#endif
