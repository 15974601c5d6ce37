/* Puts each pair of a JSON array or dictionary, as json.dump writes it, on a line, for the reader of JSON lines. */
#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "data/formats/pair_file.h"
#include "io/file.h"
#include "io/json.h"
#include "io/path.h"
#include "io/scratch_file.h"

#include <string.h>

enum { MOST = 1 << 28, LOOKED_AT = 1 << 16, MARK = 3 /* bytes */, MANY = 4, FEW = 20 };

/* The elements of a value, each a pair; NULL: it is none, such as a single object. An object in one line is a
 * dictionary if it has many texts; few members with two names of columns are a pair. */
static const cJSON *elements_of(const cJSON *value, bool line, const lb_pair_columns *usual, bool *keyed)
{
    const cJSON *item, *list = NULL;
    int named = 0, count = cJSON_GetArraySize(value);
    const cJSON *first = value->child;
    *keyed = false;
    if (!first) return NULL;
    if (cJSON_IsArray(value)) return cJSON_IsObject(first) || cJSON_IsArray(first) ? first : NULL;
    cJSON_ArrayForEach(item, value)
    {
        named += lb_is_usual_name(usual, lb_span_of(item->string));
        if (!list && cJSON_IsArray(item) && (cJSON_IsObject(item->child) || cJSON_IsArray(item->child)))
            list = item->child;
    }
    if ((named > 1 && count < FEW) || list) return list;
    *keyed = !cJSON_IsObject(first);
    return *keyed && (count < 2 || (line && count < MANY)) ? NULL : first;
}

static lb_status write_elements(const cJSON *item, bool keyed, lb_os_handle to, const char *name,
                                lb_error *error)
{
    size_t room = LB_COPY_MOST;
    lb_status status = LB_OK;
    for (; item && !status; item = item->next) {
        lb_buffer line = {0};
        if (keyed) {
            lb_buffer_print(&line, "[");
            lb_buffer_json_string(&line, item->string);
        }
        lb_json_add(&line, NULL, item);
        lb_buffer_print(&line, keyed ? "]\n" : "\n");
        status = line.failed ? lb_out_of_memory_for(name, error)
                             : lb_copy_add(to, &room, name, line.text, line.length, error);
        lb_release(line.text);
    }
    if (!status && !lb_os_go(to, 0)) status = lb_cannot_copy(name, error);
    return status;
}

/* Whether text may be such a value: not if it is a line of text or, as in JSON lines, its first line is a value. */
static bool may_be_value(lb_span text)
{
    static const char blanks[] = " \n\r\t";
    cJSON *first = NULL;
    text = lb_span_trim(text, blanks);
    const char *stop = memchr(text.text, '\n', text.length), *second = text.text + 1;
    while (second < text.text + text.length && strchr(blanks, *second)) second++;
    bool object = text.length > 1 && *text.text == '{' && *second == '"',
         list = text.length > 1 && *text.text == '[' && strchr("{[", *second);
    if (!object && !list) return false;
    bool line = stop && lb_json_parse(text.text, (size_t)(stop - text.text), NULL, &first) == LB_OK;
    cJSON_Delete(first);
    return !line;
}

/* The value that a file is, and whether that is in one line; NULL: it is none, or too large for memory. */
static lb_status read_value(lb_os_handle handle, cJSON **value, bool *line, lb_error *error)
{
    lb_os_info info;
    size_t mark = 0;
    const int64_t begin = lb_os_place(handle);
    if (!lb_os_info_of(handle, &info) || begin < 0 || info.bytes <= begin || info.bytes > MOST) return LB_OK;
    char *bytes = lb_alloc(LOOKED_AT);
    if (!bytes) return lb_no_memory(error, "the first lines");
    int64_t count = lb_os_read_all(handle, bytes, LOOKED_AT);
    mark = count > MARK && memcmp(bytes, "\xEF\xBB\xBF", MARK) == 0 ? MARK : 0;
    bool may = count >= 0 && may_be_value((lb_span){bytes + mark, (size_t)count - mark});
    lb_release(bytes);
    if (!lb_os_go(handle, begin) || !may) return LB_OK;
    bytes = lb_alloc((size_t)info.bytes);
    if (!bytes) return lb_no_memory(error, "a JSON value");
    lb_status status = LB_OK;
    count = lb_os_read_all(handle, bytes, (size_t)info.bytes);
    if (count >= 0) status = lb_json_parse(bytes + mark, (size_t)count - mark, NULL, value);
    while (count > 0 && strchr(" \r\n", bytes[count - 1])) count--;
    *line = count > 0 && !memchr(bytes, '\n', (size_t)count);
    lb_release(bytes);
    (void)lb_os_go(handle, begin);
    return status == LB_ERROR_MEMORY ? lb_no_memory(error, "a JSON value") : LB_OK;
}

lb_status lb_json_unpack(lb_os_handle *handle, const char *name, lb_pair_format *format, lb_error *error)
{
    static const lb_pair_columns none = {0};
    bool line = false, keyed,
         may =
             !format->targets && (!format->kind || !*format->kind || lb_is_same_kind(format->kind, "jsonl"));
    cJSON *value = NULL;
    lb_status status = may ? read_value(*handle, &value, &line, error) : LB_OK;
    if (status) return status;
    const cJSON *first =
        value ? elements_of(value, line, format->usual ? format->usual : &none, &keyed) : NULL;
    lb_os_handle copy = {0};
    if (first) copy = lb_os_temp_file();
    if (first && !lb_os_is_open(copy)) status = lb_cannot_copy(name, error);
    if (first && !status) status = write_elements(first, keyed, copy, name, error);
    cJSON_Delete(value);
    if (!lb_os_is_open(copy)) return status;
    lb_os_drop(status ? &copy : handle);
    if (status) return status;
    *handle = copy;
    if (!format->kind || !*format->kind) format->kind = "jsonl";
    return LB_OK;
}
