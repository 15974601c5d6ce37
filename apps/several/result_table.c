/* The table of a sweep or a comparison, on the terminal and as a file: a row a combination, its mean over the seeds. */
#include "several/side_by_side.h"

#include "console/console.h"
#include "io/file.h"
#include "io/path.h"
#include "metrics/measures.h"
#include "translate/batches/evaluate.h"
#include "translate/plan/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURES = APP_LOSS, CELL = 4 * APP_MEASURED, SEEDS = 5 };

static const struct shown {
    const char *name, *key;
    int width, digits, more; /* digits on the terminal and in the file */
    bool interval;
} shown[] = {
    [APP_EXACT] = {"exact match", "exact_match", 12, 4, 6, true},
    [APP_SYMBOL_ERROR] = {"symbol error", "symbol_error", 13, 4, 6, true},
    [APP_DEV_LOSS] = {"dev loss", "dev_loss", 10, 4, 6, false},
    [APP_STEP] = {"step", "step", 8, 0, 0, false},
    [APP_SECONDS] = {"seconds", "seconds", 8, 1, 1, false},
    [APP_BLEU] = {"BLEU", "bleu_13a", 8, 2, 4, true},
    [APP_CHRF] = {"chrF2", "chrf2", 8, 2, 4, true},
    [APP_TESTS] = {"", "exact_match", 8, 4, 6, true},
};

static const struct shown *shown_as(int measure)
{
    return &shown[measure < APP_TESTS ? measure : APP_TESTS];
}

/* With the digits that the log of the training has. */
static double as_logged(double value)
{
    char text[APP_MEASURED];
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

static double value_of(const app_training *t, int measure)
{
    const lb_train_point *best = app_training_best(t);
    if (!best) return NAN;
    const lb_evaluation *dev = &best->dev;
    const double values[] = {dev->exact_match,
                             dev->symbol_error,
                             dev->loss,
                             (double)best->step,
                             lb_train_last(&t->made->history)->seconds,
                             dev->own[LB_OWN_BLEU],
                             dev->own[LB_OWN_CHRF]};
    if (measure == APP_LOSS) return as_logged(best->loss);
    return measure < APP_TESTS ? values[measure] : best->test[measure - APP_TESTS].exact_match;
}

app_mean app_mean_of(const double *numbers, size_t count)
{
    static const double confidence = 0.95;
    app_mean found = {0};
    for (size_t i = 0; i < count; i++) found.seeds += !isnan(numbers[i]);
    lb_mean_interval(numbers, (int64_t)count, confidence, &found.mean, &found.half);
    return found;
}

app_mean app_result_table_mean(const app_result_table *t, size_t i, int measure)
{
    double values[APP_MOST_SEEDS];
    for (size_t s = 0; s < t->seeds; s++) values[s] = value_of(&t->trainings[i * t->seeds + s], measure);
    return app_mean_of(values, t->seeds);
}

int app_result_table_tests(const app_result_table *t)
{
    int tests = 0;
    while (tests < LB_MOST_TESTS && *t->settings->test[tests].name) tests++;
    return tests;
}

const char *app_result_table_name(const app_result_table *t, size_t i)
{
    return t->names ? t->names[i] : t->trainings[i * t->seeds].name;
}

app_chosen_by app_result_table_choice(const app_result_table *t)
{
    const lb_train_point *first = app_training_best(t->trainings);
    const lb_criterion *by = lb_criterion_find(t->settings->choose, first ? &first->dev : NULL);
    app_chosen_by found = {APP_DEV_LOSS, by->axis, by->scale, by->texts};
    for (int m = 0; m < APP_TESTS; m++)
        if (strcmp(shown[m].key, by->key) == 0) found.column = m;
    return found;
}

/* The column behind that of a measure; MEASURES behind the last. Texts may be compared without being asked for. */
static int next_column(const app_result_table *t, int measure)
{
    const bool texts = app_result_table_choice(t).texts;
    do measure++;
    while ((measure == APP_BLEU || measure == APP_CHRF) && !texts);
    return measure < APP_TESTS + app_result_table_tests(t) ? measure : MEASURES;
}

static const char *name_of(const app_result_table *t, int measure)
{
    return measure < APP_TESTS ? shown[measure].name : t->settings->test[measure - APP_TESTS].name;
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
        size_t length = strlen(print_cell(app_result_table_mean(t, i, measure), measure, cell));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* How many columns a measure has in the file: the ends of an interval, too. */
static int columns_in_file(const app_result_table *t, int measure)
{
    return t->seeds > 1 && shown_as(measure)->interval ? 3 : 1;
}

static void print_heads(const app_result_table *t, lb_buffer *file)
{
    static const char *const ends[] = {"", ".low", ".high"};
    if (t->seeds > 1) app_print("means over %zu seeds, with 95 %% intervals\n\n", t->seeds);
    for (int m = 0; m < MEASURES; m = next_column(t, m)) {
        app_print("%-*s ", width_of(t, m), name_of(t, m));
        for (int end = 0; end < columns_in_file(t, m); end++)
            lb_buffer_print(file, "%s%s%s%s\t", m < APP_TESTS ? "" : name_of(t, m), m < APP_TESTS ? "" : ".",
                            shown_as(m)->key, ends[end]);
    }
    if (t->seeds > 1) app_print("%-*s ", SEEDS, "seeds");
    app_print("training\n");
    lb_buffer_print(file, "%straining\n", t->seeds > 1 ? "seeds\t" : "");
}

static void print_row(const app_result_table *t, size_t i, lb_buffer *file)
{
    char cell[CELL];
    const int64_t seeds = app_result_table_mean(t, i, APP_STEP).seeds;
    for (int m = 0; m < MEASURES; m = next_column(t, m)) {
        const app_mean mean = app_result_table_mean(t, i, m);
        const double numbers[] = {mean.mean, mean.mean - mean.half, mean.mean + mean.half};
        const bool failed = seeds == 0 && m <= APP_SECONDS;
        app_print("%-*s ", width_of(t, m), failed ? (m == 0 ? "failed" : "") : print_cell(mean, m, cell));
        for (int n = 0; n < columns_in_file(t, m); n++) /* a number that does not exist is an empty cell */
            lb_buffer_print(file, "%s\t",
                            isnan(numbers[n]) ? "" : app_measured(numbers[n], shown_as(m)->more, cell));
    }
    if (t->seeds > 1) {
        app_print("%-*lld ", SEEDS, (long long)seeds);
        lb_buffer_print(file, "%lld\t", (long long)seeds);
    }
    app_print("%s\n", app_result_table_name(t, i));
    lb_buffer_cell(file, app_result_table_name(t, i));
    lb_buffer_print(file, "\n");
}

lb_status app_result_table_show(const app_result_table *t, const char *file, lb_error *error)
{
    char path[APP_PATH];
    lb_buffer text = {0};
    print_heads(t, &text);
    for (size_t i = 0; i < t->count; i++) print_row(t, i, &text);
    if (t->settings->choose_on && app_flush_stdout())
        app_note("test %s is spent: the models were chosen on it", t->settings->choose_on);
    app_path(t->settings->out, file, path);
    lb_status status = text.failed ? lb_out_of_memory_for(path, error)
                                   : lb_file_write_own(path, &(lb_bytes){text.text, text.length}, 1, error);
    lb_release(text.text);
    return status;
}
