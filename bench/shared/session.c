#include "shared/session.h"

#include "console/console.h"
#include "shared/child.h"
#include "shared/measure.h"

#include "base/alloc.h"
#include "io/file.h"
#include <lookback/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 32 };

static bool has_torch(bench_session *s, const char *python)
{
    static const char probe[] = "import torch; print('{\"compiles\": %d}' % hasattr(torch, 'compile'))";
    bench_child child = bench_run((const char *[]){python, "-c", probe, NULL}, true);
    cJSON *said = child.done ? bench_last_json(child.output) : NULL;
    if (said) {
        s->python = python;
        s->compiles = cJSON_GetNumberValue(cJSON_GetObjectItem(said, "compiles")) > 0;
    }
    cJSON_Delete(said);
    free(child.output);
    return s->python != NULL;
}

void bench_session_open(bench_session *s, const char *python)
{
    ssize_t length = readlink("/proc/self/exe", s->bin, sizeof s->bin - 1);
    s->bin[length > 0 ? length : 0] = '\0';
    char *name = strrchr(s->bin, '/');
    if (name) *name = '\0';
    s->runs = cJSON_CreateArray();
    bool found = python ? has_torch(s, python) : has_torch(s, "python3") || has_torch(s, "/usr/bin/python3");
    if (!found) app_note("PyTorch is not installed (Debian: python3-torch); measuring only Lookback");
}

static bool is_part(const bench_case *what, const char *part)
{
    return strcmp(what->part, part) == 0;
}

static bool is_pytorch(const char *by)
{
    return strncmp(by, "pytorch", strlen("pytorch")) == 0;
}

/* Only the matrix products, with OpenBLAS or with the kernel of the library. */
static bool is_bare(const char *by)
{
    return strcmp(by, "floor") == 0 || strcmp(by, "products") == 0;
}

/* True if there is something to do; prints it. */
static bool begin(bench_session *s, const char *part, const char *name, const char *by, int threads)
{
    if (s->planning) {
        s->total++;
        return false;
    }
    app_progress_update(&s->progress, s->done++, "%s, %s: %s on %d", part, name, by, threads);
    return true;
}

/* Appends words to `argv`. */
static void append(const char **argv, const char *const *words)
{
    while (*argv) argv++;
    while ((*argv++ = *words++)) {
    }
}

#define APPEND(argv, ...) append(argv, (const char *const[]){__VA_ARGS__, NULL})

/* Runs a program that prints a measurement; `name` is for the note if it fails. */
static void run_and_record(bench_session *s, const bench_case *what, const char *by, int threads,
                           const char *const *argv, const char *name)
{
    bench_child child = bench_run(argv, false);
    cJSON *run = child.done ? bench_last_json(child.output) : NULL;
    if (run)
        bench_record_add(s->runs, run, (bench_key){what->part, what->name, by, threads}, child.seconds);
    else
        app_note("%s has failed: %s, %s", name, what->part, what->name);
    free(child.output);
}

void bench_measure(bench_session *s, const bench_case *what, const char *by, int threads)
{
    const char *argv[MOST_ARGUMENTS] = {NULL};
    char program[APP_PATH], number[16];
    bool decodes = is_part(what, "decoding");
    if (!begin(s, what->part, what->name, by, threads)) return;
    snprintf(number, sizeof number, "%d", threads);
    if (is_pytorch(by))
        APPEND(argv, s->python, app_path(BENCH_DIR, decodes ? "torch_decode.py" : "torch_sort.py", program));
    else if (is_bare(by))
        APPEND(argv, app_path(s->bin, "bench_floor", program), decodes ? "--decode" : NULL);
    else
        APPEND(argv, app_path(s->bin, decodes ? "bench_decode" : "bench_train", program));
    APPEND(argv, "--threads", number, "--seconds", s->seconds, "--steps", "100000");
    append(argv, what->flags);
    if (strcmp(by, "floor") == 0) APPEND(argv, "--openblas");
    if (strcmp(by, "pytorch compiled") == 0) APPEND(argv, "--compile");
    if (strcmp(by, "pytorch autocast") == 0) APPEND(argv, "--autocast");
    if (strcmp(by, "bfloat16") == 0) APPEND(argv, "--precision", by);
    run_and_record(s, what, by, threads, argv, argv[is_pytorch(by)]);
}

/* Open MPI asks whether root means it. */
#define TWO_RANKS "env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun", "-n", "2"

static const char mpirun[] = "mpirun (Debian: libopenmpi-dev, openmpi-bin)";

void bench_measure_ranks(bench_session *s, const bench_case *what)
{
    const char *argv[MOST_ARGUMENTS] = {TWO_RANKS};
    char program[APP_PATH];
    if (!begin(s, what->part, what->name, "ranks", 2)) return;
    APPEND(argv, app_path(s->bin, "bench_train", program), "--shards", "2", "--threads", "1");
    append(argv, what->flags);
    run_and_record(s, what, "ranks", 2, argv, mpirun);
}

void bench_measure_exchange(bench_session *s, const char *numbers, const char *by)
{
    const char *argv[MOST_ARGUMENTS] = {TWO_RANKS};
    char program[APP_PATH];
    const bench_case what = {.part = "exchange", .name = numbers};
    if (!begin(s, what.part, numbers, by, 2)) return;
    if (strcmp(by, "tcp") == 0) APPEND(argv, "--mca", "btl", "tcp,self");
    APPEND(argv, app_path(s->bin, "bench_exchange", program), "--numbers", numbers);
    run_and_record(s, &what, by, 2, argv, mpirun);
}

static bool can_measure(const bench_session *s, const char *by)
{
    if (!is_pytorch(by)) return true;
    return s->python && (s->compiles || strcmp(by, "pytorch") == 0);
}

void bench_compare(bench_session *s, const bench_case *what, int threads)
{
    for (const char *const *by = what->by; *by; by++)
        if (can_measure(s, *by)) bench_measure(s, what, *by, threads);
}

static const char *const until = "until", *const target = "0.99";

/* The last line in the log of train_sort, and the time of the whole program. */
static void until_lookback(bench_session *s)
{
    if (!begin(s, until, target, "lookback", lb_threads())) return;
    char program[APP_PATH], folder[APP_PATH], log[APP_PATH];
    app_path(s->out, "bench_sort", folder);
    /* The defaults of the first version, so that the figures of all versions can be compared. */
    const char *argv[] = {app_path(s->bin, "train_sort", program),
                          "--min-length=5",
                          "--repeats=0",
                          "--attention=additive",
                          "--steps=4000",
                          "--fresh",
                          "--out",
                          folder,
                          NULL};
    bench_child child = bench_run(argv, true);
    void *lines = NULL;
    size_t count;
    lb_error error = {0};
    if (child.done && lb_file_read(app_path(folder, "train.jsonl", log), 0, &lines, &count, &error))
        app_note("%s", error.message);
    cJSON *run = bench_last_json(lines);
    if (run) {
        bench_add(run, "train_seconds", child.seconds);
        bench_record_add(s->runs, run, (bench_key){until, target, "lookback", 0}, child.seconds);
    } else {
        app_note("train_sort failed");
    }
    lb_release(lines);
    free(child.output);
}

/* PyTorch starts where train_sort did; its clock starts when it has read weights and lists. */
static void until_pytorch(bench_session *s)
{
    const bench_key one = {"training", "small", "pytorch", 1}, two = {"training", "small", "pytorch", 2};
    bool both =
        bench_record_median(s->runs, two, "ms_per_step") < bench_record_median(s->runs, one, "ms_per_step");
    if (!begin(s, until, target, "pytorch", both ? 2 : 1)) return;
    char program[APP_PATH], script[APP_PATH], checkpoint[APP_PATH], file[APP_PATH];
    app_path(s->out, "bench_sort/checkpoint.safetensors", checkpoint);
    app_path(s->out, "bench_sort/start.safetensors", file);
    app_path(BENCH_DIR, "torch_sort.py", script);
    const char *write[] = {app_path(s->bin, "bench_start", program), checkpoint, file, NULL};
    const char *train[] = {s->python, script, "--until-target", file, "--threads", both ? "2" : "1", NULL};
    bench_child child = bench_run(write, false);
    if (child.done) {
        free(child.output);
        child = bench_run(train, true);
    }
    cJSON *run = child.done ? bench_last_json(child.output) : NULL;
    if (run)
        bench_record_add(s->runs, run, (bench_key){until, target, "pytorch", 0}, child.seconds);
    else
        app_note("PyTorch failed to sort");
    free(child.output);
}

void bench_until_target(bench_session *s)
{
    until_lookback(s);
    if (s->python) until_pytorch(s);
}
