/* The points of a model that a watcher can read or replace, as `inspect --points` lists them. The model tells them in
 * two small runs, whose sizes say which axis is which. */
#include "figures/maps.h"

#include "console/console.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 2, AXES = 3, MOST = 64 /* names */, LONGEST = 5 };

static const char *const axes[AXES] = {"batch", "S", "T"};
static const int64_t lengths[AXES][RUNS] = {{1, 2}, {2, 3}, {3, LONGEST}};

/* All points of one name. */
typedef struct points {
    char name[LB_POINT_NAME];
    int64_t layers, heads;
    bool stepwise;
    lb_shape shape[RUNS];
} points;

typedef struct listing {
    points all[MOST];
    int count, run;
} listing;

static lb_tensor *note_point(void *context, const lb_watch_point *point, lb_tensor *value)
{
    listing *list = context;
    int at = 0;
    while (at < list->count && strcmp(list->all[at].name, point->name) != 0) at++;
    if (at == MOST) return NULL;
    points *p = &list->all[at];
    if (at == list->count) {
        list->count++;
        memcpy(p->name, point->name, sizeof p->name);
    }
    p->layers = point->layer >= p->layers ? point->layer + 1 : p->layers;
    p->heads = point->head >= p->heads ? point->head + 1 : p->heads;
    p->stepwise = p->stepwise || point->step > 0;
    p->shape[list->run] = value->shape;
    return NULL;
}

/* A batch of the first symbol. Every model can read it, and write it. */
static lb_tokens some_tokens(lb_tape *tape, int64_t batch, int64_t length)
{
    int32_t *id, *row;
    lb_tokens tokens = lb_tokens_new(tape, batch, length, &id, &row);
    for (int64_t i = 0; i < tokens.batch * length; i++) id[i] = LB_UNK;
    for (int64_t i = 0; i < tokens.batch; i++) row[i] = (int32_t)length;
    return tokens;
}

static lb_status fill_listing(const lb_model *model, listing *list, lb_error *error)
{
    lb_tape *tape = lb_tape_new();
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_watch(tape, (lb_watcher){note_point, list});
    for (list->run = 0; list->run < RUNS; list->run++) {
        lb_tokens source = some_tokens(tape, lengths[0][list->run], lengths[1][list->run]);
        lb_model_forward(model, source, some_tokens(tape, lengths[0][list->run], lengths[2][list->run]));
    }
    lb_status status = lb_tape_status(tape);
    if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

static void print_count(int64_t count)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, count);
    app_print("%-8s", count ? text : "");
}

static void print_point(const points *p)
{
    app_print("  %-24s", p->name);
    print_count(p->layers);
    print_count(p->heads);
    for (int d = 0; d < p->shape[0].ndim; d++) {
        int axis = 0;
        while (axis < AXES &&
               (p->shape[0].dim[d] != lengths[axis][0] || p->shape[1].dim[d] != lengths[axis][1]))
            axis++;
        app_print("%s", d ? ", " : "[");
        if (axis < AXES)
            app_print("%s", axes[axis]);
        else
            app_print("%" PRId64, p->shape[0].dim[d]);
    }
    app_print("]%s\n", p->stepwise ? " at each step" : "");
}

lb_status app_print_points(const lb_model *model, lb_error *error)
{
    const lb_ensemble *all = (const lb_ensemble *)model;
    lb_status status = LB_OK;
    for (int64_t i = 0; lb_is_ensemble(model) && i < all->count && !status; i++) {
        app_print("member %" PRId64 "\n", i + 1);
        status = app_print_points(all->member[i], error);
    }
    if (lb_is_ensemble(model) || status) return status;
    listing list = {.count = 0};
    status = fill_listing(model, &list, error);
    app_print("  %-24s%-8s%-8s%s\n", "point", "layers", "heads", "shape");
    for (int i = 0; i < list.count; i++) print_point(&list.all[i]);
    return status;
}
