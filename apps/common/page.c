#include "common/page.h"

#include "base/alloc.h"
#include "base/base64.h"
#include "io/file.h"

#include <assert.h>
#include <string.h>

extern const char app_page_template[]; /* page_template.S; ends with a NUL */

enum { MARK = 6 };

/* The place of a mark, which the template has exactly once. */
static const char *find(const char *mark)
{
    const char *at = strstr(app_page_template, mark);
    assert(at != NULL);
    return at;
}

static char *encode(const app_pack *pack)
{
    char *text = lb_alloc(lb_base64_length(pack->count) + 1);
    if (text) lb_base64_encode(pack->bytes, pack->count, text);
    return text;
}

static lb_bytes between(const char *begin, const char *end)
{
    return (lb_bytes){begin, (size_t)(end - begin)};
}

lb_status app_page_write(const char *path, const app_pack *data, const app_pack *blob, lb_error *error)
{
    const char *data_mark = find("@DATA@"), *blob_mark = find("@BLOB@");
    char *texts[] = {encode(data), encode(blob)};
    const lb_bytes parts[] = {between(app_page_template, data_mark),
                              {texts[0], lb_base64_length(data->count)},
                              between(data_mark + MARK, blob_mark),
                              {texts[1], lb_base64_length(blob->count)},
                              between(blob_mark + MARK, blob_mark + strlen(blob_mark))};
    lb_status status = texts[0] && texts[1]
                           ? lb_file_write_parts(path, parts, 5, error)
                           : lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the report");
    lb_release(texts[0]);
    lb_release(texts[1]);
    return status;
}
