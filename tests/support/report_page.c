#include "support/report_page.h"

#include "base/bytes.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

unsigned char *support_inflate_element(const char *html, const char *id, size_t *size)
{
    char mark[32];
    snprintf(mark, sizeof mark, "id=\"%s\"", id);
    const char *at = strstr(html, mark);
    ck_assert_msg(at != NULL, "no element %s", id);
    at = strchr(at, '>') + 1;
    size_t letters = strcspn(at, "<"), count;
    unsigned char *packed = malloc(letters + 1), *bytes = NULL;
    ck_assert_msg(lb_base64_decode(at, letters, packed, &count), "%s is not base64", id);
    int status = Z_BUF_ERROR;
    for (size_t room = 8 * count + 1024; status == Z_BUF_ERROR; room *= 2) {
        uLongf found = (uLongf)room;
        free(bytes);
        bytes = malloc(room + 1);
        status = uncompress(bytes, &found, packed, (uLong)count);
        *size = found;
    }
    ck_assert_int_eq(status, Z_OK);
    bytes[*size] = '\0';
    free(packed);
    return bytes;
}

support_page support_open_page(const char *name)
{
    size_t size;
    support_page p = {0};
    char *html = support_read_file(support_path(name), &p.bytes);
    unsigned char *data = support_inflate_element(html, "data", &size);
    p.data = cJSON_Parse((const char *)data);
    ck_assert_msg(p.data != NULL, "the data are not JSON: %.200s", (const char *)data);
    p.blob = support_inflate_element(html, "blob", &p.blob_size);
    ck_assert_ptr_null(strstr(html, "@DATA@"));
    ck_assert_ptr_null(strstr(html, "@BLOB@"));
    free(data);
    free(html);
    return p;
}

void support_close_page(support_page *p)
{
    cJSON_Delete(p->data);
    free(p->blob);
}

const cJSON *support_at(const cJSON *json, const char *path)
{
    char word[64];
    for (const char *rest = path; *rest; rest += *rest == '.') {
        size_t length = strcspn(rest, ".");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(word))
                                   : cJSON_GetObjectItemCaseSensitive(json, word);
        ck_assert_msg(json != NULL, "no %s in %s", word, path);
        rest += length;
    }
    return json;
}

double support_number(const cJSON *json, const char *path)
{
    const cJSON *value = support_at(json, path);
    ck_assert_msg(cJSON_IsNumber(value), "%s is not a number", path);
    return value->valuedouble;
}

int support_count(const cJSON *json, const char *path)
{
    return cJSON_GetArraySize(support_at(json, path));
}

char *support_page_text(const support_page *p, const cJSON *ids, const char *between, char text[1024])
{
    const cJSON *id;
    *text = '\0';
    cJSON_ArrayForEach(id, ids)
    {
        if (text[0] != '\0') strcat(text, between);
        strcat(text, cJSON_GetArrayItem(support_at(p->data, "symbols"), id->valueint)->valuestring);
    }
    return text;
}
