/* Times one training step, and prints one JSON object. */
#include "common/options.h"
#include "common/report.h"
#include "shared/measure.h"
#include "shared/model.h"

#include "tensor/gemm.h"
#include <lookback/lookback.h>

#include <stdio.h>

/* The data of a step. */
typedef struct training {
    bench_model model;
    lb_tape *tape;
    lb_adam *adam;
    int batch;
    lb_error error; /* of the first step that failed */
} training;

static void train_step(void *context, int step)
{
    training *t = context;
    lb_tape_reset(t->tape);
    lb_batch lists = lb_sort_batch(&t->model.task, t->tape, t->batch, step);
    lb_tensor *logits = lb_model_forward(t->model.model, lists.source, lists.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, lists.target_out, LB_PAD);
    if (lb_backward(loss, &t->error) || lb_adam_step(t->adam, &t->error)) return;
}

/* FNV-1a of the bytes of the weights: threads must not change it. */
static void add_fingerprint(cJSON *object, const lb_params *params)
{
    const unsigned char *bytes = (const unsigned char *)lb_params_values(params);
    size_t count = (size_t)lb_params_size(params) * sizeof(lb_real);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cJSON_AddStringToObject(object, "fingerprint", text);
}

static void report(const training *t, const bench_size *size, lb_attention_kind attention,
                   bench_timing timing)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "program", "lookback");
    bench_add_size(object, size);
    if (!bench_is_transformer(size))
        cJSON_AddStringToObject(object, "attention", lb_attention_names[attention]);
    bench_add(object, "steps", timing.runs);
    bench_add(object, "ms_per_step", 1e3 * timing.median);
    bench_add(object, "ms_per_step_min", 1e3 * timing.least);
    bench_add(object, "tokens_per_second", bench_tokens(size) / timing.median);
    bench_add(object, "mallocs_per_step", timing.allocations);
    add_fingerprint(object, t->model.params);
    bench_print(object);
}

static lb_status measure(const bench_size *size, lb_attention_kind attention, bench_effort effort,
                         lb_error *error)
{
    training t = {.batch = size->batch};
    lb_status status = bench_model_init(&t.model, size, attention, error);
    if (!status) {
        t.tape = lb_tape_new();
        t.adam = lb_adam_new(t.model.params, (lb_adam_config){.clip_norm = 1});
        if (!t.tape || !t.adam) status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    if (!status) {
        bench_timing timing = bench_time(effort, train_step, &t);
        status = t.error.status;
        if (status)
            lb_error_set(error, status, "%s", t.error.message);
        else
            report(&t, size, attention, timing);
    }
    lb_adam_free(t.adam);
    lb_tape_free(t.tape);
    bench_model_free(&t.model);
    return status;
}

int main(int argc, char **argv)
{
    bench_size size = {.config = 1};
    bench_effort effort = {.warm_up = 5, .runs = 200};
    int threads = 0, attention = LB_ATTENTION_ADDITIVE;
    const app_option options[] = {
        BENCH_SIZE_OPTIONS(size),
        APP_CHOICE(0, "attention", "KIND", &attention, lb_attention_names,
                   "of the decoder of the sort model"),
        APP_INT(0, "threads", "N", &threads, 0, 1024, "number of threads; 0: one per processor"),
        BENCH_EFFORT_OPTIONS(effort, "steps"),
    };
    const app_program program = {
        .name = "bench_train",
        .purpose = "Times one training step of the sort model, or of a transformer.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_kernel_name(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    bench_count_allocations();
    bench_size_settle(&size);
    lb_set_threads(threads);
    lb_error error = {0};
    if (measure(&size, (lb_attention_kind)attention, effort, &error)) return app_fail(&error);
    return app_close_stdout(0);
}
