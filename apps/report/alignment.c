#include "report/alignment.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 512, SHOWN = 60 };

typedef struct app_alignment_side side;

/* The arrays have room for MOST symbols, so that a place in them never moves. */
static bool open_side(side *s)
{
    if (s->capacity > 0) return true;
    s->id = lb_alloc(MOST * sizeof *s->id);
    s->times = lb_alloc_zero(MOST * sizeof *s->times);
    s->capacity = s->id && s->times ? MOST : 0;
    return s->capacity > 0;
}

/* Makes `place` long enough for the id. */
static bool know(side *s, int32_t id)
{
    if (id < s->known) return true;
    int64_t known = 2 * ((int64_t)id + 1);
    int32_t *grown = lb_alloc_grow(s->place, (size_t)s->known * sizeof *grown, (size_t)known * sizeof *grown);
    if (!grown) return false;
    for (int64_t i = s->known; i < known; i++) grown[i] = -1;
    s->place = grown;
    s->known = known;
    return true;
}

/* Replaces ids by places, -1 for symbols that are left out. False if memory runs out. */
static bool find_places(side *s, const int32_t *id, int64_t count, int32_t *place)
{
    for (int64_t i = 0; i < count; i++) {
        if (!know(s, id[i])) return false;
        if (s->place[id[i]] < 0 && s->count < MOST) {
            s->place[id[i]] = (int32_t)s->count;
            s->id[s->count++] = id[i];
        }
        place[i] = s->place[id[i]];
        if (place[i] >= 0) s->times[place[i]]++;
    }
    return true;
}

/* The mean over the heads of the last layer at a step. */
static void mean_row(const lb_translations *all, const lb_output *output, int64_t step, int64_t length,
                     double *row)
{
    memset(row, 0, (size_t)length * sizeof *row);
    for (int64_t head = 0; head < all->heads; head++) {
        const lb_real *weights =
            output->weights + (((all->layers - 1) * all->heads + head) * output->steps + step) * length;
        for (int64_t k = 0; k < length; k++) row[k] += (double)weights[k] / (double)all->heads;
    }
}

static lb_status add(app_alignment *a, app_report_data *report, const lb_translations *all,
                     const lb_translation *text, int32_t *source, int32_t *target, lb_error *error)
{
    const lb_output *output = text->output;
    const int32_t *id = app_report_ids(report, text->symbol, (size_t)text->length);
    if (!id || !find_places(&a->source, id, text->length, source)) return app_report_no_memory(error);
    id = app_report_ids(report, output->symbol, (size_t)output->length);
    if (!id || !find_places(&a->target, id, output->length, target)) return app_report_no_memory(error);
    for (int64_t step = 0; step < output->length; step++) {
        if (target[step] < 0) continue;
        double *sum = a->sum + (int64_t)target[step] * MOST;
        mean_row(all, output, step, text->length, a->row);
        for (int64_t k = 0; k < text->length; k++)
            if (source[k] >= 0) sum[source[k]] += a->row[k];
    }
    return LB_OK;
}

lb_status app_alignment_add(app_alignment *a, app_report_data *report, const lb_translations *all,
                            const lb_translation *text, lb_error *error)
{
    if (!text->output->weights) return LB_OK;
    if (!a->sum) a->sum = lb_alloc_zero((size_t)MOST * MOST * sizeof *a->sum);
    int32_t *places = lb_alloc((size_t)(text->length + text->output->length + 1) * sizeof *places);
    bool ready = places && a->sum &&
                 lb_alloc_room(&a->row, 0, (size_t)text->length + 1, &a->row_room, sizeof *a->row) &&
                 open_side(&a->source) && open_side(&a->target);
    lb_status status =
        ready ? add(a, report, all, text, places, places + text->length, error) : app_report_no_memory(error);
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

/* Prints the ids of the most frequent symbols; `ranks` has room for MOST. Returns their number. */
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

lb_status app_alignment_print(const app_alignment *a, app_report_data *report, lb_error *error)
{
    rank source[MOST], target[MOST];
    double *mean = lb_alloc((size_t)SHOWN * SHOWN * sizeof *mean);
    if (!mean) return app_report_no_memory(error);
    lb_json_open(&report->json, "alignment", "{");
    int64_t columns = print_side(report, "source", &a->source, source);
    int64_t rows = print_side(report, "target", &a->target, target);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++)
            mean[i * columns + k] =
                a->sum[(int64_t)target[i].place * MOST + source[k].place] / (double)target[i].times;
    lb_json_whole(&report->json, "mean", (int64_t)app_report_numbers(report, mean, (size_t)(rows * columns)));
    lb_buffer_print(&report->json, "}");
    lb_release(mean);
    return LB_OK;
}

static void free_side(side *s)
{
    lb_release(s->id);
    lb_release(s->times);
    lb_release(s->place);
}

void app_alignment_free(app_alignment *a)
{
    free_side(&a->source);
    free_side(&a->target);
    lb_release(a->sum);
    lb_release(a->row);
    *a = (app_alignment){0};
}
