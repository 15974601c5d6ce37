/* Measures whether attention looks where outputs depend, for evaluate and report: its agreement with erasure. */
#include "apply/answer.h"

#include "base/alloc.h"
#include "console/console.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { TAU, FIRST, MEASURES, CONTROLS = 2, DIGITS = 6, NAME = 64 };
static const double CONFIDENCE = 0.95;

typedef struct app_why_weights {
    double *map; /* [steps, length]; NULL: none */
    int64_t steps;
} weights;

static bool make_room(app_why *why, const lb_translations *all, size_t length)
{
    int64_t maps = all->layers * all->heads;
    assert(why->pairs == 0 || why->rows == 1 + (maps > 1 ? maps : 0) + CONTROLS); /* of one model */
    why->heads = all->heads;
    why->rows = 1 + (maps > 1 ? maps : 0) + CONTROLS;
    size_t pairs = (size_t)why->pairs, rows = (size_t)why->rows, before = why->lengths;
    if (!lb_alloc_room(&why->found, pairs * rows, (pairs + 1) * rows, &why->room, sizeof *why->found) ||
        !lb_alloc_room(&why->column, 0, pairs + 1, &why->column_room, sizeof *why->column) ||
        !lb_alloc_room(&why->before, before, length + 1, &why->lengths, sizeof *why->before))
        return false;
    for (; before < why->lengths; before++) why->before[before] = (weights){0};
    return true;
}

/* The mean of `count` maps, [cells] each. */
static double *average(double *mean, const lb_real *map, int64_t count, int64_t cells)
{
    for (int64_t i = 0; i < cells; i++) mean[i] = 0;
    for (int64_t i = 0; i < count * cells; i++) mean[i % cells] += (double)map[i] / (double)count;
    return mean;
}

lb_status app_why_add(app_why *why, const lb_translations *all, const lb_translation *text, lb_error *error)
{
    const lb_output *output = text->output;
    if (text->count == 0 || output->from_lexicon || !output->weights || !output->erasure) return LB_OK;
    int64_t steps = output->steps, length = text->length, cells = steps * length;
    double *map = lb_alloc(2 * (size_t)cells * sizeof *map), *erasure = map ? map + cells : NULL;
    if (!map || !make_room(why, all, (size_t)length)) {
        lb_release(map);
        return lb_no_memory(error, NULL);
    }
    weights *before = &why->before[length];
    lb_agreement *row = why->found + why->pairs++ * why->rows, *controls = row + why->rows - CONTROLS;
    controls[0] = (lb_agreement){0, 1 / (double)length}; /* what lb_agreement_of has for equal weights */
    controls[1] = (lb_agreement){NAN, NAN};
    average(erasure, output->erasure, 1, cells);
    int64_t common = before->steps < steps ? before->steps : steps, last = (all->layers - 1) * all->heads;
    lb_status status = LB_OK;
    if (before->map) status = lb_agreement_of(before->map, erasure, common, length, &controls[1], error);
    for (int64_t i = why->rows - CONTROLS - 1; i >= 0 && !status; i--) {
        average(map, output->weights + (i > 0 ? i - 1 : last) * cells, i > 0 ? 1 : all->heads, cells);
        status = lb_agreement_of(map, erasure, steps, length, &row[i], error);
    }
    lb_release(before->map);
    *before = (weights){map, steps};
    return status;
}

static bool is_head(const app_why *why, int64_t at)
{
    return at > 0 && at < why->rows - CONTROLS;
}

static void write_name(const app_why *why, int64_t at, char name[NAME])
{
    const char *others = at == 0 ? "attention" : at == why->rows - 1 ? "another pair" : "uniform";
    snprintf(name, NAME, "%s", at == 0 && is_head(why, 1) ? "mean of the heads" : others);
    if (is_head(why, at))
        snprintf(name, NAME, "layer %lld, head %lld", (long long)((at - 1) / why->heads),
                 (long long)((at - 1) % why->heads));
}

/* The mean of a row, and the ends of its interval; not a number: there are none. Returns how many pairs it has. */
static int64_t take_mean(const app_why *why, int64_t at, int measure, double mean[3])
{
    double half;
    int64_t count = 0;
    for (const lb_agreement *of = why->found + at; of < why->found + why->pairs * why->rows; of += why->rows)
        if (!isnan(of->tau)) why->column[count++] = measure == TAU ? of->tau : of->first;
    lb_mean_interval(why->column, count, CONFIDENCE, mean, &half);
    mean[1] = half >= 0 ? fmax(mean[0] - half, measure == TAU ? -1 : 0) : NAN;
    mean[2] = half >= 0 ? fmin(mean[0] + half, 1) : NAN;
    return count;
}

void app_why_json(const app_why *why, lb_buffer *json)
{
    char name[NAME];
    double mean[3];
    if (why->pairs == 0) return;
    lb_json_open(json, "why", "{");
    lb_json_whole(json, "pairs", why->pairs);
    lb_json_open(json, "rows", "[");
    for (int64_t at = 0; at < why->rows; at++) {
        write_name(why, at, name);
        lb_json_open(json, NULL, "{");
        lb_json_string(json, "name", name);
        lb_json_whole(json, "pairs", take_mean(why, at, TAU, mean));
        for (int i = 0; i < MEASURES; i++) {
            take_mean(why, at, i, mean);
            lb_json_open(json, i == TAU ? "tau" : "first", "[");
            for (int k = 0; k < 3; k++) lb_json_number(json, NULL, mean[k], DIGITS);
            lb_buffer_print(json, "]");
        }
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]}");
}

static void print_mean(const double mean[3], double scale, const char *unit)
{
    char text[APP_MEASURED];
    app_print("%8s %s", app_measured(scale * mean[0], 2, text), unit);
    if (!isnan(mean[1])) app_print(" (%.2f to %.2f)", scale * mean[1], scale * mean[2]);
}

void app_why_print(const app_why *why)
{
    char name[NAME];
    double tau[3], first[3], most = -INFINITY;
    int64_t best = 0;
    for (int64_t at = 1; is_head(why, at); at++) {
        take_mean(why, at, TAU, tau);
        if (tau[0] > most) best = at;
        most = fmax(most, tau[0]);
    }
    for (int64_t at = 0; at < why->rows; at += is_head(why, at + 1) ? why->rows - CONTROLS : 1) {
        write_name(why, at, name);
        take_mean(why, at, TAU, tau);
        long long pairs = take_mean(why, at, FIRST, first);
        app_print("%-19s", name);
        print_mean(tau, 1, "tau");
        print_mean(first, 100, "% same first symbol");
        if (at == 0 && best > 0)
            app_print("; best: --layer %lld --head %lld, %.2f tau", (long long)((best - 1) / why->heads),
                      (long long)((best - 1) % why->heads), most);
        if (at == why->rows - 1) app_print("; %lld pair%s", pairs, pairs == 1 ? "" : "s");
        app_print("\n");
    }
}

void app_why_free(app_why *why)
{
    for (size_t i = 0; i < why->lengths; i++) lb_release(why->before[i].map);
    lb_release(why->before);
    lb_release(why->column);
    lb_release(why->found);
}
