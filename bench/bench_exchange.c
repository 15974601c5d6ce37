/* Times how two or more ranks add their gradients, without a model, and prints one JSON object. Run it with mpirun. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/measure.h"

#include "base/alloc.h"
#include "base/group.h"

typedef struct exchange {
    const lb_group *group;
    lb_real *values, *room; /* [count] */
    int count;
    lb_error error; /* of the first one that failed */
} exchange;

static void add_numbers(int64_t count, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

static void add_gradients(void *context, int run)
{
    exchange *e = context;
    (void)run;
    if (e->error.status == LB_OK)
        e->error.status = lb_group_add(e->group, e->values, e->count, e->room, add_numbers, &e->error);
}

static void report(const exchange *e, bench_timing timing)
{
    cJSON *object = cJSON_CreateObject();
    bench_add(object, "ranks", e->group->size);
    bench_add(object, "numbers", e->count);
    bench_add(object, "ms", 1e3 * timing.median);
    bench_print(object);
}

static lb_status measure(exchange *e, bench_effort effort, lb_error *error)
{
    size_t bytes = (size_t)e->count * sizeof *e->values;
    if (!e->group) return lb_error_set(error, LB_ERROR_ARGUMENT, "expected mpirun -n 2");
    lb_status status = lb_group_check(e->group, e->group->size, error);
    if (status) return status;
    e->values = lb_alloc_zero(bytes);
    e->room = lb_alloc_zero(bytes);
    if (!e->values || !e->room) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    bench_timing timing = bench_time(effort, add_gradients, e);
    if (e->error.status) return lb_error_set(error, e->error.status, "%s", e->error.message);
    if (e->group->rank == 0) report(e, timing);
    return LB_OK;
}

static int run(int argc, char **argv)
{
    lb_error error = {0};
    exchange e = {.count = 1000000};
    bench_effort effort = {.warm_up = 5, .runs = 20};
    const app_option options[] = {
        APP_INT(0, "numbers", "N", &e.count, 1, 1 << 30, "parameters of the model"),
        APP_INT(0, "times", "N", &effort.runs, 1, 1000000, "how often"),
    };
    const app_program program = {
        .name = "bench_exchange",
        .purpose = "Times how the ranks of mpirun add their gradients.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .group = &e.group,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_status failed = measure(&e, effort, &error);
    lb_release(e.values);
    lb_release(e.room);
    return app_close_stdout(failed ? app_fail(&error) : 0);
}

int main(int argc, char **argv)
{
    return app_ranks_leave(run(argc, argv));
}
