#include "report/film.h"

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

typedef struct film {
    char *path;
    void *text;
    frame *frame; /* [count], by pair and step */
    size_t count, capacity;
    double *step; /* [step_count] that are shown */
    size_t step_count;
} film;

static const cJSON *member(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* From 0 to 2^53. */
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
    if (!is_count(member(json, "step")) || !is_count(member(json, "pair"))) return false;
    if (!is_list_of_texts(member(json, "source")) || !is_list_of_texts(member(json, "expected")))
        return false;
    if (!is_list_of_texts(member(json, "output")) || !cJSON_IsBool(member(json, "finished"))) return false;
    const cJSON *weights = member(json, "weights");
    size_t length = (size_t)cJSON_GetArraySize(member(json, "source"));
    size_t steps =
        (size_t)cJSON_GetArraySize(member(json, "output")) + (size_t)cJSON_IsTrue(member(json, "finished"));
    size_t letters = cJSON_IsString(weights) ? strlen(weights->valuestring) : 1;
    return cJSON_IsString(weights) && (letters == 0 || letters == lb_base64_length(length * steps));
}

static lb_status add_line(film *f, const char *line, size_t length, int64_t *bad, lb_error *error)
{
    cJSON *json;
    if (lb_json_parse(line, length, NULL, &json) == LB_ERROR_MEMORY) return app_report_no_memory(error);
    bool good = is_frame(json);
    *bad += !good;
    bool room = lb_alloc_more(&f->frame, f->count, &f->capacity, sizeof *f->frame);
    if (good && room)
        f->frame[f->count++] =
            (frame){member(json, "step")->valuedouble, member(json, "pair")->valuedouble, line, length};
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

static int compare_steps(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chooses the steps to show. */
static lb_status choose(film *f, lb_error *error)
{
    f->step = lb_alloc((f->count + 1) * sizeof *f->step);
    if (!f->step) return app_report_no_memory(error);
    for (size_t i = 0; i < f->count; i++) f->step[i] = f->frame[i].step;
    qsort(f->step, f->count, sizeof *f->step, compare_steps);
    size_t different = 0;
    for (size_t i = 0; i < f->count; i++)
        if (different == 0 || f->step[i] != f->step[different - 1]) f->step[different++] = f->step[i];
    f->step_count = different < SHOWN ? different : SHOWN;
    for (size_t i = 0; i < f->step_count && different > SHOWN; i++)
        f->step[i] = f->step[i * (different - 1) / (SHOWN - 1)];
    return LB_OK;
}

static lb_status read_film(film *f, int64_t *bad, lb_error *error)
{
    size_t count;
    lb_status status = lb_file_read_own(f->path, 0, &f->text, &count, error);
    const char *line = f->text, *end = status ? line : line + count;
    while (line < end && !status) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        status = add_line(f, line, length, bad, error);
        line += length + 1;
    }
    if (status) return status;
    if (f->count > 1) qsort(f->frame, f->count, sizeof *f->frame, compare_frames);
    return choose(f, error);
}

/* Prints a list of symbols. */
static void print_list(app_report_data *report, const char *key, const cJSON *list)
{
    const cJSON *item;
    size_t count = 0;
    const char **symbol = lb_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof *symbol);
    report->failed = report->failed || !symbol;
    if (!symbol) return;
    cJSON_ArrayForEach(item, list) symbol[count++] = item->valuestring;
    app_report_symbols(report, key, symbol, count);
    lb_release((void *)symbol);
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
        print_list(report, "source", member(json, "source"));
        print_list(report, "expected", member(json, "expected"));
        lb_json_open(&report->json, "frames", "[");
    }
    lb_json_open(&report->json, NULL, "{");
    lb_buffer_print(&report->json, "\"step\":%.0f", shown->step);
    print_list(report, "symbols", member(json, "output"));
    lb_json_bool(&report->json, "finished", cJSON_IsTrue(member(json, "finished")));
    print_weights(report, member(json, "weights")->valuestring);
    lb_buffer_print(&report->json, "}");
    cJSON_Delete(json);
    return LB_OK;
}

static lb_status print_frames(const film *f, app_report_data *report, lb_error *error)
{
    const frame *before = NULL;
    lb_status status = LB_OK;
    for (size_t i = 0; i < f->count && !status; i++) {
        const frame *now = &f->frame[i];
        bool repeated = before && before->pair == now->pair && before->step == now->step;
        if (repeated || !bsearch(&now->step, f->step, f->step_count, sizeof *f->step, compare_steps))
            continue;
        status = print_frame(report, now, !before || before->pair != now->pair, !before, error);
        before = now;
    }
    if (before) lb_buffer_print(&report->json, "]}");
    return status;
}

lb_status app_report_film_print(const char *model, app_report_data *report, int64_t *bad, lb_error *error)
{
    lb_buffer path = {0};
    const char *slash = strrchr(model, '/');
    lb_buffer_print(&path, "%.*sfilm.jsonl", slash ? (int)(slash - model) + 1 : 0, model);
    film f = {.path = lb_buffer_end(&path)};
    *bad = 0;
    if (!f.path) return app_report_no_memory(error);
    lb_json_open(&report->json, "film", "[");
    lb_status status = lb_file_is_missing(f.path) ? LB_OK : read_film(&f, bad, error);
    if (!status) status = print_frames(&f, report, error);
    lb_buffer_print(&report->json, "]");
    lb_release(f.path);
    lb_release(f.text);
    lb_release(f.frame);
    lb_release(f.step);
    return status;
}
