#include "several/side_by_side.h"

#include "base/alloc.h"
#include "console/console.h"
#include "console/output.h"
#include "io/file.h"
#include "metrics/measures.h"
#include "train/evaluate.h"
#include "translate/training/recipe.h"

#include <math.h>
#include <string.h>

/* What is measured, in the order of the columns. */
enum { EXACT, SYMBOL, LOSS, STEP, SECONDS, BLEU, CHRF, TESTS, MEASURES = TESTS + LB_MOST_TESTS };
enum { CELL = 4 * APP_MEASURED, SEEDS = 5 };

static const struct shown {
    const char *name, *key;
    int width, digits, more; /* digits on the terminal and in the file */
    bool interval;
} shown[] = {
    [EXACT] = {"exact match", "exact_match", 12, 4, 6, true},
    [SYMBOL] = {"symbol error", "symbol_error", 13, 4, 6, true},
    [LOSS] = {"dev loss", "dev_loss", 10, 4, 6, false},
    [STEP] = {"step", "step", 8, 0, 0, false},
    [SECONDS] = {"seconds", "seconds", 8, 1, 1, false},
    [BLEU] = {"BLEU", "bleu_13a", 8, 2, 4, true},
    [CHRF] = {"chrF2", "chrf2", 8, 2, 4, true},
    [TESTS] = {"", "exact_match", 8, 4, 6, true},
};

static const struct shown *shown_as(int measure)
{
    return &shown[measure < TESTS ? measure : TESTS];
}

static double value_of(const app_sweep_result *r, int measure)
{
    const lb_evaluation *dev = &r->best.dev;
    const double values[] = {dev->exact_match,     dev->symbol_error, dev->loss,
                             (double)r->best.step, r->seconds,        dev->own[LB_OWN_BLEU],
                             dev->own[LB_OWN_CHRF]};
    if (r->points == 0) return NAN;
    return measure < TESTS ? values[measure] : r->best.test[measure - TESTS].exact_match;
}

app_mean app_mean_of(const double *numbers, size_t count)
{
    static const double confidence = 0.95;
    app_mean found = {0};
    for (size_t i = 0; i < count; i++) found.seeds += !isnan(numbers[i]);
    lb_mean_interval(numbers, (int64_t)count, confidence, &found.mean, &found.half);
    return found;
}

static app_mean mean_of(const app_result_table *t, size_t i, int measure)
{
    double values[APP_MOST_SEEDS];
    for (size_t s = 0; s < t->seeds; s++) values[s] = value_of(&t->results[i * t->seeds + s], measure);
    return app_mean_of(values, t->seeds);
}

app_mean app_result_table_exact(const app_result_table *t, size_t i, int test)
{
    return mean_of(t, i, test < 0 ? EXACT : TESTS + test);
}

int app_result_table_tests(const app_result_table *t)
{
    int tests = 0;
    while (tests < LB_MOST_TESTS && *t->settings->test[tests].name) tests++;
    return tests;
}

const char *app_result_table_name(const app_result_table *t, size_t i)
{
    return t->names ? t->names[i] : t->results[i * t->seeds].name;
}

/* The column behind that of a measure; MEASURES behind the last. */
static int next_column(const app_result_table *t, int measure)
{
    do measure++;
    while ((measure == BLEU || measure == CHRF) && !lb_config_compares_texts(t->settings));
    return measure < TESTS + app_result_table_tests(t) ? measure : MEASURES;
}

static const char *name_of(const app_result_table *t, int measure)
{
    return measure < TESTS ? shown[measure].name : t->settings->test[measure - TESTS].name;
}

/* "0.9423", or "0.9423 (0.9110 to 0.9736)". */
static char *print_cell(app_mean mean, int measure, char cell[CELL])
{
    char middle[APP_MEASURED], low[APP_MEASURED], high[APP_MEASURED];
    const int digits = shown_as(measure)->digits;
    app_measured(mean.mean, digits, middle);
    if (isnan(mean.half) || !shown_as(measure)->interval)
        snprintf(cell, CELL, "%s", middle);
    else
        snprintf(cell, CELL, "%s (%s to %s)", middle, app_measured(mean.mean - mean.half, digits, low),
                 app_measured(mean.mean + mean.half, digits, high));
    return cell;
}

static int width_of(const app_result_table *t, int measure)
{
    char cell[CELL];
    size_t width = (size_t)shown_as(measure)->width, name = strlen(name_of(t, measure));
    width = name > width ? name : width;
    for (size_t i = 0; i < t->count && t->seeds > 1; i++) {
        size_t length = strlen(print_cell(mean_of(t, i, measure), measure, cell));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_table(const app_result_table *t)
{
    char cell[CELL];
    if (t->seeds > 1) app_print("means over %zu seeds, with 95 %% intervals\n\n", t->seeds);
    for (int m = 0; m < MEASURES; m = next_column(t, m)) app_print("%-*s ", width_of(t, m), name_of(t, m));
    if (t->seeds > 1) app_print("%-*s ", SEEDS, "seeds");
    app_print("training\n");
    for (size_t i = 0; i < t->count; i++) {
        const int64_t seeds = mean_of(t, i, STEP).seeds;
        for (int m = 0; m < MEASURES; m = next_column(t, m)) {
            bool failed = seeds == 0 && m <= SECONDS;
            app_print("%-*s ", width_of(t, m),
                      failed ? (m == 0 ? "failed" : "") : print_cell(mean_of(t, i, m), m, cell));
        }
        if (t->seeds > 1) app_print("%-*lld ", SEEDS, (long long)seeds);
        app_print("%s\n", app_result_table_name(t, i));
    }
}

/* A number that does not exist is an empty cell. */
static void add_number(lb_buffer *text, double number, int measure)
{
    char printed[APP_MEASURED];
    lb_buffer_print(text, "%s\t",
                    isnan(number) ? "" : app_measured(number, shown_as(measure)->more, printed));
}

static void print_file(const app_result_table *t, lb_buffer *text)
{
    for (int m = 0; m < MEASURES; m = next_column(t, m)) {
        static const char *const ends[] = {"", ".low", ".high"};
        for (int end = 0; end < (t->seeds > 1 && shown_as(m)->interval ? 3 : 1); end++)
            lb_buffer_print(text, "%s%s%s%s\t", m < TESTS ? "" : name_of(t, m), m < TESTS ? "" : ".",
                            shown_as(m)->key, ends[end]);
    }
    lb_buffer_print(text, "%straining\n", t->seeds > 1 ? "seeds\t" : "");
    for (size_t i = 0; i < t->count; i++) {
        for (int m = 0; m < MEASURES; m = next_column(t, m)) {
            const app_mean mean = mean_of(t, i, m);
            add_number(text, mean.mean, m);
            if (t->seeds < 2 || !shown_as(m)->interval) continue;
            add_number(text, mean.mean - mean.half, m);
            add_number(text, mean.mean + mean.half, m);
        }
        if (t->seeds > 1) lb_buffer_print(text, "%lld\t", (long long)mean_of(t, i, STEP).seeds);
        lb_buffer_print(text, "%s\n", app_result_table_name(t, i));
    }
}

lb_status app_result_table_show(const app_result_table *t, const char *file, lb_error *error)
{
    char path[APP_PATH];
    lb_buffer text = {0};
    print_table(t);
    if (t->settings->choose_on && app_flush_stdout())
        app_note("test %s is spent: the models were chosen on it", t->settings->choose_on);
    print_file(t, &text);
    app_path(t->settings->out, file, path);
    lb_status status = text.failed ? lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path)
                                   : lb_file_write_own(path, &(lb_bytes){text.text, text.length}, 1, error);
    lb_release(text.text);
    return status;
}
