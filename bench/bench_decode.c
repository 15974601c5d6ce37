/* Times decoding with an untrained model, and prints one JSON object. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/measure.h"
#include "shared/model.h"

#include <lookback/lookback.h>

/* The data of a run. */
typedef struct decoding {
    bench_model model;
    lb_tape *tape;
    int batch, beam;
    int64_t limit, written; /* maximum tokens per list, and all tokens of the last run */
} decoding;

/* Without an end, every list reaches the limit, so all programs do the same work. */
static void forbid_end(bench_model *model)
{
    lb_params_find(model->params, "output.bias")->data[LB_EOS] = -1e4f;
}

static void decode_once(void *context, int index)
{
    decoding *d = context;
    lb_tape_reset(d->tape);
    lb_batch lists = lb_sort_batch(&d->model.task, d->tape, d->batch, index);
    d->written = 0;
    if (d->beam == 1) {
        lb_decoded decoded = lb_greedy(d->model.model, lists.source, d->limit);
        for (int64_t row = 0; row < decoded.batch; row++) d->written += decoded.lengths[row];
    } else {
        lb_beam_config config = {.beam = d->beam, .limit = d->limit};
        lb_beam found = lb_beam_search(d->model.model, lists.source, config);
        for (int64_t row = 0; row < found.batch; row++)
            d->written += found.hypothesis[row * found.n_best].length;
    }
}

static void report(const decoding *d, const bench_size *size, bench_timing timing)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "program", "lookback");
    bench_add_size(object, size);
    bench_add(object, "beam", d->beam);
    bench_add(object, "runs", timing.runs);
    bench_add(object, "ms_per_run", 1e3 * timing.median);
    bench_add(object, "ms_per_run_min", 1e3 * timing.least);
    bench_add(object, "tokens_per_second", (double)d->written / timing.median);
    bench_add(object, "mallocs_per_run", timing.allocations);
    bench_print(object);
}

static lb_status measure(const bench_size *size, int beam, bench_effort effort, lb_error *error)
{
    decoding d = {.batch = size->batch, .beam = beam, .limit = size->length + 1};
    lb_status status = bench_model_init(&d.model, size, LB_ATTENTION_ADDITIVE, error);
    if (!status) {
        d.tape = lb_tape_new();
        if (!d.tape) status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    if (!status) {
        forbid_end(&d.model);
        bench_timing timing = bench_time(effort, decode_once, &d);
        status = lb_tape_status(d.tape);
        if (status)
            lb_error_set(error, status, "%s", lb_tape_error(d.tape));
        else
            report(&d, size, timing);
    }
    lb_tape_free(d.tape);
    bench_model_free(&d.model);
    return status;
}

int main(int argc, char **argv)
{
    bench_size size = {.config = 1, .batch = 1, .vocabulary = BENCH_VOCABULARY};
    bench_effort effort = {.warm_up = 5, .runs = 200};
    int threads = 0, beam = 1;
    const app_option options[] = {
        BENCH_SIZE_OPTIONS(size),
        APP_INT(0, "beam", "N", &beam, 1, 1 << 10, "hypotheses per list; 1: greedy decoding"),
        APP_INT(0, "threads", "N", &threads, 0, 1024, "number of threads; 0: one per processor"),
        BENCH_EFFORT_OPTIONS(effort, "runs"),
    };
    const app_program program = {
        .name = "bench_decode",
        .purpose = "Times how long a model takes to write one token more than the numbers of each list.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    bench_count_allocations();
    bench_size_settle(&size);
    lb_set_threads(threads);
    lb_error error = {0};
    if (measure(&size, beam, effort, &error)) return app_fail(&error);
    return app_close_stdout(0);
}
