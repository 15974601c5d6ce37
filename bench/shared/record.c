#include "shared/record.h"

#include "shared/measure.h"

#include "base/alloc.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_lengths[] = {"10", "20", "40", "80", "160", NULL};
const char *const bench_hiddens[] = {"64", "128", "256", "512", "1024", NULL};
const bench_sized bench_models[] = {
    {"0.3 M", "64", "132"}, {"3 M", "256", "424"}, {"30 M", "512", "1448"}, {NULL, NULL, NULL}};
const char *const bench_batches[] = {"4", "16", "64", "256", NULL};
const char *const bench_exchanges[] = {"1", "10000000", NULL};

const char *const bench_crowded[] = {"tiny", "small", "medium", NULL};
const int bench_crowds[BENCH_CROWDS] = {0, 2, 8};

const char *bench_busy_name(const char *model, int others, char *name)
{
    snprintf(name, BENCH_NAME, "%s, %d busy", model, others);
    return name;
}

const char *bench_cost_name(const char *model, const char *batch, char *name)
{
    snprintf(name, BENCH_NAME, "%s, batch %s", model, batch);
    return name;
}

cJSON *bench_record_open(const char *path, lb_error *error)
{
    void *text;
    size_t count;
    if (lb_file_read(path, 0, &text, &count, error)) return NULL;
    cJSON *bench = cJSON_ParseWithLength(text, count);
    lb_release(text);
    if (cJSON_IsArray(cJSON_GetObjectItem(bench, "runs"))) return bench;
    cJSON_Delete(bench);
    lb_error_set(error, LB_ERROR_FORMAT, "%s holds no benchmark", path);
    return NULL;
}

void bench_record_add(cJSON *record, cJSON *run, bench_key key, double seconds)
{
    cJSON_AddStringToObject(run, "part", key.part);
    cJSON_AddStringToObject(run, "case", key.name);
    cJSON_AddStringToObject(run, "by", key.by);
    bench_add(run, "seconds", seconds);
    cJSON_AddItemToArray(record, run);
}

static bool says(const cJSON *run, const char *field, const char *text)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(run, field));
    return found && strcmp(found, text) == 0;
}

static bool matches(const cJSON *run, bench_key key)
{
    const cJSON *threads = cJSON_GetObjectItem(run, "threads");
    return says(run, "part", key.part) && says(run, "case", key.name) && says(run, "by", key.by) &&
           (key.threads == 0 || (threads && threads->valueint == key.threads));
}

bool bench_record_has(const cJSON *record, const char *part)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, record) if (says(run, "part", part)) return true;
    return false;
}

double bench_record_median(const cJSON *record, bench_key key, const char *field)
{
    double *values = malloc(((size_t)cJSON_GetArraySize(record) + 1) * sizeof *values), median = NAN;
    size_t count = 0;
    const cJSON *run;
    cJSON_ArrayForEach(run, record)
    {
        const cJSON *value = cJSON_GetObjectItem(run, field);
        if (values && matches(run, key) && cJSON_IsNumber(value)) values[count++] = value->valuedouble;
    }
    if (values) median = bench_median(values, count);
    free(values);
    return median;
}

double bench_record_fastest(const cJSON *record, bench_key key, const char *field)
{
    double least = NAN;
    const cJSON *run;
    cJSON_ArrayForEach(run, record)
    {
        const cJSON *value = cJSON_GetObjectItem(run, field);
        /* fmin ignores NaN. */
        if (matches(run, key) && cJSON_IsNumber(value)) least = fmin(least, value->valuedouble);
    }
    return least;
}

double bench_record_best(const cJSON *record, bench_key key, const char *field)
{
    double best = NAN;
    int first = key.threads ? key.threads : 1, last = key.threads ? key.threads : 2;
    for (key.threads = first; key.threads <= last; key.threads++) {
        bench_key compiled = key;
        compiled.by = "pytorch compiled";
        /* fmin ignores NaN. */
        best = fmin(best, bench_record_median(record, key, field));
        if (strcmp(key.by, "pytorch") == 0) best = fmin(best, bench_record_median(record, compiled, field));
    }
    return best;
}

double bench_record_differing(const cJSON *record, bench_key key, const char *field)
{
    const char *first = NULL;
    const cJSON *run;
    double differing = 0;
    cJSON_ArrayForEach(run, record)
    {
        if (!matches(run, key)) continue;
        if (!first) first = cJSON_GetStringValue(cJSON_GetObjectItem(run, field));
        if (!first || !says(run, field, first)) differing++;
    }
    return first ? differing : (double)NAN;
}
