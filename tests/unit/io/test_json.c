/* JSON: a text that is wrong and memory that has run out are two errors. */
#include "base/buffer.h"
#include "io/json.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* The allocator of cJSON: the n-th call fails, and all after it if memory has run out for good. */
static long calls, failing;
static bool for_good;

static void *allocate(size_t bytes)
{
    calls++;
    bool fails = failing && (for_good ? calls >= failing : calls == failing);
    return fails ? NULL : malloc(bytes);
}

static void fail_from(long n, bool from_there_on)
{
    cJSON_Hooks hooks = {allocate, free};
    cJSON_InitHooks(&hooks);
    calls = 0;
    failing = n;
    for_good = from_there_on;
}

static const char text[] = " {\"a\": [1, 2, {\"b\": \"text\"}], \"c\": null, \"d\": \"\\u00e9\"}\n";

START_TEST(test_json_parse_tells_a_bad_text_from_a_good_one)
{
    static const char *const bad[] = {"", "  ", "{", "[1, 2", "{\"a\":}", "[1] 2", "nul", "{} x"};
    cJSON *json;
    const char *end;
    ck_assert_int_eq(lb_json_parse(text, strlen(text), &end, &json), LB_OK);
    ck_assert_ptr_eq(end, text + strlen(text));
    ck_assert_int_eq(cJSON_GetArraySize(json), 3);
    cJSON_Delete(json);
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        ck_assert_int_eq(lb_json_parse(bad[i], strlen(bad[i]), &end, &json), LB_ERROR_FORMAT);
        ck_assert_ptr_null(json);
        ck_assert(end >= bad[i] && end <= bad[i] + strlen(bad[i]));
    }
    ck_assert_int_eq(lb_json_parse("[1]]", 3, NULL, &json), LB_OK); /* only the bytes that are counted */
    cJSON_Delete(json);
}
END_TEST

/* cJSON would read the first as "a", the third as {"a": 2}, and the last as [1]. */
START_TEST(test_json_parse_refuses_zero_characters)
{
    static const struct {
        const char *text;
        size_t length, at;
    } bad[] = {
        {"[\"a\\u0000b\"]", 12, 3}, {"[\"a\0b\"]", 7, 3}, {"{\"a\\u0000b\": 2}", 15, 3}, {"[1]\0", 4, 3}};
    cJSON *json;
    const char *end;
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        ck_assert_int_eq(lb_json_parse(bad[i].text, bad[i].length, &end, &json), LB_ERROR_FORMAT);
        ck_assert_ptr_null(json);
        ck_assert_ptr_eq(end, bad[i].text + bad[i].at);
    }
    /* A backslash, then letters. */
    ck_assert_int_eq(lb_json_parse("[\"\\\\u0000\"]", 11, NULL, &json), LB_OK);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetArrayItem(json, 0)), "\\u0000");
    cJSON_Delete(json);
}
END_TEST

/* UTF-8 of a character. Returns its bytes. */
static size_t put_character(char *to, uint32_t c)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    *to = (char)(first[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++) to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* Both ways to write JSON: lb_buffer_json_string, and lb_json_print for what has been read. */
static void assert_written(const char *written)
{
    cJSON *json;
    lb_buffer buffer = {0};
    lb_buffer_json_string(&buffer, written);
    ck_assert_int_eq(lb_json_parse(buffer.text, buffer.length, NULL, &json), LB_OK);
    ck_assert_str_eq(cJSON_GetStringValue(json), written);
    char *printed = lb_json_print(json);
    cJSON_Delete(json);
    ck_assert_int_eq(lb_json_parse(printed, strlen(printed), NULL, &json), LB_OK);
    ck_assert_str_eq(cJSON_GetStringValue(json), written);
    cJSON_Delete(json);
    cJSON_free(printed);
    lb_release(buffer.text);
}

START_TEST(test_json_string_of_each_character_is_read_as_it_was)
{
    enum { AT_ONCE = 64 };
    for (uint32_t c = 1; c < 0x110000; c += AT_ONCE) {
        char line[4 * AT_ONCE + 1];
        size_t length = 0;
        for (uint32_t i = c; i < c + AT_ONCE && i < 0x110000; i++)
            if (i < 0xD800 || i > 0xDFFF) length += put_character(line + length, i);
        line[length] = '\0';
        assert_written(line);
    }
    static const char *const ends[] = {"\"",        "\\", "\\\"", "\",\"a\":\"", "\\u0041",
                                       "</script>", "*/", "]]>",  "-->"};
    for (size_t i = 0; SUPPORT_ROW(i, ends); i++) assert_written(ends[i]);
}
END_TEST

START_TEST(test_json_parse_says_that_memory_has_run_out)
{
    cJSON *json;
    fail_from(0, false);
    ck_assert_int_eq(lb_json_parse(text, strlen(text), NULL, &json), LB_OK);
    cJSON_Delete(json);
    long needed = calls;
    ck_assert_int_gt(needed, 8);
    for (long n = 1; n <= needed; n++) {
        fail_from(n, true);
        ck_assert_int_eq(lb_json_parse(text, strlen(text), NULL, &json), LB_ERROR_MEMORY);
        ck_assert_ptr_null(json);
    }
}
END_TEST

START_TEST(test_json_parse_survives_one_allocation_that_fails)
{
    cJSON *json;
    for (long n = 1; n <= 8; n++) {
        fail_from(n, false);
        ck_assert_int_eq(lb_json_parse(text, strlen(text), NULL, &json), LB_OK);
        ck_assert_int_eq(cJSON_GetArraySize(json), 3);
        cJSON_Delete(json);
        fail_from(n, false);
        ck_assert_int_eq(lb_json_parse("[1,2,3,4,5,6,7,8,]", 18, NULL, &json), LB_ERROR_FORMAT);
    }
}
END_TEST
