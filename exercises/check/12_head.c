#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 48 };

typedef struct circuit {
    int rows, columns, width;
    double last[MOST], seen[MOST], w_q[MOST], w_k[MOST];
} circuit;

/* The vectors W x of all rows of x; turned: x W. */
static void project(const double *x, const double *w, int rows, int width, bool turned, double *y)
{
    for (int n = 0; n < rows * width; n++) {
        int row = n / width, i = n % width;
        y[n] = 0;
        for (int j = 0; j < width; j++)
            y[n] += w[turned ? j * width + i : i * width + j] * x[row * width + j];
    }
}

static void score_by(const circuit *c, const double *w_q, const double *w_k, bool turned, double scale,
                     double *score)
{
    double query[MOST] = {0}, key[MOST] = {0};
    project(c->last, w_q, c->rows, c->width, turned, query);
    project(c->seen, w_k, c->columns, c->width, turned, key);
    for (int n = 0; n < c->rows * c->columns; n++) {
        const double *q = query + (ptrdiff_t)(n / c->columns * c->width),
                     *k = key + (ptrdiff_t)(n % c->columns * c->width);
        score[n] = 0;
        for (int i = 0; i < c->width; i++) score[n] += q[i] * k[i] * scale;
    }
}

static void hint_pair_scores(const circuit *c, const double *found)
{
    int count = c->rows * c->columns;
    double scale = 1 / sqrt(c->width), known[MOST], across[MOST];
    score_by(c, c->w_q, c->w_k, false, 1, known);
    if (report_is(found, known, count)) {
        report_hint("The scores are not divided by the root of the width.");
        return;
    }
    score_by(c, c->w_q, c->w_k, false, 1. / c->width, known);
    if (report_is(found, known, count)) {
        report_hint("The scores are divided by the width, not by its root.");
        return;
    }
    score_by(c, c->w_q, c->w_k, true, scale, known);
    if (report_is(found, known, count)) {
        report_hint(
            "This is x W: the numbers of a query are sums over the rows of W_q, w_q[i * width + j] x[j].");
        return;
    }
    score_by(c, c->w_k, c->w_q, false, scale, known);
    if (report_is(found, known, count)) {
        report_hint("W_q and W_k are exchanged: what was written last asks, and the list answers.");
        return;
    }
    score_by(c, c->w_q, c->w_k, false, scale, known);
    for (int n = 0; n < count; n++) across[n % c->columns * c->rows + n / c->columns] = known[n];
    if (report_is(found, across, count))
        report_hint("Rows and columns are exchanged: there is a row for each symbol that was written last.");
    else
        report_hint(
            "score[0] is the dot product of W_q times row 0 of last and W_k times row 0 of seen, times %.4f.",
            scale);
}

static void check_pair_scores(void)
{
    static const struct {
        int rows, columns, width;
    } sizes[] = {{1, 2, 2}, {2, 3, 2}, {3, 2, 4}, {4, 4, 3}};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        circuit c = {.rows = sizes[n].rows, .columns = sizes[n].columns, .width = sizes[n].width};
        double expected[MOST], *found = report_room();
        report_random(c.last, c.rows * c.width);
        report_random(c.seen, c.columns * c.width);
        report_random(c.w_q, c.width * c.width);
        report_random(c.w_k, c.width * c.width);
        report_asked("width %d, last %s, seen %s, w_q %s, w_k %s", c.width,
                     report_list(c.last, c.rows * c.width), report_list(c.seen, c.columns * c.width),
                     report_list(c.w_q, c.width * c.width), report_list(c.w_k, c.width * c.width));
        score_by(&c, c.w_q, c.w_k, false, 1 / sqrt(c.width), expected);
        pair_scores(c.last, c.seen, c.w_q, c.w_k, c.rows, c.columns, c.width, found);
        if (report_same(found, expected, c.rows, c.columns)) continue;
        hint_pair_scores(&c, found);
        return;
    }
}

/* Random log-probabilities, by the library. */
static void log_probabilities(int steps, int symbols, double *values)
{
    lb_tape *tape = lb_tape_new();
    const double *found = lb_doubles(lb_log_softmax(report_random_tensor(tape, LB_SHAPE(steps, symbols))));
    for (int i = 0; found && i < steps * symbols; i++) values[i] = found[i];
    lb_tape_free(tape);
}

static int likeliest(const double *row, int symbols)
{
    int best = 0;
    for (int k = 1; k < symbols; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

static void check_lost_by_erasure(void)
{
    static const int steps_of[] = {1, 2, 4}, symbols_of[] = {3, 4, 6};
    for (size_t n = 0; n < sizeof steps_of / sizeof *steps_of; n++) {
        int steps = steps_of[n], symbols = symbols_of[n], symbol[MOST];
        double whole[MOST] = {0}, erased[MOST] = {0}, expected[MOST], own[MOST], gained[MOST],
               *found = report_room();
        log_probabilities(steps, symbols, whole);
        log_probabilities(steps, symbols, erased);
        for (int t = 0; t < steps; t++) {
            const double *before = whole + (ptrdiff_t)(t * symbols),
                         *after = erased + (ptrdiff_t)(t * symbols);
            /* Not what either of the runs would write. */
            symbol[t] = 0;
            while (symbol[t] == likeliest(before, symbols) || symbol[t] == likeliest(after, symbols))
                symbol[t]++;
            expected[t] = before[symbol[t]] - after[symbol[t]];
            gained[t] = -expected[t];
            own[t] = before[likeliest(before, symbols)] - after[likeliest(after, symbols)];
        }
        report_asked("%d steps, symbol %s, whole %s, erased %s", steps, report_int_list(symbol, steps),
                     report_list(whole, steps * symbols), report_list(erased, steps * symbols));
        lost_by_erasure(whole, erased, symbol, steps, symbols, found);
        if (report_same(found, expected, 1, steps)) continue;
        if (report_is(found, own, steps))
            report_hint("Each run is asked for the symbol that it finds likeliest. Are these the same, and "
                        "are they in "
                        "the output?");
        else if (report_is(found, gained, steps))
            report_hint("This is what the erased run gains. What is needed is lost, and then the number is "
                        "positive.");
        else
            report_hint("Step 0 writes symbol %d: both runs have a log-probability of it.", symbol[0]);
        return;
    }
}

const check_exercise exercise = {
    12,
    "head",
    "exercises/12_head.c",
    {{"write", "pair_scores", check_pair_scores}, {"mend", "lost_by_erasure", check_lost_by_erasure}}};
