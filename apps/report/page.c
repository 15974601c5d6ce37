/* Puts the data of a report into the template of its page. */
#include "report/data.h"

#include "base/bytes.h"

#include <assert.h>
#include <string.h>

enum { LONGEST_ENGINE = 1 << 26 };

extern const char app_page_template[]; /* page_template.S; ends with a NUL */

/* In the order of the template, which has each exactly once. */
enum { POLICY, DATA, BLOB, MODEL, ENGINE, MARKS, PARTS = 2 * MARKS + 1 };
static const char *const marks[MARKS] = {"@POLICY@", "@DATA@", "@BLOB@", "@MODEL@", "@ENGINE@"};

/* What the worker of the engine needs; a page without one may do neither. */
static const char engine_policy[] = " 'wasm-unsafe-eval'; worker-src blob:";

/* Memory: the caller's, `data` to be given to lb_release; NULL if memory runs out. */
static lb_bytes encode(const app_pack *pack)
{
    lb_bytes text = {NULL, lb_base64_length(pack->packed.length)};
    char *letters = lb_alloc(text.count + 1);
    if (letters) lb_base64_encode((const unsigned char *)pack->packed.text, pack->packed.length, letters);
    text.data = letters;
    return text;
}

static lb_status write_filled(const char *path, const lb_bytes filled[MARKS], lb_error *error)
{
    lb_bytes parts[PARTS];
    const char *rest = app_page_template;
    for (size_t i = 0; i < MARKS; i++) {
        const char *at = strstr(rest, marks[i]);
        assert(at != NULL);
        parts[2 * i] = (lb_bytes){rest, (size_t)(at - rest)};
        parts[2 * i + 1] = filled[i];
        rest = at + strlen(marks[i]);
    }
    parts[PARTS - 1] = (lb_bytes){rest, strlen(rest)};
    return lb_file_write_parts(path, parts, PARTS, error);
}

lb_status app_page_write(const char *path, const app_report_data *report, const app_pack *model,
                         lb_bytes engine, lb_error *error)
{
    lb_bytes filled[MARKS] = {[DATA] = encode(&report->data), [BLOB] = encode(&report->blob)};
    if (model) {
        filled[POLICY] = (lb_bytes){engine_policy, sizeof engine_policy - 1};
        filled[MODEL] = encode(model);
        filled[ENGINE] = engine;
    }
    bool complete = filled[DATA].data && filled[BLOB].data && (!model || filled[MODEL].data);
    lb_status status = complete ? write_filled(path, filled, error) : app_report_no_memory(error);
    for (int i = DATA; i <= MODEL; i++) lb_release((void *)filled[i].data);
    return status;
}

lb_status app_page_engine_read(const char *path, void **html, size_t *count, lb_error *error)
{
    static const char start[] = "<script type=\"text/plain\" id=\"wasm\"";
    lb_status status = lb_file_read(path, LONGEST_ENGINE, html, count, error);
    if (status || (*count >= sizeof start && memcmp(*html, start, sizeof start - 1) == 0)) return status;
    lb_release(*html);
    *html = NULL;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: not the engine of a page; expected build/playground/engine.html, "
                        "built by ./run playground",
                        path);
}
