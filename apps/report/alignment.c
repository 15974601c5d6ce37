/* Sums up which source symbols each target symbol attends to, over all pairs of a report. */
#include "report/statistics.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { SHOWN = 60 };

typedef struct app_alignment_side side;

/* Finds the places of symbols, -1 for those that are left out. False if memory runs out. */
static bool find_places(side *s, app_report_data *report, const char *const *symbol, int64_t count,
                        int32_t *place)
{
    for (int64_t i = 0; i < count; i++) {
        int32_t id = app_report_id(report, symbol[i]);
        size_t before = s->known;
        if (!lb_alloc_room(&s->place, before, (size_t)id + 1, &s->known, sizeof *s->place)) return false;
        for (size_t k = before; k < s->known; k++) s->place[k] = -1;
        if (s->place[id] < 0 && s->count < APP_ALIGNED) {
            s->place[id] = (int32_t)s->count;
            s->id[s->count++] = id;
        }
        place[i] = s->place[id];
        if (place[i] >= 0) s->times[place[i]]++;
    }
    return true;
}

/* The mean over the heads of the last layer, in one cell of their maps. */
static double mean_of(const lb_translations *all, const lb_real *weights, int64_t cells, int64_t cell)
{
    double mean = 0;
    const lb_real *last = weights + (all->layers - 1) * all->heads * cells + cell;
    for (int64_t head = 0; head < all->heads; head++) mean += (double)last[head * cells] / (double)all->heads;
    return mean;
}

static lb_status add(app_alignment *a, app_report_data *report, const lb_translations *all,
                     const lb_translation *text, int32_t *source, int32_t *target, lb_error *error)
{
    const lb_output *output = text->output;
    int64_t length = text->length, cells = output->steps * length;
    if (!find_places(&a->source, report, text->symbol, length, source) ||
        !find_places(&a->target, report, output->symbol, output->length, target))
        return app_report_no_memory(error);
    for (int64_t step = 0; step < output->length; step++) {
        if (target[step] < 0) continue;
        double *sum = a->sum + (int64_t)target[step] * APP_ALIGNED;
        for (int64_t k = 0; k < length; k++)
            if (source[k] >= 0) sum[source[k]] += mean_of(all, output->weights, cells, step * length + k);
    }
    return LB_OK;
}

lb_status app_alignment_add(app_alignment *a, app_report_data *report, const lb_translations *all,
                            const lb_translation *text, lb_error *error)
{
    if (!text->output->weights) return LB_OK;
    if (!a->sum) a->sum = lb_alloc_zero((size_t)APP_ALIGNED * APP_ALIGNED * sizeof *a->sum);
    int32_t *places = lb_alloc((size_t)(text->length + text->output->length + 1) * sizeof *places);
    lb_status status = places && a->sum ? add(a, report, all, text, places, places + text->length, error)
                                        : app_report_no_memory(error);
    lb_release(places);
    return status;
}

/* A place and how often its symbol occurred. */
typedef struct rank {
    int64_t times;
    int32_t place;
} rank;

static int compare(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    if (x->times != y->times) return x->times > y->times ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Prints the ids of the most frequent symbols; `ranks` has room for APP_ALIGNED. Returns their number. */
static int64_t print_side(app_report_data *report, const char *key, const side *s, rank *ranks)
{
    int64_t shown = s->count < SHOWN ? s->count : SHOWN;
    for (int64_t i = 0; i < s->count; i++) ranks[i] = (rank){s->times[i], (int32_t)i};
    qsort(ranks, (size_t)s->count, sizeof *ranks, compare);
    lb_json_open(&report->json, key, "[");
    for (int64_t i = 0; i < shown; i++) lb_json_whole(&report->json, NULL, s->id[ranks[i].place]);
    lb_buffer_print(&report->json, "]");
    return shown;
}

void app_alignment_print(const app_alignment *a, app_report_data *report)
{
    rank source[APP_ALIGNED] = {{0, 0}}, target[APP_ALIGNED] = {{0, 0}};
    double *mean = lb_alloc((size_t)SHOWN * SHOWN * sizeof *mean);
    if (!mean) {
        report->json.failed = true;
        return;
    }
    lb_json_open(&report->json, "alignment", "{");
    int64_t columns = print_side(report, "source", &a->source, source);
    int64_t rows = print_side(report, "target", &a->target, target);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++)
            mean[i * columns + k] =
                a->sum[(int64_t)target[i].place * APP_ALIGNED + source[k].place] / (double)target[i].times;
    lb_json_whole(&report->json, "mean", (int64_t)app_report_numbers(report, mean, (size_t)(rows * columns)));
    lb_release(mean);
    lb_buffer_print(&report->json, "}");
}

void app_alignment_free(app_alignment *a)
{
    lb_release(a->source.place);
    lb_release(a->target.place);
    lb_release(a->sum);
    *a = (app_alignment){0};
}
