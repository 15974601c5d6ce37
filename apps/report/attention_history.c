/* Prints the attention that a training has recorded in film.jsonl, as frames of a report. */
#include "report/report.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/file.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 };

/* A line of the file that is a frame. */
typedef struct frame {
    double step, pair;
    const char *line;
    size_t length;
} frame;

typedef struct attention_history {
    char *path;
    void *text;
    frame *frame; /* [count], by pair and step */
    size_t count, capacity;
    double *step; /* [step_count] that are shown */
    size_t step_count;
} attention_history;

static const cJSON *value_at(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* Whether it is a number from 0 to 2^53. */
static bool is_count(const cJSON *number)
{
    return cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble <= 9007199254740992.0;
}

static bool is_list_of_texts(const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (!cJSON_IsString(item)) return false;
    return cJSON_IsArray(list);
}

/* Whether the line has all that a frame needs. */
static bool is_frame(const cJSON *json)
{
    if (!is_count(value_at(json, "step")) || !is_count(value_at(json, "pair"))) return false;
    if (!is_list_of_texts(value_at(json, "source")) || !is_list_of_texts(value_at(json, "expected")))
        return false;
    if (!is_list_of_texts(value_at(json, "output")) || !cJSON_IsBool(value_at(json, "finished")))
        return false;
    const cJSON *weights = value_at(json, "weights");
    size_t length = (size_t)cJSON_GetArraySize(value_at(json, "source"));
    size_t steps = (size_t)cJSON_GetArraySize(value_at(json, "output")) +
                   (size_t)cJSON_IsTrue(value_at(json, "finished"));
    size_t letters = cJSON_IsString(weights) ? strlen(weights->valuestring) : 1;
    return cJSON_IsString(weights) && (letters == 0 || letters == lb_base64_length(length * steps));
}

static lb_status add_line(attention_history *h, const char *line, size_t length, int64_t *bad,
                          lb_error *error)
{
    cJSON *json;
    if (lb_json_parse(line, length, NULL, &json) == LB_ERROR_MEMORY) return app_report_no_memory(error);
    bool good = is_frame(json);
    *bad += !good;
    bool room = lb_alloc_more(&h->frame, h->count, &h->capacity, sizeof *h->frame);
    if (good && room)
        h->frame[h->count++] =
            (frame){value_at(json, "step")->valuedouble, value_at(json, "pair")->valuedouble, line, length};
    cJSON_Delete(json);
    return room ? LB_OK : app_report_no_memory(error);
}

static int compare_frames(const void *a, const void *b)
{
    const frame *x = a, *y = b;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Chooses the steps to show. */
static lb_status choose_steps(attention_history *h, lb_error *error)
{
    h->step = lb_alloc((h->count + 1) * sizeof *h->step);
    if (!h->step) return app_report_no_memory(error);
    for (size_t i = 0; i < h->count; i++) h->step[i] = h->frame[i].step;
    qsort(h->step, h->count, sizeof *h->step, lb_compare_numbers);
    size_t different = 0;
    for (size_t i = 0; i < h->count; i++)
        if (different == 0 || h->step[i] != h->step[different - 1]) h->step[different++] = h->step[i];
    h->step_count = different < SHOWN ? different : SHOWN;
    for (size_t i = 0; i < h->step_count && different > SHOWN; i++)
        h->step[i] = h->step[i * (different - 1) / (SHOWN - 1)];
    return LB_OK;
}

static lb_status read_frames(attention_history *h, int64_t *bad, lb_error *error)
{
    size_t count;
    lb_status status = lb_file_read_own(h->path, 0, &h->text, &count, error);
    const char *line = h->text, *end = status ? line : line + count;
    while (line < end && !status) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        status = add_line(h, line, length, bad, error);
        line += length + 1;
    }
    if (status) return status;
    if (h->count > 1) qsort(h->frame, h->count, sizeof *h->frame, compare_frames);
    return choose_steps(h, error);
}

/* Prints a list of symbols. */
static void print_list(app_report_data *report, const char *key, const cJSON *list)
{
    const cJSON *item;
    lb_json_open(&report->json, key, "[");
    cJSON_ArrayForEach(item, list)
    {
        lb_json_whole(&report->json, NULL, app_report_id(report, item->valuestring));
    }
    lb_buffer_print(&report->json, "]");
}

static void print_weights(app_report_data *report, const char *text)
{
    size_t letters = strlen(text), count;
    unsigned char *byte = lb_alloc(letters + 1);
    report->failed = report->failed || !byte;
    if (byte && letters > 0 && lb_base64_decode(text, letters, byte, &count))
        lb_json_whole(&report->json, "weights", (int64_t)app_report_bytes(report, byte, count));
    else
        lb_json_whole(&report->json, "weights", -1);
    lb_release(byte);
}

static lb_status print_frame(app_report_data *report, const frame *shown, bool first_of_pair, bool first,
                             lb_error *error)
{
    cJSON *json;
    if (lb_json_parse(shown->line, shown->length, NULL, &json)) return app_report_no_memory(error);
    if (first_of_pair) {
        if (!first) lb_buffer_print(&report->json, "]}");
        lb_json_open(&report->json, NULL, "{");
        print_list(report, "source", value_at(json, "source"));
        print_list(report, "expected", value_at(json, "expected"));
        lb_json_open(&report->json, "frames", "[");
    }
    lb_json_open(&report->json, NULL, "{");
    lb_buffer_print(&report->json, "\"step\":%.0f", shown->step);
    print_list(report, "symbols", value_at(json, "output"));
    lb_json_bool(&report->json, "finished", cJSON_IsTrue(value_at(json, "finished")));
    print_weights(report, value_at(json, "weights")->valuestring);
    lb_buffer_print(&report->json, "}");
    cJSON_Delete(json);
    return LB_OK;
}

static lb_status print_frames(const attention_history *h, app_report_data *report, lb_error *error)
{
    const frame *before = NULL;
    lb_status status = LB_OK;
    for (size_t i = 0; i < h->count && !status; i++) {
        const frame *now = &h->frame[i];
        bool repeated = before && before->pair == now->pair && before->step == now->step;
        if (repeated || !bsearch(&now->step, h->step, h->step_count, sizeof *h->step, lb_compare_numbers))
            continue;
        status = print_frame(report, now, !before || before->pair != now->pair, !before, error);
        before = now;
    }
    if (before) lb_buffer_print(&report->json, "]}");
    return status;
}

lb_status app_report_attention_history_print(const char *model, app_report_data *report, int64_t *bad,
                                             lb_error *error)
{
    lb_buffer path = {0};
    lb_buffer_print(&path, "%.*sfilm.jsonl", (int)(lb_os_name_of(model) - model), model);
    attention_history h = {.path = lb_buffer_end(&path)};
    *bad = 0;
    if (!h.path) return app_report_no_memory(error);
    lb_json_open(&report->json, "film", "[");
    lb_status status = lb_file_is_missing(h.path) ? LB_OK : read_frames(&h, bad, error);
    if (!status) status = print_frames(&h, report, error);
    lb_buffer_print(&report->json, "]");
    lb_release(h.path);
    lb_release(h.text);
    lb_release(h.frame);
    lb_release(h.step);
    return status;
}
