#include "shared/stages.h"

#include "base/progress.h"
#include "shared/measure.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, DEEPEST = 8, NAME = 64 };

/* Slot 0 is for what belongs to no stage. */
static struct {
    char name[MOST][NAME];
    double seconds[MOST];
    int count, open[DEEPEST], depth;
    double since;
} stages;

static int find(const char *name, const char *direction)
{
    char text[NAME];
    snprintf(text, sizeof text, "%s%s%s", name, *direction ? " " : "", direction);
    for (int i = 0; i < stages.count; i++)
        if (strcmp(stages.name[i], text) == 0) return i;
    if (stages.count == MOST) return 0;
    memcpy(stages.name[stages.count], text, sizeof text);
    return stages.count++;
}

/* Everything since the last call belongs to the innermost stage that is open. */
static void watch(const char *name, const char *direction)
{
    double now = bench_now();
    stages.seconds[stages.open[stages.depth]] += now - stages.since;
    stages.since = now;
    assert(name ? stages.depth + 1 < DEEPEST : stages.depth > 0);
    if (name)
        stages.open[++stages.depth] = find(name, direction);
    else
        stages.depth--;
}

void bench_stages_begin(void)
{
    memset(&stages, 0, sizeof stages);
    find("rest", "");
    stages.since = bench_now();
    lb_stage_watch(watch);
}

void bench_stages_add(cJSON *object, int steps)
{
    lb_stage_watch(NULL);
    stages.seconds[0] += bench_now() - stages.since;
    cJSON *parts = cJSON_AddObjectToObject(object, "stages");
    for (int i = 0; i < stages.count; i++) bench_add(parts, stages.name[i], 1e3 * stages.seconds[i] / steps);
}
