/* Times one training step, and prints one JSON object. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/measure.h"
#include "shared/model.h"
#include "shared/stages.h"

#include "base/bytes.h"
#include <lookback/lookback.h>

#include <stdio.h>

enum { WARM = 2 }; /* steps before stages are told apart */

/* The data of a step, which is one of lb_train. */
typedef struct training {
    bench_model model;
    lb_trainer_config config;
    lb_train_history history;
    int batch;      /* of a shard */
    bool stages;    /* whether to tell them apart */
    int staged;     /* steps that were */
    lb_error error; /* of the first step that failed */
} training;

static lb_tensor *loss_of_part(void *context, lb_tape *tape, int64_t part, int64_t *tokens)
{
    const training *t = context;
    lb_batch lists = lb_sort_batch(&t->model.task, tape, t->batch, part);
    for (int64_t row = 0; row < lists.target_out.batch; row++) *tokens += lists.target_out.lengths[row];
    lb_tensor *logits = lb_model_forward(t->model.model, lists.source, lists.target_in);
    return lb_cross_entropy(logits, lists.target_out, LB_PAD);
}

static void train_step(void *context, int step)
{
    training *t = context;
    if (t->stages && step == WARM) bench_stages_begin();
    t->staged += step >= WARM;
    if (t->error.status == LB_OK) t->error.status = lb_train(t->config, &t->history, &t->error);
}

/* Threads and ranks must not change it. */
static void add_fingerprint(cJSON *object, const lb_params *params)
{
    char text[20];
    uint64_t hash =
        lb_hash(LB_HASH, lb_params_values(params), (size_t)lb_params_size(params) * sizeof(lb_real));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cJSON_AddStringToObject(object, "fingerprint", text);
}

static void report(training *t, const bench_size *size, lb_attention_kind attention, bench_timing timing)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "program", "lookback");
    bench_add_size(object, size);
    if (!bench_is_transformer(size))
        cJSON_AddStringToObject(object, "attention", lb_attention_names[attention]);
    bench_add(object, "parameters", (double)lb_params_size(t->model.params));
    bench_add(object, "steps", timing.runs);
    bench_add(object, "ms_per_step", 1e3 * timing.median);
    bench_add(object, "ms_per_step_mean", 1e3 * timing.mean);
    bench_add(object, "ms_per_step_min", 1e3 * timing.least);
    bench_add(object, "tokens_per_second", bench_tokens(size) / timing.median);
    bench_add(object, "mallocs_per_step", timing.allocations);
    if (t->stages) bench_stages_add(object, t->staged); /* first, because it stops the clock */
    add_fingerprint(object, t->model.params);
    bench_print(object);
}

static lb_status measure(const bench_size *size, lb_attention_kind attention, lb_precision precision,
                         bench_effort effort, int shards, bool stages, const lb_group *group, lb_error *error)
{
    training t = {.batch = size->batch / shards, .stages = stages};
    lb_status status = bench_model_init(&t.model, size, attention, error);
    t.config = (lb_trainer_config){.params = t.model.params,
                                   .context = &t,
                                   .loss = loss_of_part,
                                   .schedule = {.lr = 1e-3},
                                   .optimizer = {.clip_norm = 1},
                                   .steps = INT64_MAX,
                                   .evaluate_every = INT64_MAX,
                                   .part = -1,
                                   .precision = precision,
                                   .shards = shards,
                                   .group = group};
    if (!status) status = lb_train(t.config, &t.history, error);
    t.config.part = 1;
    if (!status) {
        bench_timing timing = bench_time(effort, train_step, &t);
        status = t.error.status;
        if (status)
            lb_error_set(error, status, "%s", t.error.message);
        else if (!group || group->rank == 0)
            report(&t, size, attention, timing);
    }
    bench_model_free(&t.model);
    return status;
}

static int run(int argc, char **argv)
{
    lb_error error = {0};
    const lb_group *group = NULL;
    bench_size size = {.config = 1, .vocabulary = BENCH_VOCABULARY};
    bench_effort effort = {.warm_up = 5, .runs = 200};
    bool stages = false;
    int threads = 0, shards = 1, attention = LB_ATTENTION_ADDITIVE, precision = LB_FLOAT32;
    const app_option options[] = {
        BENCH_SIZE_OPTIONS(size),
        APP_CHOICE(0, "attention", "KIND", &attention, lb_attention_names,
                   "of the decoder of the sort model"),
        APP_CHOICE(0, "precision", "KIND", &precision, lb_precision_names, "of the products of a step"),
        APP_INT(0, "shards", "N", &shards, 1, LB_MOST_SHARDS,
                "parts of each batch, for the ranks of mpirun; then give --steps, and --seconds 0"),
        APP_INT(0, "threads", "N", &threads, 0, 1024, "number of threads; 0: one per processor"),
        APP_FLAG(0, "stages", &stages, "say how the time divides among ops, products and the optimiser"),
        BENCH_EFFORT_OPTIONS(effort, "steps"),
    };
    const app_program program = {
        .name = "bench_train",
        .purpose = "Times one training step of the sort model, or of a transformer.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .group = &group,
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    bench_count_allocations();
    bench_size_settle(&size);
    lb_set_threads(threads);
    if (measure(&size, (lb_attention_kind)attention, (lb_precision)precision, effort, shards, stages, group,
                &error))
        return app_fail(&error);
    return app_close_stdout(0);
}

int main(int argc, char **argv)
{
    return app_ranks_leave(run(argc, argv));
}
