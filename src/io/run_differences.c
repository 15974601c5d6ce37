#include "io/run_differences.h"

#include "base/buffer.h"
#include "base/format.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 2^53: double is exact for all integers up to here. */
static const double EXACT = 9007199254740992.0;

enum { FEW_DIGITS = 7, MOST_DIGITS = 17 };

char *lb_run_word(const char *string, char word[LB_RUN_WORD])
{
    const char *quote = !*string || string[strcspn(string, " \t")] ? "'" : "";
    snprintf(word, LB_RUN_WORD, "%s%s%s", quote, string, quote);
    return word;
}

/* A value as text: numbers as people write them, strings in quotes if a shell needs them. */
static void print_value(const cJSON *item, int digits, char text[LB_RUN_WORD])
{
    *text = '\0';
    if (cJSON_IsString(item))
        lb_run_word(item->valuestring, text);
    else if (cJSON_IsNumber(item) && fabs(item->valuedouble) < EXACT &&
             floor(item->valuedouble) == item->valuedouble)
        lb_snprintf(text, LB_RUN_WORD, "%.0f", item->valuedouble);
    else if (cJSON_IsNumber(item))
        lb_snprintf(text, LB_RUN_WORD, "%.*g", fabs(item->valuedouble) < EXACT ? digits : MOST_DIGITS,
                    item->valuedouble);
    else if (cJSON_IsBool(item))
        snprintf(text, LB_RUN_WORD, "%s", cJSON_IsTrue(item) ? "true" : "false");
}

/* Values are compared, not their texts, which are cut. null is as good as no value. */
static bool is_same(const cJSON *found, const cJSON *ours)
{
    if (!found || !ours) return cJSON_IsNull(found ? found : ours);
    if (cJSON_IsNumber(found) && cJSON_IsNumber(ours)) return found->valuedouble == ours->valuedouble;
    return cJSON_Compare(found, ours, true);
}

lb_run_difference *lb_run_find(lb_run_differences *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->list[i].name, name) == 0) return &d->list[i];
    return NULL;
}

static void compare_values(const char *name, const cJSON *found, const cJSON *ours, lb_run_differences *d)
{
    lb_run_difference difference;
    if (strcmp(name, "steps") == 0 || is_same(found, ours)) return;
    if (d->count == LB_RUN_DIFFERENCES || lb_run_find(d, name)) return;
    snprintf(difference.name, sizeof difference.name, "%s", name);
    int digits = FEW_DIGITS;
    do {
        print_value(found, digits, difference.found);
        print_value(ours, digits, difference.ours);
    } while (strcmp(difference.found, difference.ours) == 0 && digits++ < MOST_DIGITS);
    d->list[d->count++] = difference;
}

/* One of the two may be NULL: all members of the other one then differ. */
static void compare_objects(const cJSON *found, const cJSON *ours, lb_run_differences *d)
{
    const cJSON *const objects[] = {ours, found};
    const cJSON *member;
    for (int i = 0; i < 2; i++) cJSON_ArrayForEach(member, objects[i])
        {
            const cJSON *a = cJSON_GetObjectItemCaseSensitive(found, member->string);
            const cJSON *b = cJSON_GetObjectItemCaseSensitive(ours, member->string);
            if (i == 1 && b) continue; /* already compared */
            if (cJSON_IsObject(member))
                compare_objects(cJSON_IsObject(a) ? a : NULL, cJSON_IsObject(b) ? b : NULL, d);
            else
                compare_values(member->string, a, b, d);
        }
}

lb_status lb_run_compare(const char *found, const char *ours, lb_run_differences *differences,
                         lb_error *error)
{
    *differences = (lb_run_differences){.count = 0};
    if (strcmp(found, ours) == 0) return LB_OK;
    cJSON *a, *b;
    bool lost = lb_json_parse(found, strlen(found), NULL, &a) == LB_ERROR_MEMORY;
    lost = lb_json_parse(ours, strlen(ours), NULL, &b) == LB_ERROR_MEMORY || lost;
    bool objects = cJSON_IsObject(a) && cJSON_IsObject(b);
    if (objects) compare_objects(a, b, differences);
    cJSON_Delete(a);
    cJSON_Delete(b);
    if (lost) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return objects ? LB_OK
                   : lb_error_set(error, LB_ERROR_FORMAT, "found the run \"%.80s\", expected \"%.80s\"",
                                  found, ours);
}

bool lb_run_forget(lb_run_differences *d, const char *name)
{
    int kept = 0;
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->list[i].name, name) != 0) d->list[kept++] = d->list[i];
    bool forgotten = kept < d->count;
    d->count = kept;
    return forgotten;
}

char *lb_run_setting(const lb_run_words *words, const char *name, const char *value,
                     char text[2 * LB_RUN_WORD])
{
    if (words->setting)
        words->setting(words->context, name, value, text, (size_t)2 * LB_RUN_WORD);
    else
        snprintf(text, (size_t)2 * LB_RUN_WORD, "%s %s", name, *value ? value : "unset");
    return text;
}

/* The settings of one run as a list: "a 1, b 2 and c 3". */
static void print_settings(lb_buffer *text, const lb_run_words *words, const lb_run_differences *d, bool ours)
{
    char setting[2 * LB_RUN_WORD];
    for (int i = 0; i < d->count; i++) {
        const lb_run_difference *one = &d->list[i];
        const char *comma = i == 0 ? "" : i + 1 < d->count ? ", " : " and ";
        lb_run_setting(words, one->name, ours ? one->ours : one->found, setting);
        lb_buffer_print(text, "%s%s", comma, setting);
    }
}

lb_status lb_run_refuse(const lb_run_words *words, const char *first, const lb_run_differences *differences,
                        lb_error *error)
{
    lb_buffer text = {0};
    if (!*first && differences->count == 0) return LB_OK;
    lb_buffer_print(&text, "%s", first);
    if (differences->count > 0) {
        lb_buffer_print(&text, "%sit was trained with ", *first ? "; " : "");
        print_settings(&text, words, differences, false);
        lb_buffer_print(&text, ", this run has ");
        print_settings(&text, words, differences, true);
    }
    lb_status status = text.failed ? lb_error_set(error, LB_ERROR_MEMORY, "out of memory")
                                   : lb_error_set(error, LB_ERROR_FORMAT, "%s", text.text);
    lb_release(text.text);
    return status;
}
