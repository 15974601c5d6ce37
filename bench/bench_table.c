/* Measures the table of docs/performance.md in one run: Lookback, the matrix products alone and PyTorch in turn, so
 * that a drifting machine speed affects all of them equally. Prints one table. */
#include "cli/options.h"
#include "console/console.h"
#include "io/path.h"
#include "shared/child.h"
#include "shared/measure.h"
#include "shared/session.h"
#include "shared/table.h"

#include "base/alloc.h"
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const all[] = {"lookback", "floor", "products", "pytorch", "pytorch compiled", NULL},
                         *const eager[] = {"lookback", "floor", "products", "pytorch", NULL},
                         *const growing[] = {"lookback", "floor", "pytorch", NULL},
                         *const programs[] = {"lookback", "pytorch", NULL},
                         *const roundings[] = {"lookback", "bfloat16", "pytorch", "pytorch autocast", NULL};
static const bench_case training[] = {
    {"training", "tiny", all, {"--config", "tiny"}},
    {"training", "small", all, {"--config", "small"}},
    {"training", "medium", all, {"--config", "medium"}},
    {"training", "large", all, {"--config", "large"}},
    {"training", "transformer", all, {"--config", "transformer"}},
};
static const bench_case decoding[] = {
    {"decoding", "seq2seq 1", eager, {"--config", "small", "--batch", "1"}},
    {"decoding", "seq2seq 256", eager, {"--config", "small", "--batch", "256"}},
    {"decoding", "seq2seq beam 5", programs, {"--config", "small", "--batch", "1", "--beam", "5"}},
    {"decoding", "transformer 1", eager, {"--config", "transformer", "--batch", "1"}},
    {"decoding", "transformer 256", eager, {"--config", "transformer", "--batch", "256"}},
    {"decoding", "transformer beam 5", programs, {"--config", "transformer", "--batch", "1", "--beam", "5"}},
};
/* What grows with the square of a length, and with the number of classes. */
static const bench_case lengths[] = {
    {"long", "GRU 300", eager, {"--config", "small", "--batch", "16", "--length", "300"}},
    {"long", "transformer 300", eager, {"--config", "transformer", "--batch", "16", "--length", "300"}},
    {"long", "transformer 1000", eager, {"--config", "transformer", "--batch", "8", "--length", "1000"}},
};
#define OF_WORDS "--config", "medium", "--batch", "64", "--length", "12"
static const bench_case vocabularies[] = {
    {"vocabulary", "8000 classes", eager, {OF_WORDS, "--vocabulary", "8000"}},
    {"vocabulary", "8192 classes", eager, {OF_WORDS, "--vocabulary", "8192"}},
};
static const bench_case rounding[] = {
    {"bfloat16", "tiny", roundings, {"--config", "tiny"}},
    {"bfloat16", "small", roundings, {"--config", "small"}},
    {"bfloat16", "medium", roundings, {"--config", "medium"}},
    {"bfloat16", "large", roundings, {"--config", "large"}},
    {"bfloat16", "transformer", roundings, {"--config", "transformer"}},
    {"bfloat16",
     "sentences",
     roundings,
     {"--embed", "192", "--hidden", "256", "--batch", "64", "--length", "15", "--vocabulary",
      "5000"}}, /* the recipe of 25,000 */
};
/* Ranks that stop by the clock would stop after different steps. */
static const bench_case scaling[] = {
    {"scaling", "small", NULL, {"--config", "small", "--steps", "600", "--seconds", "0"}},
    {"scaling", "medium", NULL, {"--config", "medium", "--steps", "60", "--seconds", "0"}},
    {"scaling", "large", NULL, {"--config", "large", "--steps", "10", "--seconds", "0"}},
};
static const bench_case start = {
    "start", "small", programs, {"--config", "small", "--steps", "1", "--warm-up", "0"}};
static const bench_case bits = {
    "bits", "small", NULL, {"--config", "small", "--steps", "5", "--seconds", "0"}};

/* After each round. */
static const bench_case peak = {"peak", "one thread", NULL, {"--peak"}};

enum { ALL, TRAINING, DECODING, TRANSFORMER, LONG, VOCABULARY, GROWTH, SCALING, BUSY, BFLOAT16, UNTIL };
static const char *const parts[] = {
    [ALL] = "all",   [TRAINING] = "training",     [DECODING] = "decoding", [TRANSFORMER] = "transformer",
    [LONG] = "long", [VOCABULARY] = "vocabulary", [GROWTH] = "growth",     [SCALING] = "scaling",
    [BUSY] = "busy", [BFLOAT16] = "bfloat16",     [UNTIL] = "until",       NULL};

typedef struct settings {
    bool quick;
    int part, rounds;
    const char *out, *python, *read;
} settings;

static bool wants(const settings *set, int part)
{
    return set->part == ALL || set->part == part;
}

/* Those whose names begin so. */
static void compare_some(bench_session *s, const bench_case *cases, size_t count, const char *named,
                         int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++)
            for (int threads = 1; threads <= 2; threads++)
                if (strncmp(cases[i].name, named, strlen(named)) == 0) bench_compare(s, &cases[i], threads);
        bench_measure(s, &peak, "products", 1);
    }
}

#define COMPARE(s, cases, named, rounds)                                                                     \
    compare_some(s, cases, sizeof(cases) / sizeof *(cases), named, rounds)

/* One process with one thread and with two, and two processes with one thread each. */
static void compare_scaling(bench_session *s, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < sizeof scaling / sizeof *scaling; i++) {
            for (int threads = 1; threads <= 2; threads++) bench_measure(s, &scaling[i], "lookback", threads);
            bench_measure_ranks(s, &scaling[i]);
        }
}

/* What bench_scaling needs. */
static void measure_costs(bench_session *s, int rounds)
{
    static const char *const ways[] = {"memory", "tcp"};
    for (int round = 0; round < rounds; round++) {
        for (const bench_sized *model = bench_models; model->name; model++)
            for (int i = 0; bench_batches[i]; i++) {
                char name[BENCH_NAME];
                bench_case what = {"cost",
                                   bench_cost_name(model->name, bench_batches[i], name),
                                   NULL,
                                   {"--embed", model->embed, "--hidden", model->hidden, "--length", "20",
                                    "--batch", bench_batches[i]}};
                bench_measure(s, &what, "lookback", 2);
            }
        for (int i = 0; bench_exchanges[i]; i++)
            for (int way = 0; way < 2; way++) bench_measure_exchange(s, bench_exchanges[i], ways[way]);
    }
}

/* The number of threads that a training chooses, next to fixed ones, while other processes compute. The first steps,
 * with which it chooses, count. */
static void compare_busy(bench_session *s, int rounds)
{
    enum { MOST = 8 };
    for (int i = 0; i < rounds * BENCH_CROWDS; i++) {
        pid_t other[MOST];
        const int others = bench_crowds[i % BENCH_CROWDS];
        for (int k = 0; k < others; k++) other[k] = s->planning ? -1 : bench_keep_busy();
        for (const bench_crowded_model *model = bench_crowded; model->name; model++) {
            char name[BENCH_NAME];
            bench_case what = {"busy",
                               bench_busy_name(model->name, others, name),
                               NULL,
                               {"--config", model->name, "--seconds", model->seconds}};
            for (int threads = 1; threads <= lb_threads(); threads *= 2)
                bench_measure(s, &what, "lookback", threads);
            bench_measure(s, &what, "chosen", 0);
        }
        for (int k = 0; k < others; k++) bench_end_busy(other[k]);
    }
}

/* The small config, with another length or width; every other one if `step` is 2. */
static void compare_growth(bench_session *s, const char *part, const char *flag, const char *const *names,
                           int step)
{
    for (int i = 0; names[i]; i++) {
        bench_case what = {part, names[i], growing, {"--config", "small", flag, names[i]}};
        if (i % step == 0) bench_compare(s, &what, 2);
    }
}

static void measure_all(bench_session *s, const settings *set, int rounds)
{
    int step = set->quick ? 2 : 1;
    if (wants(set, TRAINING)) {
        COMPARE(s, training, "", rounds);
        for (int round = 0; round < rounds; round++) bench_compare(s, &start, 2);
        for (int threads = 1; threads <= 4; threads++) bench_measure(s, &bits, "lookback", threads);
    }
    if (wants(set, DECODING)) COMPARE(s, decoding, "", rounds);
    if (set->part == TRANSFORMER) {
        COMPARE(s, training, "transformer", rounds);
        COMPARE(s, decoding, "transformer", rounds);
    }
    if (wants(set, LONG)) COMPARE(s, lengths, "", rounds);
    if (wants(set, VOCABULARY)) COMPARE(s, vocabularies, "", rounds);
    if (wants(set, GROWTH)) {
        compare_growth(s, "length", "--length", bench_lengths, step);
        compare_growth(s, "hidden", "--hidden", bench_hiddens, step);
    }
    if (wants(set, SCALING)) {
        compare_scaling(s, rounds);
        measure_costs(s, rounds);
    }
    if (wants(set, BUSY)) compare_busy(s, rounds);
    if (wants(set, BFLOAT16)) COMPARE(s, rounding, "", rounds);
    if (wants(set, UNTIL) && !set->quick) bench_until_target(s);
}

static void add_cpu(cJSON *machine)
{
    char line[512] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "model name", 10) != 0) line[0] = '\0';
    if (file) fclose(file);
    const char *name = strchr(line, ':');
    line[strcspn(line, "\n")] = '\0';
    cJSON_AddStringToObject(machine, "cpu", name ? name + strspn(name, ": ") : "unknown CPU");
    bench_add(machine, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
}

/* The description that the first run of a program printed. */
static cJSON *add_description(cJSON *object, const cJSON *runs, const char *by, const char *const *fields)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs)
    {
        const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(run, "by"));
        if (!found || strcmp(found, by) != 0) continue;
        for (; *fields; fields++)
            cJSON_AddItemToObject(object, *fields, cJSON_Duplicate(cJSON_GetObjectItem(run, *fields), true));
        break;
    }
    return object;
}

static cJSON *describe(const bench_session *s, bool quick, int rounds)
{
    cJSON *bench = cJSON_CreateObject(), *machine = cJSON_AddObjectToObject(bench, "machine");
    cJSON_AddStringToObject(bench, "lookback", lb_version());
    cJSON_AddBoolToObject(bench, "quick", quick);
    bench_add(bench, "rounds", rounds);
    add_cpu(machine);
    add_description(machine, s->runs, "lookback", (const char *const[]){"kernel", NULL});
    if (s->python)
        add_description(cJSON_AddObjectToObject(bench, "pytorch"), s->runs, "pytorch",
                        (const char *const[]){"torch", "kernel", "capability", NULL});
    cJSON_AddItemToObject(bench, "runs", s->runs);
    return bench;
}

/* With a program of its own; `name` is that of the picture. */
static void draw(const bench_session *s, const char *by, const char *json, const char *name)
{
    char program[APP_PATH], picture[APP_PATH];
    const char *argv[] = {app_path(s->bin, by, program), json, "-o", app_path(s->out, name, picture), NULL};
    bench_child child = bench_run(argv, false);
    if (child.done) fputs(child.output, stdout);
    free(child.output);
}

static lb_status write_files(const bench_session *s, const settings *set, const cJSON *bench, lb_error *error)
{
    char json[APP_PATH], *text = cJSON_Print(bench);
    if (!text) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    app_path(s->out, "bench.json", json);
    lb_status status = lb_file_write_atomic(json, text, strlen(text), error);
    cJSON_free(text);
    if (status) return status;
    if (wants(set, GROWTH)) draw(s, "bench_chart", json, "bench_growth.png");
    if (wants(set, SCALING)) draw(s, "bench_scaling", json, "bench_scaling.png");
    return LB_OK;
}

static lb_status measure(const settings *set, lb_error *error)
{
    if (lb_folder_make(set->out, error)) return error->status;
    int rounds = set->rounds ? set->rounds : set->quick ? 1 : 5;
    bench_session s = {.out = set->out, .seconds = set->quick ? "0.2" : "1"};
    bench_session_open(&s, set->python);
    s.planning = true;
    measure_all(&s, set, rounds);
    s.planning = false;
    app_progress_init(&s.progress, (app_progress_config){.unit = "run", .total = s.total});
    measure_all(&s, set, rounds);
    app_progress_end(&s.progress);
    cJSON *bench = describe(&s, set->quick, rounds);
    bench_table_print(bench);
    lb_status status = write_files(&s, set, bench, error);
    cJSON_Delete(bench);
    return status;
}

static lb_status print_again(const char *path, lb_error *error)
{
    cJSON *bench = bench_record_open(path, error);
    if (!bench) return error->status;
    bench_table_print(bench);
    cJSON_Delete(bench);
    return LB_OK;
}

int main(int argc, char **argv)
{
    settings set = {.out = "out"};
    const app_option options[] = {
        APP_FLAG(0, "quick", &set.quick, "measure less: minutes instead of three quarters of an hour"),
        APP_CHOICE(0, "part", "PART", &set.part, parts,
                   "what to measure; transformer: its rows of training and decoding; until: seconds until "
                   "0.99, never quick"),
        APP_INT(0, "rounds", "N", &set.rounds, 0, 64, "repetitions of each measurement; 0: 5, or 1 if quick"),
        APP_TEXT(0, "python", "PATH", &set.python, "a Python with PyTorch; by default it is searched for"),
        APP_TEXT('o', "out", "DIR", &set.out, "the folder for bench.json and bench_growth.png"),
        APP_TEXT(0, "read", "FILE", &set.read, "print the table of an earlier bench.json without measuring"),
    };
    const app_program program = {
        .name = "bench_table",
        .purpose = "Compares Lookback with PyTorch and with the matrix products alone.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    if (set.read ? print_again(set.read, &error) : measure(&set, &error)) return app_fail(&error);
    return app_close_stdout(0);
}
