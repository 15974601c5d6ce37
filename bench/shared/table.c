#include "shared/table.h"

#include "shared/measure.h"
#include "shared/record.h"

#include <lookback/base.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 30, TEXT = 128, LINE = 256 };

/* A target. */
typedef struct goal {
    enum { NONE, AT_LEAST, AT_MOST } kind;
    double value;
} goal;

/* A row that compares Lookback with PyTorch and with the floor. */
typedef struct row {
    const char *part, *name;
    goal faster;  /* than PyTorch, both at their best */
    goal floor;   /* times the floor, on two threads */
    goal scaling; /* two threads against one */
    goal share;   /* of the peak, on one thread */
    goal memory;  /* MB */
} row;

#define ROW(its_part, its_name) .part = its_part, .name = its_name
static const row rows[] = {
    {ROW("training", "tiny"), .faster = {AT_LEAST, 20}},
    {ROW("training", "small"), .faster = {AT_LEAST, 4}, .floor = {AT_MOST, 1.4}, .scaling = {AT_LEAST, 1.6},
     .share = {AT_LEAST, 0.62}},
    {ROW("training", "medium"), .faster = {AT_LEAST, 2.4}, .floor = {AT_MOST, 1.25},
     .scaling = {AT_LEAST, 1.8}, .share = {AT_LEAST, 0.65}},
    {ROW("training", "large"), .faster = {AT_LEAST, 2}, .floor = {AT_MOST, 1.2}, .scaling = {AT_LEAST, 1.8},
     .share = {AT_LEAST, 0.65}},
    {ROW("training", "transformer"), .faster = {AT_LEAST, 2.5}, .share = {AT_LEAST, 0.62}},
    {ROW("decoding", "seq2seq 1"), .faster = {AT_LEAST, 6}},
    {ROW("decoding", "seq2seq 256"), .faster = {AT_LEAST, 4}},
    {ROW("decoding", "seq2seq beam 5")},
    {ROW("decoding", "transformer 1"), .faster = {AT_LEAST, 4}},
    {ROW("decoding", "transformer 256"), .faster = {AT_LEAST, 1.9}},
    {ROW("decoding", "transformer beam 5")},
    {ROW("long", "GRU 300")},
    {ROW("long", "transformer 300")},
    {ROW("long", "transformer 1000"), .memory = {AT_MOST, 600}},
    {ROW("vocabulary", "8000 classes"), .memory = {AT_MOST, 220}},
    {ROW("vocabulary", "8192 classes")},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct table {
    const cJSON *runs;
    cJSON *targets;
    char line[LINE]; /* the current line */
    size_t length;
} table;

static void LB_PRINTF(2, 3) add(table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(t->line + t->length, sizeof t->line - t->length, format, arguments);
    va_end(arguments);
    size_t length = t->length + (added > 0 ? (size_t)added : 0);
    t->length = length < sizeof t->line ? length : sizeof t->line - 1;
}

static void end_line(table *t)
{
    while (t->length > 0 && t->line[t->length - 1] == ' ') t->length--;
    printf("%.*s\n", (int)t->length, t->line);
    t->length = 0;
}

static void add_number(table *t, double value)
{
    int digits = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
    if (isfinite(value))
        add(t, "%9.*f", digits, value);
    else
        add(t, "%9s", "-");
}

/* Adds a value with its target, and records both. */
static void add_judged(table *t, const char *label, const char *what, double value, goal wanted)
{
    if (!isfinite(value)) {
        add(t, "%8s%7s", "-", "");
        return;
    }
    bool met = wanted.kind == AT_MOST ? value <= wanted.value : value >= wanted.value;
    char text[TEXT] = "";
    if (wanted.kind) snprintf(text, sizeof text, "[%g]%s", wanted.value, met ? "" : "*");
    add(t, "%8.2f %-6s", value, text);
    if (!wanted.kind) return;
    cJSON *target = cJSON_CreateObject();
    snprintf(text, sizeof text, "%s: %s", label, what);
    cJSON_AddStringToObject(target, "what", text);
    bench_add(target, "measured", value);
    bench_add(target, wanted.kind == AT_MOST ? "at_most" : "at_least", wanted.value);
    cJSON_AddBoolToObject(target, "met", met);
    cJSON_AddItemToArray(t->targets, target);
}

/* The floating-point operations of the products of a step, over those that one thread can do in its time. */
static double share_of_peak(const table *t, const row *r, double ms)
{
    const bench_key products = {r->part, r->name, "products", 0},
                    peak = {"peak", "one thread", "products", 1};
    return bench_record_median(t->runs, products, "gflop") / (1e-3 * ms) /
           bench_record_median(t->runs, peak, "gflop_per_second");
}

static void print_row(table *t, const row *r)
{
    static const char *const programs[] = {"lookback", "floor", "products", "pytorch"};
    enum { LOOKBACK, FLOOR, PRODUCTS, PYTORCH, PROGRAMS };
    const bool trains = strcmp(r->part, "decoding") != 0;
    double ms[PROGRAMS][2], least[PROGRAMS];
    char label[TEXT];
    for (int i = 0; i < PROGRAMS; i++) {
        bench_key key = {r->part, r->name, programs[i], 0};
        const char *field = trains ? "ms_per_step" : "ms_per_run";
        least[i] = bench_record_best(t->runs, key, field);
        for (key.threads = 1; key.threads <= 2; key.threads++)
            ms[i][key.threads - 1] = bench_record_best(t->runs, key, field);
    }
    if (isnan(least[LOOKBACK])) return;
    snprintf(label, sizeof label, "%s, %s", trains ? "train" : "decode", r->name);
    add(t, "%-*s", LABEL, label);
    for (int i = 0; i < 2 * PROGRAMS; i++) add_number(t, ms[i / 2][i % 2]);
    add_judged(t, label, "PyTorch / Lookback", least[PYTORCH] / least[LOOKBACK], r->faster);
    add_judged(t, label, "Lookback / floor, on 2 threads", ms[LOOKBACK][1] / ms[FLOOR][1], r->floor);
    add_judged(t, label, "1 thread / 2 threads", ms[LOOKBACK][0] / ms[LOOKBACK][1], r->scaling);
    add_judged(t, label, "share of the peak, on 1 thread", share_of_peak(t, r, ms[LOOKBACK][0]), r->share);
    const bench_key lookback = {r->part, r->name, "lookback", 2}, pytorch = {r->part, r->name, "pytorch", 0};
    add_judged(t, label, "MB", bench_record_median(t->runs, lookback, "peak_mb"), r->memory);
    add_number(t, bench_record_best(t->runs, pytorch, "peak_mb"));
    end_line(t);
}

static void print_speeds(table *t)
{
    add(t, "%-*s%18s%18s%18s%18s%13s%15s%15s%15s%11s%13s", LABEL, "milliseconds", "Lookback", "floor",
        "own products", "PyTorch", "PyTorch /", "Lookback /", "1 thread /", "share of the", "MB,", "MB,");
    end_line(t);
    add(t, "%-*s", LABEL, "threads");
    for (int i = 0; i < 8; i++) add(t, "%9d", 1 + i % 2);
    add(t, "%13s%15s%15s%15s%13s%11s", "Lookback", "floor, on 2", "2 threads", "peak, on 1", "Lookback",
        "PyTorch");
    end_line(t);
    for (const row *r = rows; r < rows + ROWS; r++) print_row(t, r);
    add(t, "%-*s", LABEL, "peak of one thread, GFLOP/s");
    add_number(t, bench_record_median(t->runs, (bench_key){"peak", "one thread", "products", 1},
                                      "gflop_per_second"));
    end_line(t);
    const char *label = "8192 / 8000 classes, time";
    double more = bench_record_best(t->runs, (bench_key){"vocabulary", "8192 classes", "lookback", 0},
                                    "ms_per_step"),
           less = bench_record_best(t->runs, (bench_key){"vocabulary", "8000 classes", "lookback", 0},
                                    "ms_per_step");
    if (isnan(more / less)) return;
    add(t, "%-*s", LABEL, label);
    add_judged(t, label, "ratio", more / less, (goal){AT_MOST, 1.06});
    end_line(t);
}

/* One number of both programs. */
static void print_both(table *t, const char *label, double lookback, goal wanted, double pytorch,
                       goal wanted_ratio)
{
    add(t, "%-*s", LABEL, label);
    add_judged(t, label, "Lookback", lookback, wanted);
    add_number(t, pytorch);
    add(t, "%4s", "");
    add_judged(t, label, "PyTorch / Lookback", pytorch / lookback, wanted_ratio);
    end_line(t);
}

static double most_mallocs(const table *t)
{
    double most = NAN;
    for (const row *r = rows; r < rows + ROWS; r++)
        for (int threads = 1; threads <= 2; threads++) {
            bench_key key = {r->part, r->name, "lookback", threads};
            most = fmax(most, bench_record_median(t->runs, key, "mallocs_per_step"));
        }
    return most;
}

static void print_rest(table *t)
{
    const bench_key small = {"training", "small", "lookback", 2},
                    small_pytorch = {"training", "small", "pytorch", 0},
                    start = {"start", "small", "lookback", 0},
                    start_pytorch = {"start", "small", "pytorch", 0},
                    sorts = {"until", "0.99", "lookback", 0}, sorts_pytorch = {"until", "0.99", "pytorch", 0},
                    bits = {"bits", "small", "lookback", 0};
    add(t, "%-*s%9s%15s    PyTorch / Lookback", LABEL, "", "Lookback", "PyTorch");
    end_line(t);
    print_both(t, "peak memory, train, small, MB", bench_record_median(t->runs, small, "peak_mb"),
               (goal){AT_MOST, 40}, bench_record_best(t->runs, small_pytorch, "peak_mb"),
               (goal){AT_LEAST, 10});
    print_both(t, "start to first step, ms", 1e3 * bench_record_median(t->runs, start, "seconds"),
               (goal){AT_MOST, 50}, 1e3 * bench_record_median(t->runs, start_pytorch, "seconds"), (goal){0});
    print_both(t, "train_sort until 0.99, s", bench_record_median(t->runs, sorts, "train_seconds"),
               (goal){AT_MOST, 20}, bench_record_median(t->runs, sorts_pytorch, "train_seconds"),
               (goal){AT_LEAST, 4});
    print_both(t, "mallocs in a step", most_mallocs(t), (goal){AT_MOST, 0}, NAN, (goal){0});
    print_both(t, "other bits on 2, 3, 4 threads", bench_record_differing(t->runs, bits, "fingerprint"),
               (goal){AT_MOST, 0}, NAN, (goal){0});
}

static void print_rounded(table *t)
{
    static const struct {
        const char *name;
        goal of_float32;
    } of[] = {{"tiny", {AT_MOST, 1.05}},  {"small", {AT_MOST, 0.85}},      {"medium", {AT_MOST, 0.66}},
              {"large", {AT_MOST, 0.66}}, {"transformer", {AT_MOST, 0.7}}, {"sentences", {AT_MOST, 0.7}}};
    static const char *const programs[] = {"lookback", "bfloat16", "pytorch", "pytorch autocast"};
    enum { PROGRAMS = sizeof programs / sizeof *programs };
    add(t, "%-*s%18s%18s%18s%18s    bfloat16 / float32", LABEL, "milliseconds", "float32", "bfloat16",
        "PyTorch", "autocast");
    end_line(t);
    add(t, "%-*s", LABEL, "threads");
    for (int i = 0; i < 2 * PROGRAMS; i++) add(t, "%9d", 1 + i % 2);
    add(t, "%8d%15d", 1, 2);
    end_line(t);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double ms[PROGRAMS][2];
        for (int by = 0; by < PROGRAMS; by++)
            for (int threads = 1; threads <= 2; threads++)
                ms[by][threads - 1] = bench_record_median(
                    t->runs, (bench_key){"bfloat16", of[i].name, programs[by], threads}, "ms_per_step");
        add(t, "%-*s", LABEL, of[i].name);
        for (int k = 0; k < 2 * PROGRAMS; k++) add_number(t, ms[k / 2][k % 2]);
        for (int k = 0; k < 2; k++)
            add_judged(t, of[i].name, k ? "bfloat16 / float32, on 2 threads" : "bfloat16 / float32",
                       ms[1][k] / ms[0][k], of[i].of_float32);
        end_line(t);
    }
}

static void print_growth(table *t, const char *part, const char *const *names)
{
    for (; *names; names++) {
        bench_key lookback = {part, *names, "lookback", 0}, floor = {part, *names, "floor", 0},
                  pytorch = {part, *names, "pytorch", 0};
        char label[TEXT];
        double time = 1e6 / bench_record_median(t->runs, lookback, "tokens_per_second");
        if (!isfinite(time)) continue;
        snprintf(label, sizeof label, "%s %s", part, *names);
        add(t, "%-*s", LABEL, label);
        add_number(t, time);
        add_number(t, 1e6 / bench_record_median(t->runs, floor, "tokens_per_second"));
        add_number(t, 1e6 / bench_record_median(t->runs, pytorch, "tokens_per_second"));
        add(t, "    ");
        add_number(t, bench_record_median(t->runs, lookback, "peak_mb"));
        add_number(t, bench_record_median(t->runs, pytorch, "peak_mb"));
        end_line(t);
    }
}

static const char *text_of(const cJSON *object, const char *field)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, field));
    return text ? text : "unknown";
}

static void print_heading(const cJSON *bench)
{
    const cJSON *machine = cJSON_GetObjectItem(bench, "machine"),
                *pytorch = cJSON_GetObjectItem(bench, "pytorch");
    printf("%s, %g processors; Lookback %s on %s\n", text_of(machine, "cpu"),
           cJSON_GetNumberValue(cJSON_GetObjectItem(machine, "processors")), text_of(bench, "lookback"),
           text_of(machine, "kernel"));
    if (pytorch)
        printf("PyTorch %s on %s, %s\n", text_of(pytorch, "torch"), text_of(pytorch, "kernel"),
               text_of(pytorch, "capability"));
    printf("Medians of %g rounds. Targets are in brackets; a star marks a missed one.\n\n",
           cJSON_GetNumberValue(cJSON_GetObjectItem(bench, "rounds")));
}

static void print_ranks(table *t, const char *size, const char *label,
                        double (*find)(const cJSON *record, bench_key key, const char *field), goal faster,
                        goal slower)
{
    double one = find(t->runs, (bench_key){"scaling", size, "lookback", 1}, "ms_per_step"),
           two = find(t->runs, (bench_key){"scaling", size, "lookback", 2}, "ms_per_step"),
           ranks = find(t->runs, (bench_key){"scaling", size, "ranks", 0}, "ms_per_step");
    const double ms[] = {one, two, ranks};
    add(t, "%-*s", LABEL, label);
    for (int k = 0; k < 3; k++) {
        add(t, "  ");
        add_number(t, ms[k]);
    }
    add_judged(t, label, "1 thread / 2 ranks", one / ranks, faster);
    add_judged(t, label, "2 ranks / 2 threads", ranks / two, slower);
    end_line(t);
}

/* Two ranks of one thread against one process of one thread, and of two. On a machine that others use, too, two cores
 * are more often disturbed than one: the fastest rounds are nearest to what the program takes. */
static void print_scaling(table *t)
{
    static const struct {
        const char *name, *label;
        goal faster, slower;
    } sizes[] = {{"small", "train, small", {AT_LEAST, 1.5}, {0}},
                 {"medium", "train, medium", {AT_LEAST, 1.7}, {0}},
                 {"large", "train, large", {AT_LEAST, 1.85}, {AT_MOST, 1.1}}};
    add(t, "%-*s%11s%11s%11s%15s%15s", LABEL, "milliseconds", "1 thread", "2 threads", "2 ranks",
        "1 thread /", "2 ranks /");
    end_line(t);
    add(t, "%-*s%11s%11s%11s%15s%15s", LABEL, "", "", "", "", "2 ranks", "2 threads");
    end_line(t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        print_ranks(t, sizes[i].name, sizes[i].label, bench_record_median, sizes[i].faster, sizes[i].slower);
        print_ranks(t, sizes[i].name, "  fastest round", bench_record_fastest, sizes[i].faster,
                    sizes[i].slower);
    }
}

/* Means, because a wait of some steps counts, too. */
static void print_crowd(table *t, const char *model, int others)
{
    char name[BENCH_NAME];
    bench_key key = {"busy", bench_busy_name(model, others, name), "lookback", 0};
    double least = NAN, chosen;
    add(t, "%-*s", LABEL, name);
    for (key.threads = 1; key.threads <= BENCH_MOST_THREADS; key.threads *= 2) {
        double ms = bench_record_median(t->runs, key, "ms_per_step_mean");
        if (isfinite(ms)) add_number(t, ms);
        least = fmin(least, ms);
    }
    key = (bench_key){"busy", name, "chosen", 0};
    chosen = bench_record_median(t->runs, key, "ms_per_step_mean");
    add_number(t, chosen);
    add_judged(t, name, "chosen / best", chosen / least, (goal){AT_MOST, 1.1});
    end_line(t);
}

static void print_busy(table *t)
{
    add(t, "%-*smilliseconds of a step on 1, 2, 4 ... threads, and on a number that the training chooses",
        LABEL, "beside busy processes");
    end_line(t);
    for (const bench_crowded_model *model = bench_crowded; model->name; model++)
        for (int i = 0; i < BENCH_CROWDS; i++) print_crowd(t, model->name, bench_crowds[i]);
}

static void print_growths(table *t)
{
    add(t, "%-*s%27s%22s", LABEL, "growth, on 2 threads", "microseconds per token", "MB");
    end_line(t);
    add(t, "%-*s%9s%9s%9s%13s%9s", LABEL, "", "Lookback", "floor", "PyTorch", "Lookback", "PyTorch");
    end_line(t);
    print_growth(t, "length", bench_lengths);
    print_growth(t, "hidden", bench_hiddens);
}

/* Prints what was measured of these parts. */
static void print_if(table *t, const char *part, const char *other, void (*print)(table *t))
{
    if (!bench_record_has(t->runs, part) && !bench_record_has(t->runs, other)) return;
    print(t);
    puts("");
}

void bench_table_print(cJSON *bench)
{
    table t = {.runs = cJSON_GetObjectItem(bench, "runs"), .targets = cJSON_CreateArray()};
    print_heading(bench);
    print_if(&t, "peak", "decoding", print_speeds);
    print_if(&t, "training", "until", print_rest);
    print_if(&t, "length", "hidden", print_growths);
    print_if(&t, "scaling", "scaling", print_scaling);
    print_if(&t, "busy", "busy", print_busy);
    print_if(&t, "bfloat16", "bfloat16", print_rounded);
    cJSON_DeleteItemFromObject(bench, "targets");
    cJSON_AddItemToObject(bench, "targets", t.targets);
}
