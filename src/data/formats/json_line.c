/* Divides a line of JSON into fields, for the table of formats. */
#include "data/formats/pair_kind.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>

static bool is_text(const cJSON *value)
{
    return cJSON_IsString(value) || cJSON_IsNumber(value);
}

/* A text, or several: the right answers. Null may be a text in other lines. */
static bool is_value(const cJSON *value)
{
    const cJSON *item;
    if (!cJSON_IsArray(value) || !value->child) return is_text(value) || cJSON_IsNull(value);
    cJSON_ArrayForEach(item, value)
    {
        if (!is_text(item) && !cJSON_IsNull(item)) return false;
    }
    return true;
}

/* The members of an object and, of the outer one, those of the objects in it. */
static void list_keys(const cJSON *object, bool outer, lb_fields *keys)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        if (is_value(item)) lb_fields_add(keys, lb_span_of(item->string));
        if (outer && cJSON_IsObject(item)) list_keys(item, false, keys);
    }
}

/* The first of these members with this name. */
static const cJSON *find_value(const cJSON *object, bool outer, lb_span key)
{
    const cJSON *item, *found = NULL;
    cJSON_ArrayForEach(item, object)
    {
        if (lb_span_is(key, item->string)) return item;
        if (outer && cJSON_IsObject(item)) found = find_value(item, false, key);
        if (found) return found;
    }
    return NULL;
}

/* The name of a value that is no text. */
static const char *name_of(const cJSON *value)
{
    if (cJSON_IsBool(value)) return cJSON_IsTrue(value) ? "true" : "false";
    if (cJSON_IsArray(value)) return value->child ? "a list" : "an empty list";
    return cJSON_IsObject(value) ? "an object" : "null";
}

static void add_text(lb_fields *fields, const cJSON *value)
{
    if (cJSON_IsString(value))
        lb_buffer_print(&fields->text, "%s", value->valuestring);
    else if (cJSON_IsNumber(value))
        lb_buffer_json_number(&fields->text, value->valuedouble, 17);
    else
        lb_buffer_print(&fields->text, "%c%s", LB_FIELDS_NOT, name_of(value));
}

static void add_value(lb_fields *fields, const cJSON *value)
{
    static const char or = LB_FIELDS_OR;
    const cJSON *item;
    if (cJSON_IsArray(value) && value->child) {
        cJSON_ArrayForEach(item, value)
        {
            if (item != value->child) lb_buffer_add(&fields->text, & or, 1);
            add_text(fields, item);
        }
    } else if (value) {
        add_text(fields, value);
    }
    lb_fields_end(fields);
}

/* Says where a line is no object. Where more should follow, cJSON points at its last byte. */
static lb_pair_line_is refuse(lb_span line, const char *at, char why[LB_BAD_LINE_WHY])
{
    enum { WORD = 12 };
    if (at > line.text && at[-1] == '\'') at--;
    size_t first = (size_t)(at - line.text), shown = 1;
    while (shown < WORD && first + shown < line.length && !strchr(" \t,:\"'{}[]", at[shown])) shown++;
    snprintf(why, LB_BAD_LINE_WHY, "found %s%.*s at byte %zu of the line%s, expected a JSON object",
             *at ? "" : "a zero byte", (int)lb_utf8_prefix(at, shown), at, first + 1,
             first + 1 == line.length ? ", its last" : "");
    return LB_LINE_IS_BAD;
}

/* Says what an object has instead of texts, such as the messages of a chat. */
static void refuse_object(const cJSON *object, char why[LB_BAD_LINE_WHY])
{
    enum { SHOWN = 40 };
    const cJSON *first = object->child;
    if (first)
        snprintf(why, LB_BAD_LINE_WHY, "found %s in \"%.*s\", expected an object with two texts",
                 name_of(first), (int)lb_utf8_prefix(first->string, strnlen(first->string, SHOWN)),
                 first->string);
    else
        snprintf(why, LB_BAD_LINE_WHY, "found an object without members, expected two texts in it");
}

lb_pair_line_is lb_json_split(lb_pair_kind *kind, lb_span line, lb_fields *fields)
{
    cJSON *object;
    const char *end;
    lb_fields *keys = &kind->keys;
    lb_status status = lb_json_parse(line.text, line.length, &end, &object);
    if (status == LB_ERROR_MEMORY) fields->text.failed = true;
    bool list = keys->count == 0 && cJSON_IsArray(object) && object->child && is_value(object->child);
    if (status || (!cJSON_IsObject(object) && !list)) {
        cJSON_Delete(object);
        return refuse(line, status ? end : line.text, kind->why);
    }
    if (keys->count == 0 && !list) list_keys(object, true, keys);
    for (const cJSON *item = list ? object->child : NULL; item; item = item->next) add_value(fields, item);
    for (int i = 0; i < keys->count; i++) add_value(fields, find_value(object, true, lb_field(keys, i)));
    if (fields->count == 0) refuse_object(object, kind->why);
    cJSON_Delete(object);
    return fields->count > 0 ? LB_LINE_IS_FIELDS : LB_LINE_IS_BAD;
}
