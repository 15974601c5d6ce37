/* Times one training step of the sort model, and prints one JSON object. */
#include "common/options.h"
#include "common/report.h"

#include <lookback/lookback.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { VOCABULARY = 100, WARM_UP = 5 };

/* The sizes at which DESIGN compares; lists have exactly `length` numbers. */
static const char *const config_names[] = {"tiny", "small", "medium", "large", NULL};
static const struct size {
    int embed, hidden, batch, length;
} sizes[] = {{16, 32, 16, 8}, {64, 128, 64, 10}, {128, 256, 128, 20}, {256, 512, 128, 40}};

static long allocations;

static void *counting_malloc(size_t bytes)
{
    allocations++;
    return malloc(bytes);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void train_step(const lb_seq2seq *model, const lb_sort_task *task, lb_tape *tape, lb_adam *adam,
                       int batch, int64_t step)
{
    lb_tape_reset(tape);
    lb_batch lists = lb_sort_batch(task, tape, batch, step);
    lb_tensor *logits = lb_seq2seq_forward(model, lists.source, lists.target_in);
    lb_backward(lb_cross_entropy(logits, lists.target_out, LB_PAD));
    lb_adam_step(adam);
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static lb_status measure(int config, int steps)
{
    struct size size = sizes[config];
    lb_sort_task task = {VOCABULARY - LB_FIRST_TOKEN - 1, size.length, size.length, 1};
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_seq2seq model;
    lb_seq2seq_init(&model, params, "",
                    (lb_seq2seq_config){.source_vocab = VOCABULARY,
                                        .target_vocab = VOCABULARY,
                                        .embed = size.embed,
                                        .hidden = size.hidden});
    lb_adam *adam = lb_adam_new(params, (lb_adam_config){.clip_norm = 1});
    double *seconds = malloc((size_t)steps * sizeof *seconds);
    for (int step = 0; step < WARM_UP; step++) train_step(&model, &task, tape, adam, size.batch, step);
    long before = allocations;
    for (int step = 0; step < steps; step++) {
        double start = now();
        train_step(&model, &task, tape, adam, size.batch, WARM_UP + step);
        seconds[step] = now() - start;
    }
    qsort(seconds, (size_t)steps, sizeof *seconds, compare);
    double median = seconds[steps / 2];
    printf("{\"program\":\"lookback\",\"config\":\"%s\",\"threads\":%d,\"steps\":%d,\"ms_per_step\":%.4f,",
           config_names[config], lb_threads(), steps, 1e3 * median);
    printf("\"tokens_per_second\":%.0f,\"peak_mb\":%.1f,\"mallocs_per_step\":%.3f,\"kernel\":\"%s\"}\n",
           size.batch * (size.length + 1) / median, peak_megabytes(), (double)(allocations - before) / steps,
           lb_gemm_kernel());
    lb_status status = lb_tape_status(tape);
    free(seconds);
    lb_adam_free(adam);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

int main(int argc, char **argv)
{
    int config = 1, threads = 0, steps = 200;
    const app_option options[] = {
        APP_CHOICE(0, "config", "SIZE", &config, config_names, "size of model and batch"),
        APP_INT(0, "threads", "N", &threads, 0, 1024, "threads, 0 for one a processor"),
        APP_INT(0, "steps", "N", &steps, 1, 1000000, "steps that are timed"),
    };
    const app_program program = {
        .name = "bench_train",
        .purpose = "Times one training step of the sort model.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .kernel = lb_gemm_kernel(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_set_allocator(&(lb_allocator){counting_malloc, free});
    lb_set_threads(threads);
    lb_status measured = measure(config, steps);
    if (measured) return app_fail(&(lb_error){.status = measured, .message = "the benchmark failed"});
    return app_close_stdout(0);
}
